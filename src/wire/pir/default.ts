/** Column defaults against the column they stand in (pir.md §1.3): what only both together can tell. */

import type { ColumnDefault, GeneratorFunction } from '#catalog';
import { type IdentifierFormat, identifierFormats, type ScalarType } from '#value';
import type { Check } from '../check/check.ts';
import { isCanonicalBase64, notBase64 } from '../check/scalar.ts';

interface ColumnShape {
  readonly type: ScalarType;
  readonly format?: string;
  readonly default?: ColumnDefault;
}

/** Of a column or replacement definition. */
export const checkDefault: Check = (value, depth, report) => {
  const column = value as ColumnShape;
  if (column.default === undefined) return;
  const complaint = defaultComplaint(column.type, column.format, column.default);
  if (complaint === undefined) return;
  report.path[depth] = 'default';
  report.path[depth + 1] = column.default.kind === 'generator' ? 'func' : 'value';
  report.foundPayload(depth + 2, complaint);
};

/** Why a column of this type and format cannot have the default; undefined when it can. */
export function defaultComplaint(
  type: ScalarType,
  format: string | undefined,
  given: ColumnDefault,
): string | undefined {
  return given.kind === 'generator'
    ? generatorComplaint(type, format, given.func)
    : literalComplaint(type, format, given.value);
}

const generatorFormats: Readonly<Partial<Record<GeneratorFunction, IdentifierFormat>>> = {
  uuid_v4: 'uuid',
  uuid_v7: 'uuid',
  ulid: 'ulid',
  xid: 'xid',
};

function generatorComplaint(
  type: ScalarType,
  format: string | undefined,
  func: GeneratorFunction,
): string | undefined {
  const wanted = generatorFormats[func];
  if (wanted === undefined) {
    return type === 'int64' ? undefined : `${func} is for int64 columns, not for ${type}`;
  }
  if (type === 'bytes' && format === wanted) return undefined;
  return `${func} is for bytes columns of format ${wanted}`;
}

type LiteralValue = Extract<ColumnDefault, { readonly kind: 'literal' }>['value'];

function literalComplaint(
  type: ScalarType,
  format: string | undefined,
  value: LiteralValue,
): string | undefined {
  switch (type) {
    case 'text':
      return typeof value === 'string' ? undefined : 'the default of a text column is a string';
    case 'bool':
      return typeof value === 'boolean' ? undefined : 'the default of a bool column is a boolean';
    case 'int64':
      return isInt64(value) ? undefined : 'the default of an int64 column is an integer in range';
    case 'float64':
      return isFinite64(value) ? undefined : 'the default of a float64 column is a finite number';
    case 'bytes':
      return bytesComplaint(format, value);
  }
}

function isInt64(value: LiteralValue): boolean {
  if (typeof value === 'bigint') return BigInt.asIntN(64, value) === value;
  return Number.isSafeInteger(value);
}

function isFinite64(value: LiteralValue): boolean {
  return typeof value === 'bigint' ? Number.isFinite(Number(value)) : Number.isFinite(value);
}

/** Canonical text only, and no bits beyond those of the identifier. */
const identifierTexts: Readonly<Record<IdentifierFormat, RegExp>> = {
  uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
  ulid: /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/,
  xid: /^[0-9a-v]{19}[0g]$/,
};

function bytesComplaint(format: string | undefined, value: LiteralValue): string | undefined {
  if (typeof value !== 'string') return 'the default of a bytes column is a string';
  const known = identifierFormats.find((candidate) => candidate === format);
  if (known === undefined) return isCanonicalBase64(value) ? undefined : notBase64;
  return identifierTexts[known].test(value) ? undefined : `expected canonical ${known} text`;
}
