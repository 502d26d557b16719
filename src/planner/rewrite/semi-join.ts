/**
 * Rewrites `exists` as a join. An `exists` of rows that are equal in some columns is an inner join with the distinct values of those columns. `not exists` is
 * a left join of which only the padded rows are kept. Either side of a join can drive it or be its build side, and many rows are tested together.
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

/** Returns `predicate` as an `exists` or `not exists` test; `undefined` for any other predicate. */
function testOf(predicate: BoundExpression): Test | undefined {
  const isNegated = predicate.kind === 'unary' && predicate.op === 'not';
  const crossing = isNegated ? predicate.operand : predicate;
  if (crossing.kind !== 'crossing' || crossing.crossing !== 'exists') return undefined;
  return { crossing, isNegated };
}

interface Rules {
  /** Returns whether the relation reads no enclosing rows and cannot raise. */
  readonly isFree: (relation: BoundRelation) => boolean;
  /** Returns the relation with its predicates pushed down. */
  readonly rewritten: (relation: BoundRelation) => BoundRelation;
}

/** Returns the filter with its first such test rewritten as a join below it; `undefined` if it has none. */
export function withSemiJoin(
  filter: BoundFilter,
  { isFree, rewritten }: Rules,
): BoundFilter | BoundJoin | undefined {
  const conjuncts = conjunctsOf(filter.predicate);
  for (const conjunct of conjuncts) {
    const test = testOf(conjunct);
    const keys = test && keysOf(test.crossing.relation, filter.input);
    if (test === undefined || keys === undefined || !isFree(keys.inner)) continue;
    // Rows that the conditions on the outer row reject have no match either, and `not exists` must keep them.
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

/** The equalities between a relation and its enclosing rows. The rest of the relation does not read enclosing rows. */
interface Keys {
  readonly inner: BoundRelation;
  readonly columns: readonly BoundColumn[];
  readonly pairs: readonly BoundExpression[];
  /** Conditions on enclosing rows alone. */
  readonly around: readonly BoundExpression[];
}

function keysOf(crossed: BoundRelation, outer: BoundRelation): Keys | undefined {
  const found: BoundExpression[] = [];
  let at = crossed;
  // `exists` depends neither on the order of the rows nor on their fields.
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

/** Returns the distinct values of the columns. If they contain the primary key, the rows already differ and need no distinct. */
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

/** Returns the test that a row is padded. A row with a match has values in all key columns. */
function isUnmatched({ columns }: Keys): BoundExpression {
  const { id, type } = columns[0] as BoundColumn;
  const operand: BoundExpression = { kind: 'column', id, type, nullable: true };
  return { kind: 'unary', op: 'is_null', operand, type: bool, nullable: false };
}
