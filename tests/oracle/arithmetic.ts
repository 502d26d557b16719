/** Exact int64 by bigint, float64 by IEEE 754 with finite results only (docs/lir.md §6.5). */

import { isInt64 } from './literal.ts';
import { failed } from './problem.ts';
import type { Value } from './value.ts';

export function arithmetic(op: string, a: Value, b: Value): Value {
  if (typeof a === 'bigint') return integers(op, a, b as bigint);
  if (op === 'div' && b === 0) throw failed('division_by_zero');
  return finite(floats(op, a as number, b as number));
}

function integers(op: string, a: bigint, b: bigint): bigint {
  switch (op) {
    case 'add':
      return inRange(a + b);
    case 'sub':
      return inRange(a - b);
    case 'mul':
      return inRange(a * b);
    default:
      if (b === 0n) throw failed('division_by_zero');
      return inRange(a / b);
  }
}

function floats(op: string, a: number, b: number): number {
  switch (op) {
    case 'add':
      return a + b;
    case 'sub':
      return a - b;
    case 'mul':
      return a * b;
    default:
      return a / b;
  }
}

export function negate(value: Value): Value {
  return typeof value === 'bigint' ? inRange(-value) : -(value as number);
}

export function castValue(value: Value, to: string): Value {
  if (typeof value === 'bigint') return to === 'float64' ? Number(value) : value;
  if (typeof value !== 'number' || to === 'float64') return value;
  return inRange(BigInt(Math.trunc(value)));
}

export function inRange(value: bigint): bigint {
  if (!isInt64(value)) throw failed('numeric_overflow');
  return value;
}

export function finite(value: number): number {
  if (!Number.isFinite(value)) throw failed('numeric_overflow');
  return value;
}
