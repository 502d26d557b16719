/** Types and a plain text form for tests that do not need the ones of SQL. */

import type { TextConversion } from '../../../src/postgres/format/text-conversion.ts';
import type { SqlType, SqlTypeName } from '../../../src/sql/index.ts';
import type { Scalar } from '../../../src/value/index.ts';

const known: Readonly<
  Partial<
    Record<
      SqlTypeName,
      readonly [oid: number, array: number, length: number, stored: SqlType['stored']]
    >
  >
> = {
  bool: [16, 1000, 1, 'bool'],
  bytea: [17, 1001, -1, 'bytes'],
  int8: [20, 1016, 8, 'int64'],
  int2: [21, 1005, 2, 'int64'],
  int4: [23, 1007, 4, 'int64'],
  text: [25, 1009, -1, 'text'],
  oid: [26, 1028, 4, 'int64'],
  json: [114, 199, -1, 'text'],
  jsonb: [3802, 3807, -1, 'text'],
  float4: [700, 1021, 4, 'float64'],
  float8: [701, 1022, 8, 'float64'],
  unknown: [705, 0, -2, 'text'],
  date: [1082, 1182, 4, 'int64'],
  timestamp: [1114, 1115, 8, 'int64'],
  timestamptz: [1184, 1185, 8, 'int64'],
  interval: [1186, 1187, 16, 'int64'],
  uuid: [2950, 2951, 16, 'bytes'],
};

export function type(name: SqlType['name']): SqlType {
  const base = name.replace(/^_/, '') as SqlTypeName;
  const found = known[base];
  if (found === undefined) throw new Error(`no type ${name}`);
  const [oid, arrayOid, length, stored] = found;
  const scalar: SqlType = { oid, name: base, modifier: -1, length, stored };
  if (base === name) return scalar;
  return { oid: arrayOid, name, modifier: -1, length: -1, stored: 'text', element: scalar };
}

export const plainConversion: TextConversion = {
  read: ({ stored }, text): Scalar => {
    if (stored === 'int64' || stored === 'float64') return Number(text);
    return stored === 'bool' ? text === 't' : text;
  },
  write: (_, value) =>
    Array.isArray(value)
      ? `{${value.map((one) => (one === null ? 'NULL' : String(one))).join(',')}}`
      : String(value),
};
