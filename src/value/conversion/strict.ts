/**
 * `strict_builtin`: converts the stored values of a column that is replaced by a column of another type (docs/migrations.md). Only exact
 * conversions are allowed, with one exception: a decimal text becomes the nearest float64.
 */

import type { Int64 } from '../arithmetic/int64.ts';
import { ByteString, type Scalar } from '../datum.ts';
import { formatIdentifier, identifierLength, parseIdentifier } from '../identifier/format.ts';
import { parseFloat64, parseInt64Tolerant } from '../literal.ts';
import type { IdentifierFormat, ScalarType } from '../types.ts';
import { formatPositional } from './positional.ts';

/** The properties of a column that a conversion needs. */
export interface ConversionSide {
  readonly type: ScalarType;
  /** `uuid`, `ulid` or `xid` for a bytes column with identifier meaning. */
  readonly identifierFormat: IdentifierFormat | undefined;
  readonly nullable: boolean;
}

/** Returns the converted value; `undefined` if the value cannot be converted. */
export type Converter = (value: Scalar) => Scalar | undefined;

/** Returns the stateless converter of stored values of `from` to values of `to`. */
export function strictConverterOf(from: ConversionSide, to: ConversionSide): Converter {
  const convert = presentConverterOf(from, to);
  if (to.nullable) return (value) => (value === null ? null : convert(value));
  return (value) => (value === null ? undefined : convert(value));
}

/** Returns whether a rule for the two types exists. If not, no value can be converted. */
export function isConvertible(from: ConversionSide, to: ConversionSide): boolean {
  return presentConverterOf(from, to) !== noImage;
}

/** Returns why `value` cannot be converted. The text never contains the value. */
export function conversionTrouble(from: ConversionSide, to: ConversionSide, value: Scalar): string {
  if (value === null) return 'NULL in a column that becomes non-null';
  const [source, target] = [nameOf(from), nameOf(to)];
  return isConvertible(from, to)
    ? `the ${source} value has no exact ${target} image`
    : `${source} cannot be converted to ${target}`;
}

type Present = Exclude<Scalar, null>;
type PresentConverter = (value: Present) => Present | undefined;

function presentConverterOf(from: ConversionSide, to: ConversionSide): PresentConverter {
  if (from.type === 'bytes' && to.type === 'bytes') return relabelled(to.identifierFormat);
  if (from.type === to.type) return to.type === 'float64' ? finite : identity;
  if (from.type === 'text' && to.type === 'bytes') return identifierOf(to.identifierFormat);
  if (from.type === 'bytes' && to.type === 'text') return identifierText(from.identifierFormat);
  return rules[`${from.type} ${to.type}`] ?? noImage;
}

const rules: Readonly<Record<string, PresentConverter>> = {
  'text int64': (value) => parseInt64Tolerant(value as string),
  'text float64': (value) => parseFloat64(value as string),
  'text bool': (value) => (value === 'true' ? true : value === 'false' ? false : undefined),
  'float64 int64': (value) => exactInt64(value as number),
  'int64 float64': (value) => exactFloat64(value as Int64),
  'int64 text': String,
  'float64 text': (value) =>
    Number.isFinite(value) ? formatPositional(value as number) : undefined,
  'bool text': String,
};

const noImage: PresentConverter = () => undefined;
const identity: PresentConverter = (value) => value;
const finite: PresentConverter = (value) => (Number.isFinite(value) ? value : undefined);

const twoTo63 = 2 ** 63;

function exactInt64(value: number): Int64 | undefined {
  if (!Number.isInteger(value) || value < -twoTo63 || value >= twoTo63) return undefined;
  return Number.isSafeInteger(value) ? value + 0 : BigInt(value);
}

function exactFloat64(value: Int64): number | undefined {
  if (typeof value === 'number') return value;
  const nearest = Number(value);
  return BigInt(nearest) === value ? nearest : undefined;
}

/** Returns a converter that keeps the bytes and changes the format. The bytes must have the length of the format. */
function relabelled(format: IdentifierFormat | undefined): PresentConverter {
  return (value) => {
    const { bytes } = value as ByteString;
    if (format !== undefined && bytes.length !== identifierLength[format]) return undefined;
    return new ByteString(bytes, format);
  };
}

function identifierOf(format: IdentifierFormat | undefined): PresentConverter {
  if (format === undefined) return noImage;
  return (value) => {
    const bytes = parseIdentifier(format, value as string);
    return bytes && new ByteString(bytes, format);
  };
}

function identifierText(format: IdentifierFormat | undefined): PresentConverter {
  if (format === undefined) return noImage;
  return (value) => {
    const { bytes } = value as ByteString;
    return bytes.length === identifierLength[format] ? formatIdentifier(format, bytes) : undefined;
  };
}

function nameOf({ type, identifierFormat }: ConversionSide): string {
  return identifierFormat === undefined ? type : `${type} (${identifierFormat})`;
}
