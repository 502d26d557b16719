/** The SQL type of a column of the catalog, and the label that a declared type leaves on its column. */

import type { IdentifierFormat, ScalarType } from '#value';
import { numericModifier, sqlTypes, withModifier } from './registry.ts';
import type { SqlType, SqlTypeName } from './sql-type.ts';

interface TypedColumn {
  readonly type: ScalarType;
  readonly format?: string | undefined;
  readonly identifierFormat?: IdentifierFormat | undefined;
}

const plainTypes: Readonly<Record<ScalarType, SqlType>> = {
  text: sqlTypes.text,
  int64: sqlTypes.int8,
  float64: sqlTypes.float8,
  bool: sqlTypes.bool,
  bytes: sqlTypes.bytea,
};

/** Labels, by the types that columns with such a label have in storage. A label with digits has a modifier. */
const labels: Readonly<Record<ScalarType, readonly SqlTypeName[]>> = {
  text: ['varchar', 'bpchar', 'name', 'json', 'jsonb'],
  int64: ['int4', 'int2', 'oid', 'timestamp', 'timestamptz', 'date'],
  float64: ['float4'],
  bool: [],
  bytes: ['uuid'],
};

const labelPattern = /^([a-z0-9]+?)(?:\((\d{1,9})\))?$/;
const timePrecisionMax = 6;

/**
 * Returns the SQL type of a column. A label that is not known, or that does not fit the stored type, has no effect. `unixMs` selects the type of
 * columns with the format `unix_ms`.
 */
export function columnType(column: TypedColumn, unixMs: 'timestamptz' | 'int8'): SqlType {
  const { type, format, identifierFormat } = column;
  if (identifierFormat === 'ulid' || identifierFormat === 'xid') {
    return { ...sqlTypes.text, stored: 'bytes', format: identifierFormat };
  }
  if (format === undefined) return plainTypes[type];
  if (format === 'unix_ms' && type === 'int64') return sqlTypes[unixMs];
  return typeOfLabel(type, format) ?? plainTypes[type];
}

function typeOfLabel(stored: ScalarType, label: string): SqlType | undefined {
  const [, name, digits] = labelPattern.exec(label) ?? [];
  const known = labels[stored].find((one) => one === name);
  if (known === undefined) return undefined;
  const type = sqlTypes[known];
  if (digits === undefined) return type;
  const modifier = modifierOf(known, Number(digits));
  return modifier === undefined ? undefined : withModifier(type, modifier);
}

function modifierOf(name: SqlTypeName, digits: number): number | undefined {
  if (name === 'varchar' || name === 'bpchar') return digits > 0 ? digits + 4 : undefined;
  const isTime = name === 'timestamp' || name === 'timestamptz';
  return isTime && digits <= timePrecisionMax ? digits : undefined;
}

/** Returns the label of a column that is declared with `type`; `undefined` if the stored type alone says it. */
export function labelOf(type: SqlType): string | undefined {
  const { name, modifier } = type;
  switch (name) {
    case 'text':
      return type.format;
    case 'timestamptz':
      return modifier < 0 ? 'unix_ms' : `timestamptz(${modifier})`;
    case 'timestamp':
      return modifier < 0 ? name : `timestamp(${modifier})`;
    case 'varchar':
    case 'bpchar':
      return modifier < 0 ? name : `${name}(${modifier - 4})`;
    case 'numeric': {
      const { precision, scale } = numericModifier(type);
      return modifier < 0 ? name : `numeric(${precision},${scale})`;
    }
    default:
      return plainTypes[type.stored].name === name ? undefined : name;
  }
}
