/** Conversions of types as expressions of LIR. */

import type { Expression } from '#lir';
import type { SqlValue } from '../compiled.ts';
import { type IntegerName, integerRanges } from '../types/number-text.ts';
import { lengthMax, plainTypeText } from '../types/registry.ts';
import type { SqlType } from '../types/sql-type.ts';
import { binary, integer, shared } from './build.ts';
import { call, hasCall } from './calls.ts';
import type { Compilation, Typed } from './compilation.ts';

/** How a value becomes one of another type. */
export interface Conversion {
  readonly kind:
    | 'same'
    | 'cast'
    | 'narrow'
    | 'round'
    | 'bool_to_int'
    | 'int_to_bool'
    | 'to_single'
    | 'cut'
    | 'fit'
    | 'bpchar'
    | 'name'
    | 'to_text'
    | 'from_text'
    | 'day'
    | 'zoned'
    | 'elements';
  readonly to: SqlType;
  /** Converts a value that is not NULL. */
  readonly scalar: (value: SqlValue) => SqlValue;
}

export function expressionOfConversion(
  compilation: Compilation,
  operand: Typed,
  to: SqlType,
  { kind }: Conversion,
  location: number | undefined,
): Expression {
  const { expr, type: from } = operand;
  switch (kind) {
    case 'same':
      return expr;
    case 'cast':
      return { kind: 'cast', expr, to: to.stored };
    case 'narrow':
      if (to.name !== 'oid') return narrowed(expr, to);
      break;
    case 'bool_to_int':
      return shared(compilation, [operand], ([value]) => boolToInt(value as Expression));
    case 'int_to_bool':
      return binary('ne', expr, integer(0));
    case 'round':
      if (hasCall('round_int64')) return narrowed(call('round_int64', expr), to);
      break;
    case 'to_text':
      if (hasCall('to_text') && hasSameText(operand)) return cut(call('to_text', expr), to);
      break;
    case 'cut':
      return cut(expr, to);
    case 'bpchar':
      return call('rtrim', expr);
    case 'day':
      return shared(compilation, [operand], ([value]) => startOfDay(value as Expression));
    case 'from_text': {
      const fn = parsers[to.name];
      if (fn === undefined || !hasCall(fn)) break;
      const parsed = call(fn, expr);
      return to.name === 'int2' || to.name === 'int4' ? narrowed(parsed, to) : parsed;
    }
    default:
  }
  throw compilation.unsupported(
    `a cast from ${plainTypeText(from)} to ${plainTypeText(to)} of a value that is not constant`,
    location,
  );
}

const parsers: Readonly<Record<string, string>> = {
  int2: 'parse_int64',
  int4: 'parse_int64',
  int8: 'parse_int64',
  float8: 'parse_float64',
  bool: 'parse_bool',
};

/** Whether `to_text` of the stored type writes values as the SQL type does. */
function hasSameText({ type, tableId }: Typed): boolean {
  // Bytes have the format of an identifier only if they come from a column.
  if (type.format !== undefined) return tableId !== undefined;
  return ['int2', 'int4', 'int8', 'oid', 'float8', 'bool', 'bytea'].includes(type.name);
}

/** Cuts a text to the length of its type. */
function cut(expr: Expression, type: SqlType): Expression {
  const max = lengthMax(type);
  const short = max === undefined ? expr : call('left', expr, integer(max));
  return type.name === 'bpchar' ? call('rtrim', short) : short;
}

const dayMs = 86_400_000;

/** Returns the beginning of a day in milliseconds. Division truncates, also before 1970. */
function startOfDay(value: Expression): Expression {
  const days = (from: Expression) =>
    binary('mul', binary('div', from, integer(dayMs)), integer(dayMs));
  const when = binary('lt', value, integer(0));
  const then = days(binary('sub', value, integer(dayMs - 1)));
  return { kind: 'branch', branches: [{ when, then }], else: days(value) };
}

function boolToInt(value: Expression): Expression {
  const zero = { when: { kind: 'unary', op: 'not', expr: value }, then: integer(0) } as const;
  const none: Expression = { kind: 'lit', value: { type: 'int64' } };
  return { kind: 'branch', branches: [{ when: value, then: integer(1) }, zero], else: none };
}

/**
 * Checks the range of a narrower integer type by arithmetic that overflows outside of it: the sum with the difference of the two maxima, and
 * the difference of the two minima.
 */
export function narrowed(expr: Expression, type: SqlType): Expression {
  const { min, max } = integerRanges[type.name as IntegerName];
  const above = integer(2n ** 63n - 1n - max);
  const below = integer(2n ** 63n + min);
  if (type.name === 'int8') return expr;
  const bounded = binary('sub', binary('add', expr, above), above);
  return binary('add', binary('sub', bounded, below), below);
}
