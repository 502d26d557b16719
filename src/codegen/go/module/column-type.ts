/** What columns are in Go. */

import type { GoColumn, GoTarget } from './model.ts';

export interface ColumnType {
  /** Of a value that is not NULL. */
  readonly go: string;
  readonly codec: string;
  /** The family of expressions, and of columns with `Col` behind. */
  readonly family: 'Num' | 'Text' | 'Bool' | 'Val';
}

const identifiers: Readonly<Record<string, ColumnType>> = {
  uuid: { go: 'UUID', codec: 'uuidCodec', family: 'Val' },
  ulid: { go: 'ULID', codec: 'ulidCodec', family: 'Val' },
  xid: { go: 'XID', codec: 'xidCodec', family: 'Val' },
};

export function columnType({ type, format }: GoColumn, { unixMs }: GoTarget): ColumnType {
  switch (type) {
    case 'text':
      return { go: 'string', codec: 'textCodec', family: 'Text' };
    case 'bool':
      return { go: 'bool', codec: 'boolCodec', family: 'Bool' };
    case 'float64':
      return { go: 'float64', codec: 'floatCodec', family: 'Num' };
    case 'int64':
      return format === 'unix_ms' && unixMs === 'native'
        ? { go: 'time.Time', codec: 'timeCodec', family: 'Val' }
        : { go: 'int64', codec: 'intCodec', family: 'Num' };
    case 'bytes':
      return (
        (format === undefined ? undefined : identifiers[format]) ?? {
          go: '[]byte',
          codec: 'bytesCodec',
          family: 'Val',
        }
      );
  }
}

/** `Num[int64, Null[int64]]`: the expression, as it comes. */
export function expressionType({ go, family }: ColumnType, isNullable: boolean): string {
  const native = isNullable ? `Null[${go}]` : go;
  return family === 'Num' || family === 'Val'
    ? `${family}[${go}, ${native}]`
    : `${family}[${native}]`;
}

/** `NullNumCol[int64]`: the column that statements can set. */
export function settableType({ go, family }: ColumnType, isNullable: boolean): string {
  const name = `${isNullable ? 'Null' : ''}${family}Col`;
  return family === 'Num' || family === 'Val' ? `${name}[${go}]` : name;
}

/** The expression of a handle. */
export function expressionValue(of: ColumnType, isNullable: boolean, handle: string): string {
  const make = `${isNullable ? 'nullValOf' : 'valOf'}(${handle}, ${of.codec})`;
  return of.family === 'Val' ? make : `${expressionType(of, isNullable)}{${make}}`;
}
