/** Plans orders and slices. A sort is omitted if no consumer sees the order or if the rows already have it. Otherwise it keeps only the rows that are taken. */

import type { Steps } from '#base';
import { isScalarType, type ScalarType } from '#value';
import type { BoundOrder, BoundSlice, BoundTerm } from '../bind/bound.ts';
import { outputOf } from '../bind/columns.ts';
import { addColumnsReadBy } from '../bind/columns-read.ts';
import { bool } from '../bind/types.ts';
import { sortCost } from '../cost/defaults.ts';
import { sourceOf } from '../facts/column-origin.ts';
import { idRangeOf, isWithin } from '../facts/id-range.ts';
import { isNeverNull } from '../facts/never-null.ts';
import {
  leadingKeys,
  type Ordering,
  type OrderKey,
  satisfies,
  unordered,
} from '../order/ordering.ts';
import type { SortTerm } from '../plan/expression.ts';
import type { RelationPlan } from '../plan/relation.ts';
import { leastOf, plannedCount, sumOf } from '../plan/row-count.ts';
import { attach } from './attach.ts';
import { lowerExpression, type RowSource } from './expression.ts';
import type { Planning } from './planning.ts';
import { lowerRelation } from './relation.ts';
import { type Lowered, type Requirements, requireColumns } from './required-columns.ts';

export function* lowerOrder(
  planning: Planning,
  order: BoundOrder,
  required: Requirements,
): Steps<Lowered> {
  const canRaise = planning.failures.operatorCanRaise(order);
  if (!required.ordered && !canRaise) return yield* lowerRelation(planning, order.input, required);
  const terms = settledTerms(planning, order);
  const keys = canRaise ? undefined : keysOf({ ...order, terms });
  const needed = new Set(required.needed);
  for (const { expression } of terms) addColumnsReadBy(expression, needed);
  const { goal, frame } = required;
  const isEager = planning.options.topSorts !== 'whole' && required.limit !== undefined;
  const wanted = {
    ...requireColumns(needed, frame),
    order: keys,
    isTop: isEager,
    goal: keys === undefined ? Infinity : goal,
  };
  const input = yield* lowerRelation(planning, order.input, wanted);
  if (keys !== undefined && satisfies(input.ordering, keys)) return input;
  if (!canRaise && order.input.rowsMax <= 1) return input;
  const isAligned = isEager && keys?.length === terms.length;
  const presorted = isAligned ? leadingKeys(input.ordering, keys) : 0;
  return yield* sorted(planning, { order: { ...order, terms }, presorted }, input, required);
}

/** Returns the terms without the place of NULL if their expression is never NULL. */
function settledTerms(planning: Planning, { terms, input }: BoundOrder): readonly BoundTerm[] {
  const { neverNull } = planning.facts;
  return terms.map((term) => {
    const { expression, descending } = term;
    if (!term.movesNull || !isNeverNull(sourceOf(expression, input), neverNull)) return term;
    return { expression, descending };
  });
}

/** Returns the sort keys of the terms; `undefined` if a term is computed or NULL has another place than in a key. Literals and columns of enclosing rows are left out, because they are constant. */
function keysOf({ terms, input }: BoundOrder): readonly OrderKey[] | undefined {
  const own = idRangeOf(input);
  const keys: OrderKey[] = [];
  for (const { expression, descending, movesNull } of terms) {
    if (expression.kind === 'literal') continue;
    if (expression.kind !== 'column') return undefined;
    if (!isWithin(expression.id, own)) continue;
    if (movesNull) return undefined;
    keys.push({ id: expression.id, descending });
  }
  return keys;
}

function* sorted(
  planning: Planning,
  { order, presorted }: { readonly order: BoundOrder; readonly presorted: number },
  input: Lowered,
  { limit, frame }: Requirements,
): Steps<Lowered> {
  const expressions = order.terms.map(({ expression }) => expression);
  const { lowered, crossings } = yield* attach(planning, input, expressions, frame);
  const { plan: below, columnIndexes, cost } = lowered;
  const row = { columnIndexes, crossings, frame };
  const rows = below.estimatedRows;
  const taken = limit === undefined ? Infinity : plannedCount(limit);
  const plan: RelationPlan = {
    kind: 'sort',
    id: planning.nextId(),
    input: below,
    terms: order.terms.flatMap((term) => sortTerms(planning, row, term)),
    limit,
    ...(presorted > 0 && { presorted }),
    output: below.output,
    estimatedRows: Math.min(rows, taken),
  };
  return { plan, columnIndexes, ordering: orderingOf(order), cost: cost + sortCost(rows, taken) };
}

/** Returns the terms of a sort. If NULL has another place than that of its term, a test for NULL is the more significant one. */
function sortTerms(planning: Planning, row: RowSource, term: BoundTerm): readonly SortTerm[] {
  const { descending, movesNull } = term;
  const expression = lowerExpression(planning, row, term.expression);
  const own = { expression, type: scalarTypeOf(term.expression), descending };
  if (!movesNull) return [own];
  const test = { kind: 'unary', op: 'is_null', operand: expression, type: bool } as const;
  return [{ expression: test, type: 'bool', descending }, own];
}

function scalarTypeOf({ type }: BoundTerm['expression']): ScalarType {
  return isScalarType(type) ? type.kind : 'text';
}

/** Returns the ordering of sorted rows, up to the first term that is not a column. */
function orderingOf({ terms, key }: BoundOrder): Ordering {
  const keys: OrderKey[] = [];
  for (const { expression, descending, movesNull } of terms) {
    if (expression.kind !== 'column' || movesNull) return { ...unordered, keys };
    keys.push({ id: expression.id, descending });
  }
  return { ...unordered, keys, totalAfter: key === undefined ? undefined : keys.length };
}

export function* lowerSlice(
  planning: Planning,
  slice: BoundSlice,
  required: Requirements,
): Steps<Lowered> {
  if (slice.limit === 0) return noRows(planning, slice);
  const offset = planning.parameters.ofOffset(slice);
  const limit = planning.parameters.ofLimit(slice);
  const passed = leastOf(limit, required.limit);
  const taken = passed === undefined ? undefined : sumOf(passed, offset);
  const goal = required.goal + slice.offset;
  const below: Requirements = {
    ...required,
    ordered: true,
    limit: taken,
    goal: taken === undefined ? goal : Math.min(plannedCount(taken), goal),
  };
  const input = yield* lowerRelation(planning, slice.input, below);
  if (offset === 0 && limit === undefined) return input;
  const { plan: source, columnIndexes, ordering, cost } = input;
  const rows = Math.max(0, Math.min(source.estimatedRows - slice.offset, slice.limit ?? Infinity));
  const plan: RelationPlan = {
    kind: 'slice',
    id: planning.nextId(),
    input: source,
    offset,
    limit,
    output: source.output,
    estimatedRows: rows,
  };
  return { plan, columnIndexes, ordering, cost };
}

/** Plans a slice with a limit of 0. The slice never evaluates its input (docs/lir.md §10), so the input is not planned. */
function noRows(planning: Planning, { columns }: BoundSlice): Lowered {
  const plan: RelationPlan = {
    kind: 'rows',
    id: planning.nextId(),
    parameter: planning.parameters.add([]),
    output: outputOf(columns),
    estimatedRows: 0,
  };
  const columnIndexes = new Map(columns.map(({ id }, columnIndex) => [id, columnIndex]));
  return { plan, columnIndexes, ordering: { ...unordered, totalAfter: 0 }, cost: 0 };
}
