/** Conversions between SQL types: implicit, by assignment, and explicit casts. */

import { int64ToFloat64, type Scalar } from '#value';
import type { SqlValue } from '../compiled.ts';
import { sqlError } from '../sql-error.ts';
import { fitLength } from '../types/fit-length.ts';
import { type IntegerName, integerRanges } from '../types/number-text.ts';
import { cutName, readText } from '../types/read-text.ts';
import { lengthMax, plainTypeText, sqlTypes } from '../types/registry.ts';
import type { SqlType } from '../types/sql-type.ts';
import { offsetAt, utcOfLocal } from '../types/time/zone.ts';
import { writeText } from '../types/write-text.ts';
import { canBeNull } from './build.ts';
import {
  type Compilation,
  isTyped,
  type Operand,
  type Typed,
  type Untyped,
} from './compilation.ts';
import { type Conversion, expressionOfConversion } from './conversion.ts';

type CoercionContext = 'implicit' | 'assignment' | 'explicit';

type Category = 'number' | 'text' | 'bool' | 'time' | 'array' | 'other';

const categories: Readonly<Record<string, Category>> = {
  int2: 'number',
  int4: 'number',
  int8: 'number',
  oid: 'number',
  float4: 'number',
  float8: 'number',
  numeric: 'number',
  text: 'text',
  varchar: 'text',
  bpchar: 'text',
  name: 'text',
  bool: 'bool',
  date: 'time',
  timestamp: 'time',
  timestamptz: 'time',
};

export function categoryOf(type: SqlType): Category {
  return type.element !== undefined ? 'array' : (categories[type.name] ?? 'other');
}

const integerNames: ReadonlySet<string> = new Set(['int2', 'int4', 'int8']);

export function isInteger(type: SqlType): boolean {
  return integerNames.has(type.name);
}

export function isFloat(type: SqlType): boolean {
  // A parameter of type numeric is represented as a float8, which has all of its digits.
  return type.name === 'float8' || type.name === 'float4' || type.name === 'numeric';
}

/** Types that each type converts to without being asked, the nearest first. */
const implicit: Readonly<Record<string, readonly string[]>> = {
  int2: ['int4', 'int8', 'float4', 'float8', 'oid'],
  int4: ['int8', 'float4', 'float8', 'oid'],
  int8: ['float4', 'float8', 'oid'],
  float4: ['float8'],
  numeric: ['float4', 'float8'],
  date: ['timestamp', 'timestamptz'],
  timestamp: ['timestamptz'],
  varchar: ['text', 'bpchar', 'name'],
  text: ['varchar', 'bpchar', 'name'],
  bpchar: ['text', 'varchar', 'name'],
  name: ['text'],
};

const byAssignment: Readonly<Record<string, readonly string[]>> = {
  int4: ['int2'],
  int8: ['int2', 'int4'],
  oid: ['int4', 'int8'],
  float4: ['int2', 'int4', 'int8'],
  float8: ['int2', 'int4', 'int8', 'float4'],
  numeric: ['int2', 'int4', 'int8'],
  timestamp: ['date'],
  timestamptz: ['date', 'timestamp'],
  name: ['varchar', 'bpchar'],
  json: ['jsonb'],
  jsonb: ['json'],
};

const explicitly: Readonly<Record<string, readonly string[]>> = {
  bool: ['int4'],
  int4: ['bool'],
  jsonb: ['bool', 'int2', 'int4', 'int8', 'float4', 'float8'],
};

/** Returns whether PostgreSQL converts `from` to `to` in this context. */
export function canCoerce(from: SqlType, to: SqlType, context: CoercionContext): boolean {
  if (from.oid === to.oid) return true;
  if (from.element !== undefined && to.element !== undefined)
    return canCoerce(from.element, to.element, context);
  if (implicit[from.name]?.includes(to.name)) return true;
  if (context === 'implicit') return false;
  if (byAssignment[from.name]?.includes(to.name) || categoryOf(to) === 'text') return true;
  if (context === 'assignment') return false;
  return categoryOf(from) === 'text' || (explicitly[from.name]?.includes(to.name) ?? false);
}

