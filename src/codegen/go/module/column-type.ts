/** Column types in Go. */

import type { ModelColumn } from '../../model/client-model.ts';
import type { Target } from '../../target/target.ts';

export interface ColumnType {
  /** Go type of values that are not NULL. */
  readonly go: string;
  readonly codec: string;
  /** Prefix of the type names of expressions (`IntExpr`) and settable columns (`IntCol`). */
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

/** Returns the type of an expression, such as `*NullIntExpr`. */
export const expressionType = ({ kind }: ColumnType, isNullable: boolean) =>
  `*${isNullable ? 'Null' : ''}${kind}Expr`;

/** Returns the type of a column that statements can set, such as `*NullIntCol`. */
export const settableType = ({ kind }: ColumnType, isNullable: boolean) =>
  `*${isNullable ? 'Null' : ''}${kind}Col`;

/** Returns the name of the function that creates the expression of a handle, such as `newNullIntExpr`. */
export const expressionMaker = (of: ColumnType, isNullable: boolean) =>
  `new${expressionType(of, isNullable).slice(1)}`;

/** Returns the name of the function that creates the settable column of a handle, such as `newNullIntCol`. */
export const settableMaker = (of: ColumnType, isNullable: boolean) =>
  `new${settableType(of, isNullable).slice(1)}`;
