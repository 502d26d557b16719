/** Counts rows whose key is too long for a planned index. The check uses the values after conversion. */

import { ByteWriter } from '#base';
import { type Column, columnsOf, type Index } from '#catalog';
import { indexTupleBytesMax } from '#layout';
import { appendKey, ByteString, type Scalar } from '#value';
import { fateOf } from '../diff/columns.ts';
import type { TablePair } from '../diff/pairs.ts';
import { Counter } from './counts.ts';
import { imageOf } from './image.ts';

/** Returns the check. Rows with a value that cannot be converted are skipped, because another check counts them. */
export function longKeys(pair: TablePair, index: Index): Counter {
  const columns = columnsOf(pair.after, index.columns);
  const types = columns.map(({ type }) => type);
  const images = index.columns.map((id) => imageOf(pair, id));
  const writer = new ByteWriter(256);
  const isTooLong = (values: readonly Scalar[]) => {
    writer.clear();
    appendKey(writer, types, values);
    return writer.length > indexTupleBytesMax;
  };
  return new Counter(
    (reader) => {
      const values: Scalar[] = [];
      let atMost = 0;
      for (const image of images) {
        const value = image(reader);
        if (value === undefined) return false;
        values.push(value);
        atMost += bytesAtMost(value);
      }
      return atMost > indexTupleBytesMax && isTooLong(values);
    },
    (rows) => {
      const { name: table } = pair.after;
      const names = columns.map(({ name }) => name);
      const column = names.length === 1 ? { column: names[0] as string } : {};
      const need = rows === '1 row' ? 'needs' : 'need';
      const summary = `index ${index.name} on ${table} (${names.join(', ')}): ${rows} ${need} a key of more than ${indexTupleBytesMax} bytes`;
      return { kind: 'index_key_too_long', summary, table, ...column };
    },
  );
}

/** Upper bound of the bytes of an encoded number, boolean or NULL. */
const numberBytes = 16;

/** Returns an upper bound of the encoded bytes of a value: every byte escaped, with a tag before and a terminator after them. */
function bytesAtMost(value: Scalar): number {
  // A UTF-16 unit has at most three bytes in UTF-8.
  if (typeof value === 'string') return value.length * 6 + 2;
  return value instanceof ByteString ? value.bytes.length * 2 + 2 : numberBytes;
}

/** Returns whether no key of the index can be too long: the types of its columns are short, or an existing key contains all its columns. */
export function isShortAlways(pair: TablePair, index: Index): boolean {
  const { before, after, columns } = pair;
  if (columnsOf(after, index.columns).every(isShort)) return true;
  const isKept = (id: number) => {
    const column = columns.find((one) => one.after.id === id);
    return column !== undefined && fateOf(column) !== 'rewritten';
  };
  const keys = [before.primaryKey, ...before.indexes.map((one) => one.columns)];
  return keys.some((key) => index.columns.every((id) => key.includes(id) && isKept(id)));
}

function isShort({ type, identifierFormat }: Column): boolean {
  return type !== 'text' && (type !== 'bytes' || identifierFormat !== undefined);
}
