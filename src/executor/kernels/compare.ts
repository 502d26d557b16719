/** Compiles eq, ne, lt, lte, gt and gte over operands of one type; NULL on either side gives UNKNOWN. */

import { unreachable } from '#base';
import type { ComparisonOperator } from '#lir';
import { type Datum, type ScalarType, valueComparatorOf } from '#value';
import type { Vector } from '../batch/vector.ts';
import type { Evaluate, Kernel, Select } from './kernel.ts';
import { selectNumber } from './select-number.ts';
import { selectSame } from './select-same.ts';

export function compareKernel(
  op: ComparisonOperator,
  type: ScalarType,
  left: Kernel,
  right: Kernel,
): Kernel {
  return {
    constant: undefined,
    evaluate: comparison(testOf(op, type), left, right),
    select: selection(op, type, left, right),
    canFail: left.canFail || right.canFail,
  };
}

/** The operator of `column op constant` that is equivalent to `constant op column`. */
const mirrored: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  eq: 'eq',
  ne: 'ne',
  lt: 'gt',
  lte: 'gte',
  gt: 'lt',
  gte: 'lte',
};

/** Returns the fast loop that compares a column with a constant, if there is one. */
function selection(
  op: ComparisonOperator,
  type: ScalarType,
  left: Kernel,
  right: Kernel,
): Select | undefined {
  if (left.constant !== undefined && right.constant === undefined) {
    return selection(mirrored[op], type, right, left);
  }
  if (right.constant === undefined) return undefined;
  if (type === 'int64' || type === 'float64') {
    return selectNumber(op, left.evaluate, right.constant);
  }
  if (type === 'bytes' || (op !== 'eq' && op !== 'ne')) return undefined;
  return selectSame(op === 'eq', left.evaluate, right.constant);
}

type Test = (left: Datum, right: Datum) => boolean;

function testOf(op: ComparisonOperator, type: ScalarType): Test {
  if (type === 'int64' || type === 'float64') return numberTest(op);
  if (type !== 'bytes' && op === 'eq') return (a, b) => a === b;
  if (type !== 'bytes' && op === 'ne') return (a, b) => a !== b;
  const compare = valueComparatorOf(type) as (left: Datum, right: Datum) => number;
  switch (op) {
    case 'eq':
      return (a, b) => compare(a, b) === 0;
    case 'ne':
      return (a, b) => compare(a, b) !== 0;
    case 'lt':
      return (a, b) => compare(a, b) < 0;
    case 'lte':
      return (a, b) => compare(a, b) <= 0;
    case 'gt':
      return (a, b) => compare(a, b) > 0;
    case 'gte':
      return (a, b) => compare(a, b) >= 0;
    default:
      return unreachable(op);
  }
}

/** The tests are exact for mixed numbers and bigints too: equal int64 values have one representation. */
function numberTest(op: ComparisonOperator): Test {
  switch (op) {
    case 'eq':
      return (a, b) => a === b;
    case 'ne':
      return (a, b) => a !== b;
    case 'lt':
      return (a, b) => (a as number) < (b as number);
    case 'lte':
      return (a, b) => (a as number) <= (b as number);
    case 'gt':
      return (a, b) => (a as number) > (b as number);
    case 'gte':
      return (a, b) => (a as number) >= (b as number);
    default:
      return unreachable(op);
  }
}

function comparison(test: Test, left: Kernel, right: Kernel): Evaluate {
  const out: Vector = [];
  return (columns, selection, count) => {
    const lefts = left.evaluate(columns, selection, count);
    const rights = right.evaluate(columns, selection, count);
    for (let i = 0; i < count; i++) {
      const row = selection[i] as number;
      const a = lefts[row] as Datum;
      const b = rights[row] as Datum;
      out[row] = a === null || b === null ? null : test(a, b);
    }
    return out;
  };
}
