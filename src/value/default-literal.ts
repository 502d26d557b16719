/** Converts the JSON value of a literal column default to the datum of its column (docs/pir.md §6). */

import { type Int64, toInt64 } from './arithmetic/int64.ts';
import { parseBase64 } from './base64.ts';
import { ByteString, type Scalar } from './datum.ts';
import { parseIdentifier } from './identifier/format.ts';
import { ExactNumber } from './json/exact-number.ts';
import type { IdentifierFormat, ScalarType } from './types.ts';

/** A default as parsed from JSON. Integers beyond 2^53 are bigints. */
export type DefaultLiteral = string | number | bigint | boolean | ExactNumber;

type ParsedDefault =
  | { readonly kind: 'value'; readonly value: Exclude<Scalar, null> }
  | { readonly kind: 'problem'; readonly detail: string };

/**
 * Converts `literal` to a value of `type`, or describes the problem. `format` is the identifier format of a bytes column, and becomes the
 * format of the value.
 */
export function parseDefaultLiteral(
  literal: DefaultLiteral,
  type: ScalarType,
  format?: IdentifierFormat,
): ParsedDefault {
  switch (typeof literal) {
    case 'string':
      return fromText(literal, type, format);
    case 'boolean':
      return type === 'bool' ? { kind: 'value', value: literal } : unfit('bool', type);
    default:
      return fromNumber(literal, type);
  }
}

function fromText(
  text: string,
  type: ScalarType,
  format: IdentifierFormat | undefined,
): ParsedDefault {
  if (type === 'text') {
    return text.isWellFormed() ? { kind: 'value', value: text } : problem('text is not Unicode');
  }
  if (type !== 'bytes') return unfit('string', type);
  const bytes = format === undefined ? parseBase64(text) : parseIdentifier(format, text);
  if (bytes !== undefined) return { kind: 'value', value: new ByteString(bytes, format) };
  return problem(
    format === undefined
      ? 'bytes default must be canonical padded base64'
      : `bytes default must be a canonical ${format}`,
  );
}

function fromNumber(literal: number | bigint | ExactNumber, type: ScalarType): ParsedDefault {
  const plain = literal instanceof ExactNumber ? literal.value : literal;
  if (type === 'float64') {
    const value = Number(plain);
    if (Number.isFinite(value)) return { kind: 'value', value };
    return problem('float default must be a finite float64');
  }
  const isInteger = typeof literal === 'bigint' || Number.isInteger(literal);
  if (type !== 'int64' || !isInteger) return unfit(isInteger ? 'integer' : 'float', type);
  const value = int64Of(plain);
  return value === undefined
    ? problem('integer default is out of range of int64')
    : { kind: 'value', value };
}

function int64Of(value: number | bigint): Int64 | undefined {
  if (typeof value === 'bigint') return toInt64(value);
  return Number.isSafeInteger(value) ? value + 0 : toInt64(BigInt(value));
}

function unfit(kind: string, type: ScalarType): ParsedDefault {
  return problem(`${kind} default on ${type} column (expected a ${type} value, got ${kind})`);
}

function problem(detail: string): ParsedDefault {
  return { kind: 'problem', detail };
}
