/** The types that svc has, with the numbers and names of PostgreSQL 15. */

import type { IdentifierFormat, ScalarType } from '#value';
import type { SqlType, SqlTypeName } from './sql-type.ts';

interface BaseType {
  readonly name: SqlTypeName;
  readonly oid: number;
  readonly arrayOid: number;
  readonly length: number;
  readonly stored: ScalarType;
  readonly format?: IdentifierFormat;
  /** The name that PostgreSQL prints, if it is not `name`. */
  readonly text?: string;
}

const baseTypes: readonly BaseType[] = [
  { name: 'bool', oid: 16, arrayOid: 1000, length: 1, stored: 'bool', text: 'boolean' },
  { name: 'bytea', oid: 17, arrayOid: 1001, length: -1, stored: 'bytes' },
  { name: 'name', oid: 19, arrayOid: 1003, length: 64, stored: 'text' },
  { name: 'int8', oid: 20, arrayOid: 1016, length: 8, stored: 'int64', text: 'bigint' },
  { name: 'int2', oid: 21, arrayOid: 1005, length: 2, stored: 'int64', text: 'smallint' },
  { name: 'int4', oid: 23, arrayOid: 1007, length: 4, stored: 'int64', text: 'integer' },
  { name: 'text', oid: 25, arrayOid: 1009, length: -1, stored: 'text' },
  { name: 'oid', oid: 26, arrayOid: 1028, length: 4, stored: 'int64' },
  { name: 'json', oid: 114, arrayOid: 199, length: -1, stored: 'text' },
  { name: 'float4', oid: 700, arrayOid: 1021, length: 4, stored: 'float64', text: 'real' },
  {
    name: 'float8',
    oid: 701,
    arrayOid: 1022,
    length: 8,
    stored: 'float64',
    text: 'double precision',
  },
  { name: 'unknown', oid: 705, arrayOid: 0, length: -2, stored: 'text' },
  { name: 'bpchar', oid: 1042, arrayOid: 1014, length: -1, stored: 'text', text: 'character' },
  {
    name: 'varchar',
    oid: 1043,
    arrayOid: 1015,
    length: -1,
    stored: 'text',
    text: 'character varying',
  },
  { name: 'date', oid: 1082, arrayOid: 1182, length: 4, stored: 'int64' },
  {
    name: 'timestamp',
    oid: 1114,
    arrayOid: 1115,
    length: 8,
    stored: 'int64',
    text: 'timestamp without time zone',
  },
  {
    name: 'timestamptz',
    oid: 1184,
    arrayOid: 1185,
    length: 8,
    stored: 'int64',
    text: 'timestamp with time zone',
  },
  { name: 'interval', oid: 1186, arrayOid: 1187, length: 16, stored: 'text' },
  { name: 'numeric', oid: 1700, arrayOid: 1231, length: -1, stored: 'float64' },
  { name: 'void', oid: 2278, arrayOid: 0, length: 4, stored: 'text' },
  { name: 'uuid', oid: 2950, arrayOid: 2951, length: 16, stored: 'bytes', format: 'uuid' },
  { name: 'jsonb', oid: 3802, arrayOid: 3807, length: -1, stored: 'text' },
];

const byName = new Map<string, SqlType>();
const byOid = new Map<number, SqlType>();
const arrayByElement = new Map<number, SqlType>();
const texts = new Map<number, string>();

for (const { name, oid, arrayOid, length, stored, format, text } of baseTypes) {
  const type: SqlType = { oid, name, modifier: -1, length, stored, ...(format && { format }) };
  byName.set(name, type);
  byOid.set(oid, type);
  texts.set(oid, text ?? name);
  if (arrayOid === 0) continue;
  const array: SqlType = {
    oid: arrayOid,
    name: `_${name}`,
    modifier: -1,
    length: -1,
    stored: 'text',
    element: type,
  };
  byName.set(array.name, array);
  byOid.set(arrayOid, array);
  arrayByElement.set(oid, array);
}

/** All types, arrays included, in ascending order of their numbers. */
export const allTypes: readonly SqlType[] = [...byOid.values()].sort(
  (left, right) => left.oid - right.oid,
);

/** The types by their names in `pg_type`, without modifiers. */
export const sqlTypes = Object.fromEntries(byName) as Readonly<Record<SqlTypeName, SqlType>>;

export function typeByOid(oid: number): SqlType | undefined {
  return byOid.get(oid);
}

/** Finds a type by its name in `pg_type`, such as `int4` or `_text`. */
export function typeByName(name: string): SqlType | undefined {
  return byName.get(name);
}

/** Returns the type of arrays of `element`; `undefined` for arrays of arrays, which are of the same type, and for pseudo-types. */
export function arrayOf(element: SqlType): SqlType | undefined {
  const array = arrayByElement.get(element.oid);
  if (array === undefined || element.modifier === -1) return array;
  return { ...array, modifier: element.modifier, element };
}

/** Returns the type with another modifier, which is that of the elements if the type is an array. */
export function withModifier(type: SqlType, modifier: number): SqlType {
  if (type.modifier === modifier) return type;
  const element = type.element && withModifier(type.element, modifier);
  return { ...type, modifier, ...(element && { element }) };
}

/** Returns the name that PostgreSQL prints in errors, without modifiers, such as `character varying` or `integer[]`. */
export function plainTypeText(type: SqlType): string {
  return type.element ? `${plainTypeText(type.element)}[]` : (texts.get(type.oid) as string);
}

/** Returns the text of a type as `format_type` does, such as `character varying(20)` or `timestamp(3) without time zone`. */
export function typeText(type: SqlType): string {
  if (type.element) return `${typeText(type.element)}[]`;
  const text = plainTypeText(type);
  const { modifier } = type;
  switch (type.name) {
    case 'bpchar':
      return modifier < 0 ? 'bpchar' : `${text}(${modifier - 4})`;
    case 'varchar':
      return modifier < 0 ? text : `${text}(${modifier - 4})`;
    case 'numeric': {
      const { precision, scale } = numericModifier(type);
      return modifier < 0 ? text : `${text}(${precision},${scale})`;
    }
    case 'timestamp':
    case 'timestamptz':
      return modifier < 0 ? text : text.replace('timestamp', `timestamp(${modifier})`);
    default:
      return text;
  }
}

/** Returns the digits of `numeric(precision,scale)`. */
export function numericModifier(type: SqlType): { precision: number; scale: number } {
  const packed = type.modifier - 4;
  // The scale has 11 bits, the highest of which is its sign.
  return { precision: (packed >> 16) & 0xffff, scale: ((packed & 0x7ff) ^ 1024) - 1024 };
}

/** Returns the greatest number of characters of a `varchar(n)` or `char(n)`; `undefined` if there is none. */
export function lengthMax(type: SqlType): number | undefined {
  const isText = type.name === 'varchar' || type.name === 'bpchar';
  return isText && type.modifier >= 0 ? type.modifier - 4 : undefined;
}
