/** Binds the nodes that pass on rows of their input unchanged: filter, order, slice and distinct. */

import type { Steps } from '#base';
import type { DistinctNode, FilterNode, OrderNode, SliceNode } from '#lir';
import { isScalarType } from '#value';
import type { BoundRelation, BoundTerm } from './bound.ts';
import { bindCrossings } from './crossing.ts';
import { bindPredicate, bindScalar } from './expression.ts';
import type { NodeSite } from './node-site.ts';
import type { BoundInScope } from './relation-context.ts';
import { isAtMostOne, pin } from './unique-proof.ts';

export function* bindFilter(at: NodeSite, node: FilterNode): Steps<BoundInScope> {
  const { relation: input, scopes, pins } = yield* at.input(node.input);
  const site = at.site('predicate', scopes);
  yield* bindCrossings(site, node.predicate);
  const predicate = bindPredicate(site, node.predicate, 'filter predicate');
  const { columns, ordered, key } = input;
  if (pins !== undefined) pin(pins, predicate);
  const rowsMax =
    pins !== undefined && isAtMostOne(pins) ? Math.min(1, input.rowsMax) : input.rowsMax;
  const facts = { columns, ordered, rowsMax, key };
  return { relation: { kind: 'filter', node: at.id, input, predicate, ...facts }, scopes, pins };
}

export function* bindOrder(at: NodeSite, node: OrderNode): Steps<BoundInScope> {
  at.context.checkTerms(node, at.id, node.terms.length);
  const { relation: input, scopes, pins } = yield* at.input(node.input);
  const terms: BoundTerm[] = [];
  for (const [i, term] of node.terms.entries()) {
    const site = at.site(`order term ${i}`, scopes);
    yield* bindCrossings(site, term.expr);
    const expression = bindScalar(site, term.expr, 'order term');
    const descending = term.desc === true;
    const isMoved = term.nulls !== undefined && (term.nulls === 'last') !== descending;
    terms.push({ expression, descending, ...(isMoved && { movesNull: true }) });
  }
  const { columns, rowsMax, key } = input;
  const complete = [...terms, ...tieBreakers(input, terms)];
  const facts = { columns, ordered: true, rowsMax, key };
  const relation: BoundRelation = { kind: 'order', node: at.id, input, terms: complete, ...facts };
  return { relation, scopes, pins };
}

/** Returns the columns of the known unique key as ascending terms, without the columns that are already a term. */
function tieBreakers(input: BoundRelation, terms: readonly BoundTerm[]): readonly BoundTerm[] {
  if (input.key === undefined) return [];
  const given = new Set<number>();
  for (const { expression } of terms) if (expression.kind === 'column') given.add(expression.id);
  const columns = new Map(input.columns.map((column) => [column.id, column]));
  return [...new Set(input.key)].flatMap((id): readonly BoundTerm[] => {
    const column = columns.get(id);
    if (column === undefined || given.has(id) || !isScalarType(column.type)) return [];
    const { type, nullable } = column;
    return [{ expression: { kind: 'column', id, type, nullable }, descending: false }];
  });
}

export function* bindSlice(at: NodeSite, node: SliceNode): Steps<BoundInScope> {
  const { relation: input, scopes, pins } = yield* at.input(node.input, 'below a slice');
  const offset = Number(node.offset ?? 0);
  const limit = node.limit === undefined ? undefined : Number(node.limit);
  if (offset > 0 && !input.ordered) {
    const detail = 'a slice with an offset needs an ordered input';
    throw at.reject('nondeterministic_order', detail, { role: 'offset' });
  }
  const { columns, ordered, key } = input;
  const rowsMax = Math.min(input.rowsMax, limit ?? Infinity);
  const facts = { columns, ordered, rowsMax, key };
  const isOffsetFree = node.offset !== undefined && input.ordered;
  const taken = { offset, limit, source: node, isOffsetFree };
  return { relation: { kind: 'slice', node: at.id, input, ...taken, ...facts }, scopes, pins };
}

export function* bindDistinct(at: NodeSite, node: DistinctNode): Steps<BoundInScope> {
  const { relation: input, scopes } = yield* at.input(node.input);
  const { columns, rowsMax } = input;
  const key = scalarIds(input);
  const facts = { columns, ordered: false, rowsMax, key };
  return { relation: { kind: 'distinct', node: at.id, input, ...facts }, scopes, pins: undefined };
}

/** Returns the ids of the columns that can be compared. */
export function scalarIds({ columns }: Pick<BoundRelation, 'columns'>): readonly number[] {
  return columns.filter(({ type }) => isScalarType(type)).map(({ id }) => id);
}
