/** What columns are in Go. */

import type { ModelColumn } from '../../model/client-model.ts';
import type { Target } from '../../target/target.ts';

export interface ColumnType {
  /** Of a value that is not NULL. */
  readonly go: string;
  readonly codec: string;
  /** What expressions are called with `Expr` behind, and columns with `Col`. */
  readonly kind: 'Int' | 'Float' | 'Text' | 'Bool' | 'Bytes' | 'UUID' | 'ULID' | 'XID' | 'Time';
}

const identifiers: Readonly<Record<string, ColumnType>> = {
  uuid: { go: 'UUID', codec: 'uuidCodec', kind: 'UUID' },
  ulid: { go: 'ULID', codec: 'ulidCodec', kind: 'ULID' },
  xid: { go: 'XID', codec: 'xidCodec', kind: 'XID' },
};

export function columnType({ type, format }: ModelColumn, { unixMs }: Target): ColumnType {
  switch (type) {
    case 'text':
      return { go: 'string', codec: 'textCodec', kind: 'Text' };
    case 'bool':
      return { go: 'bool', codec: 'boolCodec', kind: 'Bool' };
    case 'float64':
      return { go: 'float64', codec: 'floatCodec', kind: 'Float' };
    case 'int64':
      return format === 'unix_ms' && unixMs === 'native'
        ? { go: 'time.Time', codec: 'timeCodec', kind: 'Time' }
        : { go: 'int64', codec: 'intCodec', kind: 'Int' };
    case 'bytes':
      return (
        (format === undefined ? undefined : identifiers[format]) ?? {
          go: '[]byte',
          codec: 'bytesCodec',
          kind: 'Bytes',
        }
      );
  }
}

/** `*NullIntExpr`: the type of an expression. */
export const expressionType = ({ kind }: ColumnType, isNullable: boolean) =>
  `*${isNullable ? 'Null' : ''}${kind}Expr`;

/** `*NullIntCol`: the type of a column that statements can set. */
export const settableType = ({ kind }: ColumnType, isNullable: boolean) =>
  `*${isNullable ? 'Null' : ''}${kind}Col`;

/** What makes the expression of a handle: `newNullIntExpr`. */
export const expressionMaker = (of: ColumnType, isNullable: boolean) =>
  `new${expressionType(of, isNullable).slice(1)}`;

/** What makes the column of a handle: `newNullIntCol`. */
export const settableMaker = (of: ColumnType, isNullable: boolean) =>
  `new${settableType(of, isNullable).slice(1)}`;
