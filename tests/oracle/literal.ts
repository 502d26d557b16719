/** Literals, cells and literal adoption (docs/lir.md §6.1). */

import type { Literal } from '#lir';
import { invalid } from './problem.ts';
import type { Scalar } from './relation.ts';
import { Bytes, type Value } from './value.ts';

const integer = /^-?(0|[1-9][0-9]*)$/;
const looseInteger = /^[+-]?[0-9]+$/;
const decimal = /^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$/;

export function literalValue(literal: Literal): Value {
  if (literal.value === undefined) return null;
  if (literal.type === 'bool') return literal.value;
  return parseAs(literal.type, literal.value, integer);
}

/** A literal beside an operand of type `other`. */
export function adoptLiteral(literal: Literal, other: Scalar): Value {
  if (literal.value === undefined) return null;
  const isNumber = literal.type === 'int64' || literal.type === 'float64';
  if (isNumber && (other === 'int64' || other === 'float64')) {
    return parseAs(other, literal.value as string, integer);
  }
  if (literal.type !== other) throw invalid('type_mismatch', 'literal');
  return literalValue(literal);
}

export function cellValue(type: Scalar, cell: string | null): Value {
  if (cell === null) return null;
  if (type !== 'bool') return parseAs(type, cell, looseInteger);
  if (cell === 'true') return true;
  if (cell === 'false') return false;
  throw invalid('schema_violation', 'bool cell');
}

function parseAs(type: Scalar, text: string, integers: RegExp): Value {
  switch (type) {
    case 'int64': {
      const value = integers.test(text) ? BigInt(text.replace('+', '')) : undefined;
      if (value === undefined || !isInt64(value)) throw invalid('type_mismatch', 'int64');
      return value;
    }
    case 'float64': {
      const value = decimal.test(text) ? Number(text) : Number.NaN;
      if (!Number.isFinite(value)) throw invalid('type_mismatch', 'finite float64');
      return value;
    }
    case 'bytes': {
      const data = Buffer.from(text, 'base64');
      if (data.toString('base64') !== text) throw invalid('schema_violation', 'base64');
      return new Bytes(new Uint8Array(data));
    }
    default:
      return text;
  }
}

export function isInt64(value: bigint): boolean {
  return value >= -(2n ** 63n) && value < 2n ** 63n;
}
