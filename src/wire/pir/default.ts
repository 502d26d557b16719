/** Checks column defaults against the type and format of their column (docs/pir.md §6), which a grammar cannot express. */

import type { ColumnDefault, GeneratorFunction } from '#catalog';
import {
  type DefaultLiteral,
  type IdentifierFormat,
  identifierFormats,
  parseDefaultLiteral,
  type ScalarType,
} from '#value';
import type { Check } from '../check/check.ts';

interface ColumnShape {
  readonly type: ScalarType;
  readonly format?: string;
  readonly default?: ColumnDefault;
}

/** Checks the default of a column or replacement definition. */
export const checkDefault: Check = (value, depth, report) => {
  const column = value as ColumnShape;
  if (column.default === undefined) return;
  const complaint = defaultComplaint(column.type, column.format, column.default);
  if (complaint === undefined) return;
  report.path[depth] = 'default';
  report.path[depth + 1] = column.default.kind === 'generator' ? 'func' : 'value';
  report.foundPayload(depth + 2, complaint);
};

/** Returns the reason why a column of this type and format cannot have the default, `undefined` if it can. */
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

function literalComplaint(
  type: ScalarType,
  format: string | undefined,
  value: DefaultLiteral,
): string | undefined {
  const identifier = identifierFormats.find((known) => known === format && type === 'bytes');
  const parsed = parseDefaultLiteral(value, type, identifier);
  return parsed.kind === 'problem' ? parsed.detail : undefined;
}
