/**
 * Estimates the share of rows that satisfy predicates, from the table statistics of the tested columns if there are any, else from defaults. Conditions on
 * one column are combined into one range. Equalities on several columns use the statistics of a column group if one exists. All other conditions are
 * combined by `allTogether`.
 */

import type { Table } from '#catalog';
import { equalShare, nullShare, rangeShare } from '#statistics';
import type { Scalar } from '#value';
import type { BoundCompare, BoundExpression, BoundRelation } from '../bind/bound.ts';
import { conjunctsOf } from '../bind/unique-proof.ts';
import { originOf, placeOf } from '../facts/column-origin.ts';
import { allTogether } from './damping.ts';
import { assumed } from './defaults.ts';
import { leastTrusted, type Selectivity } from './estimate.ts';
import type { TableRows } from './table-rows.ts';

/** The inputs of an estimate. */
interface EstimateInputs {
  readonly counts: TableRows;
  /** The relations whose columns the predicates may read. All other columns belong to enclosing rows. */
  readonly relations: readonly BoundRelation[];
}

const proven = (share: number): Selectivity => ({ share, origin: 'proven' });
const byDefault = (share: number): Selectivity => ({ share, origin: 'assumed' });
const found = (share: number): Selectivity => ({ share, origin: 'surveyed' });

export function shareOf(predicate: BoundExpression, known: EstimateInputs): Selectivity {
  switch (predicate.kind) {
    case 'compare':
      return shareOfAll([predicate], known);
    case 'logical': {
      if (predicate.op === 'and') return shareOfAll(conjunctsOf(predicate), known);
      return shareOfAny(predicate.operands, known);
    }
    case 'unary': {
      const { op, operand } = predicate;
      if (op === 'is_null' || op === 'is_not_null') return shareOfNulls(operand, op, known);
      const { share, origin } = shareOf(operand, known);
      return { share: 1 - share, origin };
    }
    case 'literal':
      if (predicate.claim !== undefined) return byDefault(assumed.other);
      return proven(predicate.value === true ? 1 : 0);
    default:
      return byDefault(assumed.other);
  }
}

/** Maximum number of alternatives of an `or` that are estimated. They are spread evenly over the list, and the rest is assumed to be similar. */
const alternativesMax = 1024;

/** Estimates the share of rows that satisfy at least one of the predicates. */
function shareOfAny(predicates: readonly BoundExpression[], known: EstimateInputs): Selectivity {
  const step = Math.ceil(predicates.length / alternativesMax);
  const parts: Selectivity[] = [];
  for (let i = 0; i < predicates.length; i += step) {
    parts.push(shareOf(predicates[i] as BoundExpression, known));
  }
  const sum = parts.reduce((total, part) => total + part.share, 0);
  const share = sum * (predicates.length / parts.length);
  return { share: Math.min(1, share), origin: originOfAll(parts) };
}

/** Estimates the share of rows that satisfy all of the predicates. */
export function shareOfAll(
  predicates: readonly BoundExpression[],
  known: EstimateInputs,
): Selectivity {
  const parts: Selectivity[] = [];
  const ranges = new Map<string, Range>();
  const pins = new Map<Table, Map<number, Scalar | undefined>>();
  for (const predicate of predicates) {
    const test = predicate.kind === 'compare' ? testOf(predicate, known) : undefined;
    if (predicate.kind !== 'compare') {
      parts.push(shareOf(predicate, known));
    } else if (test === undefined) {
      parts.push(byDefault(assumedOf(predicate)));
    } else if (test.op === 'eq') {
      const ofTable = pins.get(test.table) ?? new Map<number, Scalar | undefined>();
      pins.set(test.table, ofTable.set(test.column, test.value));
    } else if (test.op === 'ne') {
      parts.push(shareOfOthers(test, known));
    } else {
      const name = `${test.table.id} ${test.column}`;
      ranges.set(name, narrowed(ranges.get(name), test));
    }
  }
  for (const [table, columns] of pins) parts.push(shareOfPins(table, columns, known));
  for (const range of ranges.values()) parts.push(shareOfRange(range, known));
  if (parts.length === 1) return parts[0] as Selectivity;
  return { share: allTogether(parts.map(({ share }) => share)), origin: originOfAll(parts) };
}

