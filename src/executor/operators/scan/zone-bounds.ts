/** The bounds that a filter implies for single columns. A scan skips blocks in which no row can be within them. */

import type { Column } from '#catalog';
import type { ComparisonOperator } from '#lir';
import type { PlanExpression } from '#planner';
import type { NumberBound, TextBound, ZoneBound } from '#storage';
import { compareText } from '#value';
import { canFail, compile, type Frame, textPartsAt } from '../../kernels/compile.ts';
import { evaluateConstant, type Kernel } from '../../kernels/kernel.ts';
import { textEnds, textsFrom } from './text-bound.ts';

interface Condition {
  readonly column: Column;
  /** Returns the bounds that the condition implies for the current parameters; `undefined` if it implies none. */
  readonly bound: () => Ends | undefined;
}

/** A bound without its column. */
type Ends = Of<NumberBound> | Of<TextBound> | { readonly kind: 'null' | 'value' };
type Of<Bound> = Omit<Bound, 'column' | 'isFloat'>;

const mirrored: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  eq: 'eq',
  ne: 'ne',
  lt: 'gt',
  lte: 'gte',
  gt: 'lt',
  gte: 'lte',
};

export class ZoneBounds {
  private readonly conditions: readonly Condition[];

  /** A predicate that can fail yields no bounds, because a skipped row would not be evaluated. */
  constructor(predicate: PlanExpression, columns: readonly Column[], frame: Frame) {
    const found = conjunctsOf(predicate).flatMap(
      (conjunct) => conditionOf(conjunct, columns, frame) ?? [],
    );
    this.conditions = found.length > 0 && !canFail(predicate, frame) ? found : [];
  }

  /** Returns the bounds for the present parameters and registers. */
  current(): readonly ZoneBound[] {
    return this.conditions.flatMap(({ column, bound }): ZoneBound[] => {
      const ends = bound();
      if (ends === undefined) return [];
      const of = { column: column.physicalId };
      if (ends.kind !== 'number') return [{ ...of, ...ends }];
      return [{ ...of, isFloat: column.type === 'float64', ...ends }];
    });
  }
}

export function conjunctsOf(predicate: PlanExpression): readonly PlanExpression[] {
  const isAnd = predicate.kind === 'logical' && predicate.op === 'and';
  return isAnd ? predicate.operands : [predicate];
}

function conditionOf(
  expression: PlanExpression,
  columns: readonly Column[],
  frame: Frame,
): Condition | undefined {
  if (expression.kind === 'among') return conditionOfMembers(expression, columns, frame);
  if (expression.kind === 'unary') return conditionOfNull(expression, columns);
  if (expression.kind === 'text_match') return conditionOfStart(expression, columns, frame);
  if (expression.kind !== 'compare' || expression.op === 'ne') return undefined;
  const { op, left, right } = expression;
  if (left.kind !== 'column' && right.kind === 'column') {
    return conditionOf(
      { ...expression, op: mirrored[op], left: right, right: left },
      columns,
      frame,
    );
  }
  if (left.kind !== 'column' || (right.kind !== 'parameter' && right.kind !== 'register')) {
    return undefined;
  }
  const column = columns[left.columnIndex] as Column;
  const value = compile(right, frame);
  if (column.type === 'text') return { column, bound: textsBy(op, value) };
  return isNumber(column) ? { column, bound: numbersBy(op, value) } : undefined;
}

/** Returns the condition of `is_null` and `is_not_null` of a column, and of `not` of either, none of which is ever NULL. */
function conditionOfNull(
  { op, operand }: Extract<PlanExpression, { kind: 'unary' }>,
  columns: readonly Column[],
  isNegated = false,
): Condition | undefined {
  if (op === 'not' && operand.kind === 'unary') {
    return conditionOfNull(operand, columns, !isNegated);
  }
  if ((op !== 'is_null' && op !== 'is_not_null') || operand.kind !== 'column') return undefined;
  const kind = (op === 'is_null') === isNegated ? 'value' : 'null';
  return { column: columns[operand.columnIndex] as Column, bound: () => ({ kind }) };
}

/** Returns the condition of a pattern that begins with a literal text. */
function conditionOfStart(
  { value, parts, comparison }: Extract<PlanExpression, { kind: 'text_match' }>,
  columns: readonly Column[],
  { parameters }: Frame,
): Condition | undefined {
  if (value.kind !== 'column' || comparison !== 'exact') return undefined;
  const [first] = textPartsAt(parts, parameters);
  if (first?.kind !== 'literal' || first.value === '') return undefined;
  const ends = textsFrom(first.value);
  return { column: columns[value.columnIndex] as Column, bound: () => ends };
}

const isNumber = ({ type }: Column): boolean => type === 'int64' || type === 'float64';

/** Returns the bound of a comparison. NULL and integers beyond exact numbers imply no bound; the filter evaluates them. */
function numbersBy(op: ComparisonOperator, value: Kernel): Condition['bound'] {
  return () => {
    const bound = evaluateConstant(value);
    if (typeof bound !== 'number') return undefined;
    return {
      kind: 'number',
      min: op === 'lt' || op === 'lte' ? -Infinity : bound,
      max: op === 'gt' || op === 'gte' ? Infinity : bound,
    };
  };
}

function textsBy(op: ComparisonOperator, value: Kernel): Condition['bound'] {
  return () => {
    const bound = evaluateConstant(value);
    if (typeof bound !== 'string') return undefined;
    return textEnds(
      op === 'lt' || op === 'lte' ? undefined : bound,
      op === 'gt' || op === 'gte' ? undefined : bound,
    );
  };
}

function conditionOfMembers(
  { operand, members }: Extract<PlanExpression, { kind: 'among' }>,
  columns: readonly Column[],
  { parameters }: Frame,
): Condition | undefined {
  if (operand.kind !== 'column') return undefined;
  const column = columns[operand.columnIndex] as Column;
  const values = members.map((index) => parameters[index]).filter((value) => value !== null);
  if (column.type === 'text') return conditionOfTexts(column, values as unknown as string[]);
  if (!isNumber(column)) return undefined;
  if (!values.every((value) => typeof value === 'number')) return undefined;
  let [min, max] = [Infinity, -Infinity];
  for (const value of values) {
    min = Math.min(min, value);
    max = Math.max(max, value);
  }
  return { column, bound: () => ({ kind: 'number', min, max }) };
}

function conditionOfTexts(column: Column, values: readonly string[]): Condition | undefined {
  const sorted = values.toSorted(compareText);
  const [least] = sorted;
  if (least === undefined) return undefined;
  const ends = textEnds(least, sorted.at(-1));
  return { column, bound: () => ends };
}
