/** The input functions of types: from text to a stored value. */

import type { SqlValue } from '../compiled.ts';
import { sqlError, unsupported } from '../sql-error.ts';
import { readArray } from './array-text.ts';
import { readBytea, readIdentifier, readUuid } from './bytes-text.ts';
import { readFloat, readInteger, readNumeric } from './number-text.ts';
import type { SqlType } from './sql-type.ts';
import { invalidText } from './text-error.ts';
import type { TextSetting } from './text-setting.ts';
import { readDate, readTimestamp, readTimestampTz } from './time/read-time.ts';

/**
 * Reads a value as the input function of PostgreSQL does. The modifier of the type has no effect: see `fitLength`. Throws an `SqlError` with the
 * SQLSTATE and the message of PostgreSQL, but without a position.
 */
export function readText(type: SqlType, text: string, setting: TextSetting): SqlValue {
  if (text.includes('\0')) {
    throw sqlError('22021', 'invalid byte sequence for encoding "UTF8": 0x00');
  }
  if (type.element !== undefined) {
    const { element } = type;
    return readArray(text, (item) => readScalar(element, item, setting)) as SqlValue;
  }
  return readScalar(type, text, setting);
}

function readScalar(type: SqlType, text: string, setting: TextSetting): SqlValue {
  switch (type.name) {
    case 'bool':
      return readBool(text);
    case 'int2':
    case 'int4':
    case 'int8':
    case 'oid':
      return readInteger(type.name, text);
    case 'float4':
    case 'float8':
      return readFloat(type.name, text);
    case 'numeric':
      return readNumeric(text);
    case 'bytea':
      return readBytea(text);
    case 'uuid':
      return readUuid(text);
    case 'date':
      return readDate(text);
    case 'timestamp':
      return readTimestamp(text);
    case 'timestamptz':
      return readTimestampTz(text, setting.timeZone);
    case 'json':
    case 'jsonb':
      return readJson(type.name, text);
    case 'name':
      return cutName(text);
    case 'text':
      return type.format === undefined ? text : readIdentifier(type.format, text);
    case 'varchar':
    case 'bpchar':
    case 'unknown':
    case 'void':
      return text;
    default:
      throw unsupported(`a value of type ${type.name}`);
  }
}

const boolWords: readonly (readonly [word: string, value: boolean, lengthMin: number])[] = [
  ['true', true, 1],
  ['false', false, 1],
  ['yes', true, 1],
  ['no', false, 1],
  ['on', true, 2],
  ['off', false, 2],
  ['1', true, 1],
  ['0', false, 1],
];

/** Each word may be cut to any beginning that no other word has. */
function readBool(text: string): boolean {
  const word = text.replace(/^[\t-\r ]+|[\t-\r ]+$/g, '').toLowerCase();
  const found = boolWords.find(([whole, , min]) => whole.startsWith(word) && word.length >= min);
  if (found === undefined) throw invalidText('boolean', text);
  return found[1];
}

function readJson(name: 'json' | 'jsonb', text: string): string {
  try {
    JSON.parse(text);
  } catch {
    throw sqlError('22P02', 'invalid input syntax for type json');
  }
  if (name === 'jsonb' && /(?:^|[^\\])(?:\\\\)*\\u0000/.test(text)) {
    throw sqlError('22P05', 'unsupported Unicode escape sequence', {
      detail: '\\u0000 cannot be converted to text.',
    });
  }
  return text;
}

const nameBytesMax = 63;

/** Cuts a name to 63 bytes, at a character. */
export function cutName(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= nameBytesMax) return text;
  let end = nameBytesMax;
  while (((bytes[end] as number) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}
