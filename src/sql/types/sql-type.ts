/** The types of SQL, with the numbers that PostgreSQL gives them, and the stored types behind them (`postgres` encodes values by them). */

import type { IdentifierFormat, ScalarType } from '#value';

export type SqlTypeName =
  | 'bool'
  | 'bytea'
  | 'name'
  | 'int8'
  | 'int2'
  | 'int4'
  | 'text'
  | 'oid'
  | 'json'
  | 'jsonb'
  | 'float4'
  | 'float8'
  | 'bpchar'
  | 'varchar'
  | 'date'
  | 'timestamp'
  | 'timestamptz'
  | 'interval'
  | 'numeric'
  | 'uuid'
  | 'unknown'
  | 'void';

export interface SqlType {
  readonly oid: number;
  /** The name of PostgreSQL; that of an array begins with `_`. */
  readonly name: SqlTypeName | `_${SqlTypeName}`;
  /** The type modifier as in `pg_attribute.atttypmod`; -1 if there is none. For example 24 for `varchar(20)`. */
  readonly modifier: number;
  /** Bytes of a value, or -1 if they vary. */
  readonly length: number;
  /** The type of LIR that represents it. That of an array is `text`, because arrays are never stored. */
  readonly stored: ScalarType;
  /** The format of `bytes` values of the type. */
  readonly format?: IdentifierFormat | undefined;
  /** The type of the elements; only of an array. */
  readonly element?: SqlType | undefined;
}
