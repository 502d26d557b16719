/** The output functions of types: from a stored value to text. */

import { invariant } from '#base';
import type { ByteString } from '#value';
import type { SqlValue } from '../compiled.ts';
import { type ArrayOf, writeArray } from './array-text.ts';
import { writeBytea, writeIdentifier } from './bytes-text.ts';
import { writeFloat, writeNumeric } from './number-text.ts';
import type { SqlType } from './sql-type.ts';
import type { TextSetting } from './text-setting.ts';
import { writeDate, writeTimestamp, writeTimestampTz } from './time/write-time.ts';

/** Writes a value that is not NULL as PostgreSQL does. */
export function writeText(type: SqlType, value: SqlValue, setting: TextSetting): string {
  if (type.element === undefined) return writeScalar(type, value, setting);
  const { element } = type;
  return writeArray(value as ArrayOf<SqlValue>, (item) => writeScalar(element, item, setting));
}

function writeScalar(type: SqlType, value: SqlValue, setting: TextSetting): string {
  switch (type.name) {
    case 'bool':
      return value === true ? 't' : 'f';
    case 'float4':
    case 'float8':
      return writeFloat(type.name, value as number);
    case 'numeric':
      return writeNumeric(value as number | bigint);
    case 'bytea':
      return writeBytea((value as ByteString).bytes, setting.byteaOutput ?? 'hex');
    case 'uuid':
      return writeIdentifier('uuid', value as ByteString);
    case 'date':
      return writeDate(value as number | bigint);
    case 'timestamp':
      return writeTimestamp(value as number | bigint);
    case 'timestamptz':
      return writeTimestampTz(value as number | bigint, setting.timeZone);
    case 'text':
      if (type.format !== undefined) return writeIdentifier(type.format, value as ByteString);
      return String(value);
    default:
      invariant(value !== null, 'a value with a text is not NULL');
      return String(value);
  }
}