/** Converts an operand to a type. An operand without a type gets it. */
export function coerce(
  compilation: Compilation,
  operand: Operand,
  to: SqlType,
  context: CoercionContext,
  location?: number,
): Typed {
  if (!isTyped(operand)) return typed(compilation, operand, to, context);
  const { type: from } = operand;
  if (from.oid === to.oid && (from.modifier === to.modifier || to.modifier === -1)) {
    return from.format === to.format && from.stored === to.stored
      ? operand
      : convert(compilation, operand, to, location, context);
  }
  if (!canCoerce(from, to, context)) {
    const message = `cannot cast type ${plainTypeText(from)} to ${plainTypeText(to)}`;
    throw compilation.error('42846', message, location);
  }
  return convert(compilation, operand, to, location, context);
}

/** Gives an operand without a type the type of its context. */
function typed(
  compilation: Compilation,
  { of, location }: Untyped,
  to: SqlType,
  context: CoercionContext,
): Typed {
  const setting = compilation.input.setting;
  switch (of.kind) {
    case 'null':
      return compilation.constant(to, null);
    case 'parameter': {
      const { number } = of;
      compilation.decideParameter(number, to, location);
      const at = number - 1;
      return fitted(
        compilation,
        compilation.value(to, ({ parameters }) => parameters[at] ?? null, true),
        context,
      );
    }
    default: {
      const { text, cut } = of;
      if (cut !== undefined) {
        const source = compilation.value(
          to,
          ({ literals }) => readText(to, literals[cut] as string, setting),
          false,
        );
        return fitted(compilation, source, context);
      }
      const value = located(compilation, location, () => readText(to, text, setting));
      return fitted(compilation, compilation.constant(to, value), context);
    }
  }
}

/** Cuts or refuses a text that is longer than its type allows. */
function fitted(compilation: Compilation, value: Typed, context: CoercionContext): Typed {
  const { type, source } = value;
  const isFree = lengthMax(type) === undefined && type.name !== 'bpchar';
  if (isFree || source === undefined) return value;
  const how = context === 'explicit' ? 'cast' : 'store';
  return compilation.value(
    type,
    (values) => {
      const text = source(values);
      return text === null ? null : fittedText(type, text as string, how);
    },
    value.nullable,
  );
}

/** Adds the location to an error of a text. */
function located<Result>(
  compilation: Compilation,
  location: number | undefined,
  read: () => Result,
): Result {
  try {
    return read();
  } catch (error) {
    throw compilation.withLocation(error, location);
  }
}

function convert(
  compilation: Compilation,
  operand: Typed,
  to: SqlType,
  location: number | undefined,
  context: CoercionContext,
): Typed {
  const conversion = conversionOf(compilation, operand.type, to, context, location);
  const { source } = operand;
  if (source !== undefined) {
    return compilation.value(
      to,
      (values) => {
        const value = source(values);
        return value === null ? null : conversion.scalar(value);
      },
      operand.nullable,
    );
  }
  const expr = expressionOfConversion(compilation, operand, to, conversion, location);
  return { type: to, expr, nullable: canBeNull(expr, operand.nullable) };
}

const dayMs = 86_400_000;

function conversionOf(
  compilation: Compilation,
  from: SqlType,
  to: SqlType,
  context: CoercionContext,
  location: number | undefined,
): Conversion {
  const { setting } = compilation.input;
  if (from.element !== undefined && to.element !== undefined) {
    const { scalar } = conversionOf(compilation, from.element, to.element, context, location);
    return { kind: 'elements', to, scalar: (value) => mapped(value, scalar) };
  }
  if (isInteger(to) || to.name === 'oid') {
    if (isInteger(from) || from.name === 'oid') return integerConversion(from, to);
    if (isFloat(from)) {
      return { kind: 'round', to, scalar: (value) => inRange(to, roundHalfEven(value as number)) };
    }
    if (from.name === 'bool')
      return { kind: 'bool_to_int', to, scalar: (value) => (value ? 1 : 0) };
  }
  if (isFloat(to) && (isInteger(from) || isFloat(from) || from.name === 'oid')) {
    return floatConversion(from, to);
  }
  if (to.name === 'bool' && isInteger(from)) {
    return { kind: 'int_to_bool', to, scalar: (value) => Number(value) !== 0 };
  }
  if (categoryOf(from) === 'time' && categoryOf(to) === 'time') {
    return timeConversion(from, to, setting.timeZone);
  }
  if (categoryOf(to) === 'text' && from.stored === 'text' && to.stored === 'text') {
    return textConversion(from, to, context);
  }
  if (categoryOf(to) === 'text' && to.stored === 'text') {
    return {
      kind: 'to_text',
      to,
      scalar: (value) => (from.name === 'bool' ? String(value) : writeText(from, value, setting)),
    };
  }
  if (categoryOf(from) === 'text' || to.name === 'json' || to.name === 'jsonb') {
    return {
      kind: 'from_text',
      to,
      scalar: (value) =>
        readText(
          to,
          from.stored === 'text' ? (value as string) : writeText(from, value, setting),
          setting,
        ),
    };
  }
  throw compilation.unsupported(
    `a cast from ${plainTypeText(from)} to ${plainTypeText(to)}`,
    location,
  );
}