function originOfAll(parts: readonly Selectivity[]): Selectivity['origin'] {
  return leastTrusted(...parts.map(({ origin }) => origin));
}

/** A comparison of a column with a value. The value is `undefined` if it is computed only at run time. */
interface Test {
  readonly table: Table;
  readonly column: number;
  readonly op: BoundCompare['op'];
  readonly value: Scalar | undefined;
}

interface Range {
  readonly test: Test;
  readonly lower: Test | undefined;
  readonly upper: Test | undefined;
}

const flipped = { eq: 'eq', ne: 'ne', lt: 'gt', lte: 'gte', gt: 'lt', gte: 'lte' } as const;

function testOf({ left, right, op }: BoundCompare, known: EstimateInputs): Test | undefined {
  const ofLeft = columnOf(left, known);
  const ofRight = columnOf(right, known);
  if (ofLeft !== undefined && ofRight !== undefined) return undefined;
  if (ofLeft !== undefined) return { ...ofLeft, op, value: literalIn(right) };
  return ofRight && { ...ofRight, op: flipped[op], value: literalIn(left) };
}

function columnOf(expression: BoundExpression, { relations }: EstimateInputs) {
  if (expression.kind !== 'column') return undefined;
  for (const relation of relations) {
    if (placeOf(relation, expression.id) >= 0) return originOf(expression, relation);
  }
  return undefined;
}

/** Returns the value of a literal; `undefined` for a claim, which has a value only while the plan runs. */
function literalIn(expression: BoundExpression): Scalar | undefined {
  const isKnown = expression.kind === 'literal' && expression.claim === undefined;
  return isKnown ? expression.value : undefined;
}

function assumedOf({ op }: BoundCompare): number {
  if (op === 'eq') return assumed.equal;
  return op === 'ne' ? 1 - assumed.equal : assumed.range;
}

function narrowed(range: Range | undefined, test: Test): Range {
  const isLower = test.op === 'gt' || test.op === 'gte';
  return {
    test,
    lower: isLower ? test : range?.lower,
    upper: isLower ? range?.upper : test,
  };
}

function shareOfPins(
  table: Table,
  pins: ReadonlyMap<number, Scalar | undefined>,
  { counts }: EstimateInputs,
): Selectivity {
  if ([...pins.values()].includes(null)) return proven(0);
  const share = counts.equalShare(table, pins);
  if (share !== undefined) return found(share);
  return byDefault(allTogether([...pins].map(() => assumed.equal)));
}

function shareOfOthers({ table, column, value }: Test, { counts }: EstimateInputs): Selectivity {
  const surveyed = counts.column(table, column);
  if (surveyed === undefined) return byDefault(1 - assumed.equal);
  return found(Math.max(0, 1 - nullShare(surveyed) - equalShare(surveyed, value)));
}

function shareOfRange({ test, lower, upper }: Range, { counts }: EstimateInputs): Selectivity {
  const surveyed = counts.column(test.table, test.column);
  const isKnown = [lower, upper].every((side) => side === undefined || side.value !== undefined);
  if ([lower, upper].some((side) => side?.value === null)) return proven(0);
  const share = surveyed && isKnown ? rangeShare(surveyed, lower?.value, upper?.value) : undefined;
  if (share !== undefined) return found(share);
  const isBoth = lower !== undefined && upper !== undefined;
  return byDefault(isBoth ? assumed.range ** 2 : assumed.range);
}

function shareOfNulls(
  operand: BoundExpression,
  op: 'is_null' | 'is_not_null',
  known: EstimateInputs,
): Selectivity {
  const column = columnOf(operand, known);
  const surveyed = column && known.counts.column(column.table, column.column);
  const share = surveyed === undefined ? assumed.isNull : nullShare(surveyed);
  const kept = op === 'is_null' ? share : 1 - share;
  return surveyed === undefined ? byDefault(kept) : found(kept);
}
