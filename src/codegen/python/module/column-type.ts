/** Column types in Python. */

import type { ClientModel, ModelColumn } from '../../model/client-model.ts';
import type { Target } from '../../target/target.ts';
import type { TableNames } from './names.ts';

export interface ColumnType {
  /** Code of the type in the metadata. */
  readonly code: string;
  /** Python type of values that are not NULL. */
  readonly native: string;
  /** Class of the column's expressions. */
  readonly family: 'Num' | 'Text' | 'Bool' | 'Val';
}

const plain = {
  text: { code: 't', native: 'str', family: 'Text' },
  bool: { code: 'b', native: 'bool', family: 'Bool' },
  float64: { code: 'f', native: 'float', family: 'Num' },
  int64: { code: 'i', native: 'int', family: 'Num' },
  bytes: { code: 'x', native: 'bytes', family: 'Val' },
} as const;

const formats: Readonly<Record<string, ColumnType>> = {
  uuid: { code: 'u', native: 'UUID', family: 'Val' },
  ulid: { code: 'l', native: 'str', family: 'Val' },
  xid: { code: 'd', native: 'str', family: 'Val' },
};

function baseOf({ type, format }: ModelColumn, { unixMs }: Target): ColumnType {
  if (type === 'bytes') return formats[format ?? ''] ?? plain.bytes;
  if (type === 'int64' && format === 'unix_ms' && unixMs === 'native') {
    return { code: 'D', native: 'datetime', family: 'Val' };
  }
  return plain[type];
}

/** Returns the name of the identifier type of a column that contains identities, or `undefined` for other columns. */
export function brandOf(
  model: ClientModel,
  names: readonly TableNames[],
  column: ModelColumn,
): string | undefined {
  const { identity } = column;
  if (identity === undefined) return undefined;
  const type = names[identity.table]?.type ?? '';
  const [key = []] = model.tables[identity.table]?.keys ?? [];
  return key.length === 1 ? `${type}Id` : `${type}Id${key.indexOf(identity.column) + 1}`;
}

export function columnType(
  model: ClientModel,
  target: Target,
  names: readonly TableNames[],
  column: ModelColumn,
): ColumnType {
  const base = baseOf(column, target);
  const brand = target.ids === 'branded' ? brandOf(model, names, column) : undefined;
  if (brand === undefined) return base;
  // An identifier of a table has no operations for patterns or substrings.
  return { ...base, native: brand, family: base.family === 'Num' ? 'Num' : 'Val' };
}

/** Returns the native type without the identifier type of the table. */
export function bareType(column: ModelColumn, target: Target): string {
  return baseOf(column, target).native;
}

export const nullable = (native: string, isNullable: boolean) =>
  isNullable ? `${native} | None` : native;

/** Returns the type of an expression together with the type of its result, such as `svc.Num[int, int | None]`. */
export function expressionType({ native, family }: ColumnType, isNullable: boolean): string {
  const comes = nullable(native, isNullable);
  return family === 'Num' || family === 'Val'
    ? `svc.${family}[${native}, ${comes}]`
    : `svc.${family}[${comes}]`;
}