/** Converts the elements of an array. */
function mapped(value: SqlValue, scalar: Conversion['scalar']): SqlValue {
  if (value === null) return null;
  return Array.isArray(value) ? value.map((item) => mapped(item, scalar)) : scalar(value);
}

function integerConversion(from: SqlType, to: SqlType): Conversion {
  const widths: Readonly<Record<string, number>> = { int2: 2, int4: 4, oid: 4.5, int8: 8 };
  const isWider = (widths[from.name] as number) <= (widths[to.name] as number) && to.name !== 'oid';
  if (isWider) return { kind: 'same', to, scalar: (value) => value };
  return { kind: 'narrow', to, scalar: (value) => inRange(to, value as number | bigint) };
}

function floatConversion(from: SqlType, to: SqlType): Conversion {
  const isSingle = to.name === 'float4';
  const scalar = (value: SqlValue) => {
    const double = isFloat(from) ? (value as number) : int64ToFloat64(value as number | bigint);
    return isSingle ? Math.fround(double) : double;
  };
  if (isSingle && from.name !== 'float4') return { kind: 'to_single', to, scalar };
  return { kind: isFloat(from) ? 'same' : 'cast', to, scalar };
}

function textConversion(from: SqlType, to: SqlType, context: CoercionContext): Conversion {
  const max = lengthMax(to);
  const isFree = max === undefined || (lengthMax(from) ?? Number.POSITIVE_INFINITY) <= max;
  const how = context === 'explicit' ? 'cast' : 'store';
  const isSame = from.name === to.name || (to.name !== 'bpchar' && to.name !== 'name');
  const kind = !isFree ? (how === 'cast' ? 'cut' : 'fit') : isSame ? 'same' : to.name;
  return {
    kind: kind as Conversion['kind'],
    to,
    scalar: (value) => fittedText(to, value as string, how),
  };
}

/** Returns the text as the type stores it: without spaces at the end for `char(n)`, where PostgreSQL ignores them. */
function fittedText(type: SqlType, text: string, how: 'cast' | 'store'): string {
  if (type.name === 'name') return cutName(text);
  const fitting = fitLength(type, text, how);
  return type.name === 'bpchar' ? fitting.replace(/ +$/, '') : fitting;
}

function timeConversion(from: SqlType, to: SqlType, zone: string): Conversion {
  const scalar = (value: SqlValue): SqlValue => {
    const ms = Number(value);
    const local =
      from.name === 'timestamptz' && to.name !== from.name ? ms + offsetAt(zone, ms) : ms;
    const cut = to.name === 'date' ? Math.floor(local / dayMs) * dayMs : local;
    return to.name === 'timestamptz' && from.name !== to.name ? utcOfLocal(zone, cut) : cut;
  };
  const isZoned = (from.name === 'timestamptz') !== (to.name === 'timestamptz');
  const isFixed = !isZoned || zone === 'UTC' || zone === 'GMT';
  const isCut = to.name === 'date' && from.name !== 'date';
  const kind = !isFixed ? 'zoned' : isCut ? 'day' : 'same';
  return { kind, to, scalar };
}

/** Rounds to the nearest integer, and halves to the even one. */
function roundHalfEven(value: number): bigint {
  const floor = Math.floor(value);
  const rest = value - floor;
  const isUp = rest > 0.5 || (rest === 0.5 && floor % 2 !== 0);
  return BigInt(isUp ? floor + 1 : floor);
}

/** Returns the integer, or throws if the type cannot represent it. */
export function inRange(type: SqlType, value: number | bigint): Scalar {
  const { min, max, text } = integerRanges[type.name as IntegerName];
  const exact = BigInt(value);
  if (exact < min || exact > max) throw sqlError('22003', `${text} out of range`);
  return Number.isSafeInteger(Number(exact)) ? Number(exact) : exact;
}

/** Returns an operand with a type. Without a context that is text. */
export function settled(compilation: Compilation, operand: Operand): Typed {
  return isTyped(operand) ? operand : coerce(compilation, operand, sqlTypes.text, 'implicit');
}
