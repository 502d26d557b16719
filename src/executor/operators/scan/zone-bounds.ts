/** What a filter says of single columns, for a scan to pass over blocks in which no row can pass. */

import type { Column } from '#catalog';
import type { ComparisonOperator } from '#lir';
import type { PlanExpression } from '#planner';
import type { ZoneBound } from '#storage';
import { canFail, compile, type Frame } from '../../kernels/compile.ts';
import { evaluateConstant, type Kernel } from '../../kernels/kernel.ts';

interface Condition {
  readonly column: Column;
  /** Undefined when a value is needed that is no number. */
  readonly range: () => Pick<ZoneBound, 'min' | 'max'> | undefined;
}

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

  /** Of a predicate that can fail nothing is taken: a row that is passed over would not be evaluated. */
  constructor(predicate: PlanExpression, columns: readonly Column[], frame: Frame) {
    const found = conjunctsOf(predicate).flatMap(
      (conjunct) => conditionOf(conjunct, columns, frame) ?? [],
    );
    this.conditions = found.length > 0 && !canFail(predicate, frame) ? found : [];
  }

  /** By the parameters and registers of the moment. */
  current(): readonly ZoneBound[] {
    return this.conditions.flatMap(({ column, range }) => {
      const bounds = range();
      if (bounds === undefined) return [];
      return { column: column.physicalId, isFloat: column.type === 'float64', ...bounds };
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
  const column = columns[left.slot] as Column;
  return isNumber(column) ? { column, range: rangeOf(op, compile(right, frame)) } : undefined;
}

const isNumber = ({ type }: Column): boolean => type === 'int64' || type === 'float64';

/** NULL and integers beyond numbers bound nothing here; the filter knows what to do with them. */
function rangeOf(op: ComparisonOperator, value: Kernel): Condition['range'] {
  return () => {
    const bound = evaluateConstant(value);
    if (typeof bound !== 'number') return undefined;
    return {
      min: op === 'lt' || op === 'lte' ? -Infinity : bound,
      max: op === 'gt' || op === 'gte' ? Infinity : bound,
    };
  };
}

function conditionOfMembers(
  { operand, members }: Extract<PlanExpression, { kind: 'among' }>,
  columns: readonly Column[],
  { parameters }: Frame,
): Condition | undefined {
  if (operand.kind !== 'column') return undefined;
  const column = columns[operand.slot] as Column;
  if (!isNumber(column)) return undefined;
  const values = members.map((index) => parameters[index]).filter((value) => value !== null);
  if (!values.every((value) => typeof value === 'number')) return undefined;
  let [min, max] = [Infinity, -Infinity];
  for (const value of values) {
    min = Math.min(min, value);
    max = Math.max(max, value);
  }
  return { column, range: () => ({ min, max }) };
}
