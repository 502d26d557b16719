/** Checks of strings, numbers and booleans. Text is well-formed Unicode everywhere. */

import { ExactNumber, int64Max, int64Min, isBase64 } from '#value';
import type { Check } from './check.ts';
import type { JsonSchema } from './json-schema.ts';
import { listOf, quote, suggest } from './wording.ts';

export const illFormed = 'text must be well-formed Unicode: it has a lone surrogate';

export function compileString(schema: JsonSchema): Check {
  if (schema.format === 'identifier') return checkIdentifier;
  if (schema.contentEncoding === 'base64') return checkBase64;
  if (schema.pattern !== undefined) return compilePattern(schema.pattern);
  return schema.minLength === undefined ? checkText : checkNonEmptyText;
}

const checkText: Check = (value, depth, report) => {
  if (typeof value !== 'string') report.expectedText(depth, 'a string', value);
  else if (!value.isWellFormed()) report.found(depth, illFormed);
};

const checkNonEmptyText: Check = (value, depth, report) => {
  if (typeof value !== 'string' || value === '')
    report.expected(depth, 'a non-empty string', value);
  else if (!value.isWellFormed()) report.found(depth, illFormed);
};

function compilePattern(source: string): Check {
  const pattern = new RegExp(source);
  return (value, depth, report) => {
    if (typeof value !== 'string') report.expectedText(depth, 'a string', value);
    else if (!pattern.test(value)) report.found(depth, `the string must match ${source}`);
  };
}

const nameBytesMax = 255;
const control = /\p{Cc}/u;

const checkIdentifier: Check = (value, depth, report) => {
  if (typeof value !== 'string' || value === '') report.expected(depth, 'a name', value);
  else if (!value.isWellFormed()) report.found(depth, illFormed);
  else if (control.test(value)) report.found(depth, 'a name must not contain control characters');
  else if (Buffer.byteLength(value) > nameBytesMax)
    report.found(depth, `a name must have at most ${nameBytesMax} bytes of UTF-8`);
};

const checkBase64: Check = (value, depth, report) => {
  if (typeof value !== 'string') report.expected(depth, 'a string of base64', value);
  else if (!isBase64(value)) report.foundPayload(depth, notBase64);
};

export const notBase64 =
  'expected canonical padded base64; encode the bytes of a uuid, ulid or xid, not its text';

export function compileEnum(values: readonly string[]): Check {
  const allowed = new Set<unknown>(values);
  return (value, depth, report) => {
    if (allowed.has(value)) return;
    if (typeof value === 'string')
      report.found(depth, `unknown value ${quote(value)}${suggest(value, values)}`);
    else report.expected(depth, `one of ${listOf(values)}`, value);
  };
}

export function compileConst(constant: unknown): Check {
  return (value, depth, report) => {
    if (value !== constant) report.expected(depth, JSON.stringify(constant), value);
  };
}

/** Compiles the check of an integer. Integers beyond 2^53 are `bigint`. */
export function compileInteger({ minimum, maximum, format }: JsonSchema): Check {
  const least = minimum ?? -Infinity;
  const most = maximum ?? (format === 'int64' ? 2 ** 63 : Infinity);
  const wanted = integerWords(minimum, maximum);
  return (value, depth, report) => {
    if (typeof value === 'number') {
      if (Number.isInteger(value) && value >= least && value <= most) return;
    } else if (typeof value === 'bigint') {
      const inRange = value <= int64Max && value >= int64Min;
      if (inRange && value >= least && value <= most) return;
    } else {
      report.expected(depth, wanted, value);
      return;
    }
    report.found(depth, `expected ${wanted}`);
  };
}

function integerWords(minimum: number | undefined, maximum: number | undefined): string {
  if (minimum === undefined) return 'an integer';
  if (maximum === undefined) return `an integer of at least ${minimum}`;
  return `an integer from ${minimum} to ${maximum}`;
}

export const checkBoolean: Check = (value, depth, report) => {
  if (typeof value !== 'boolean') report.expected(depth, 'true or false', value);
};

const typeWords: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  boolean: 'a boolean',
  null: 'null',
  object: 'an object',
};

/** Compiles the check for one of several JSON types, without further rules. */
export function compileTypes(types: readonly string[]): Check {
  const wanted = types.map((type) => typeWords[type] ?? type).join(' or ');
  return (value, depth, report) => {
    if (!types.includes(jsonTypeOf(value))) {
      if (types.includes('string')) report.expectedText(depth, wanted, value);
      else report.expected(depth, wanted, value);
    } else if (typeof value === 'string' && !value.isWellFormed()) {
      report.found(depth, illFormed);
    }
  };
}

function jsonTypeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'bigint' || value instanceof ExactNumber ? 'number' : typeof value;
}
