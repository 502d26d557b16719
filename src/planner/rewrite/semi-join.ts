/**
 * `exists` of rows that are equal in some columns is a join with the different values of those columns, and `not exists` a left join whose padded rows
 * are kept. As joins they can be driven by either side, held by the smaller one, and be tested for many rows at once.
 */

import type {
  BoundColumn,
  BoundCrossing,
  BoundExpression,
  BoundFilter,
  BoundJoin,
  BoundRelation,
} from '../bind/bound.ts';
import { columnsReadBy } from '../bind/columns-read.ts';
import { bool } from '../bind/types.ts';
import { conjunctsOf } from '../bind/unique-proof.ts';
import { areWithin, idRangeOf } from '../facts/id-range.ts';
import { hasCrossing } from '../facts/tree.ts';
import { conjunction, filtered } from './conjuncts.ts';

interface Test {
  readonly crossing: BoundCrossing;
  readonly isNegated: boolean;
}

/** `predicate` as `exists` or `not exists`; undefined when it is neither. */
function testOf(predicate: BoundExpression): Test | undefined {
  const isNegated = predicate.kind === 'unary' && predicate.op === 'not';
  const crossing = isNegated ? predicate.operand : predicate;
  if (crossing.kind !== 'crossing' || crossing.crossing !== 'exists') return undefined;
  return { crossing, isNegated };
}

interface Rules {
  /** The relation reads nothing of the rows around, and cannot raise. */
  readonly isFree: (relation: BoundRelation) => boolean;
  /** With its predicates where they belong. */
  readonly rewritten: (relation: BoundRelation) => BoundRelation;
}

/** The filter with its first such test as a join below; undefined when it has none. */
export function withSemiJoin(
  filter: BoundFilter,
  { isFree, rewritten }: Rules,
): BoundFilter | BoundJoin | undefined {
  const conjuncts = conjunctsOf(filter.predicate);
  for (const conjunct of conjuncts) {
    const test = testOf(conjunct);
    const keys = test && keysOf(test.crossing.relation, filter.input);
    if (test === undefined || keys === undefined || !isFree(keys.inner)) continue;
    // Rows that these refuse have no match either.
    if (test.isNegated && keys.around.length > 0) continue;
    const right = rewritten(differentOf(keys));
    const join = joinOf(filter, { ...keys, right }, test.isNegated);
    const rest = conjuncts.filter((other) => other !== conjunct);
    const unmatched = test.isNegated ? [...rest, isUnmatched(keys)] : [...rest, ...keys.around];
    const predicate = conjunction(unmatched);
    return predicate === undefined ? join : { ...filter, input: join, predicate };
  }
  return undefined;
}

/** Equalities that tie the rows of a relation to the rows around it; all else of it reads nothing of them. */
interface Keys {
  readonly inner: BoundRelation;
  readonly columns: readonly BoundColumn[];
  readonly pairs: readonly BoundExpression[];
  /** Conditions on the rows around alone. */
  readonly around: readonly BoundExpression[];
}

function keysOf(crossed: BoundRelation, outer: BoundRelation): Keys | undefined {
  const found: BoundExpression[] = [];
  let at = crossed;
  // Which rows there are does not depend on their order, nor on what is made of them.
  while (at.kind === 'filter' || at.kind === 'order' || at.kind === 'project') {
    if (at.kind === 'filter') found.push(...conjunctsOf(at.predicate));
    at = at.input;
  }
  const [inside, outside] = [idRangeOf(at), idRangeOf(outer)];
  const own: BoundExpression[] = [];
  const pairs: BoundExpression[] = [];
  const around: BoundExpression[] = [];
  const columns = new Map<number, BoundColumn>();
  for (const conjunct of found) {
    if (areWithin(columnsReadBy(conjunct), inside)) {
      own.push(conjunct);
      continue;
    }
    if (areWithin(columnsReadBy(conjunct), outside)) {
      around.push(conjunct);
      continue;
    }
    if (conjunct.kind !== 'compare' || conjunct.op !== 'eq' || hasCrossing(conjunct))
      return undefined;
    const { left, right } = conjunct;
    const [key, other] = isWithinColumns(left, at) ? [left, right] : [right, left];
    const column = isWithinColumns(key, at);
    const read = columnsReadBy(other);
    if (column === undefined || read.size === 0 || !areWithin(read, outside)) return undefined;
    columns.set(column.id, column);
    pairs.push(conjunct);
  }
  if (pairs.length === 0) return undefined;
  return { inner: filtered(at, own), columns: [...columns.values()], pairs, around };
}

function isWithinColumns(
  expression: BoundExpression,
  { columns }: BoundRelation,
): BoundColumn | undefined {
  if (expression.kind !== 'column') return undefined;
  return columns.find(({ id }) => id === expression.id);
}

function joinOf(
  { node, input }: BoundFilter,
  { pairs, right }: Keys & { readonly right: BoundRelation },
  isNegated: boolean,
): BoundJoin {
  return {
    kind: 'join',
    join: isNegated ? 'left' : 'inner',
    node,
    left: input,
    right,
    on: conjunction(pairs) as BoundExpression,
    columns: [...input.columns, ...right.columns],
    ordered: false,
    rowsMax: input.rowsMax,
    key: undefined,
  };
}

/** The different values of the columns; rows that differ in them anyway as they are. */
function differentOf({ inner, columns }: Keys): BoundRelation {
  const { node, rowsMax, key } = inner;
  const ids = new Set(columns.map(({ id }) => id));
  const fields = columns.map(({ id, type, nullable }): BoundExpression => {
    return { kind: 'column', id, type, nullable };
  });
  const facts = { node, columns, ordered: false, rowsMax, key: undefined };
  const taken: BoundRelation = { kind: 'project', input: inner, fields, ...facts };
  if (inner.kind === 'scan' && key?.every((id) => ids.has(id))) return taken;
  return { kind: 'distinct', input: taken, ...facts };
}

/** A row that has a match has values in all its columns. */
function isUnmatched({ columns }: Keys): BoundExpression {
  const { id, type } = columns[0] as BoundColumn;
  const operand: BoundExpression = { kind: 'column', id, type, nullable: true };
  return { kind: 'unary', op: 'is_null', operand, type: bool, nullable: false };
}
