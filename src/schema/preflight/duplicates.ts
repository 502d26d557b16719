/** Counts rows that a planned unique index would reject: all rows of a key except the first. The check uses the values after conversion. */

import { ByteWriter } from '#base';
import { columnsOf, type Index } from '#catalog';
import { appendKeyMember, type ScalarType } from '#value';
import { fateOf } from '../diff/columns.ts';
import type { TablePair } from '../diff/pairs.ts';
import { Counter } from './counts.ts';
import { type ColumnImage, imageOf } from './image.ts';
import { SeenKeys } from './seen-keys.ts';

/** Returns the check. `bytesMax` is the memory limit for keys. Tuples with NULL are exempt, and another check counts values that cannot be converted. */
export function duplicates(pair: TablePair, index: Index, bytesMax: number): Counter {
  const columns = columnsOf(pair.after, index.columns);
  const images = index.columns.map((id) => imageOf(pair, id));
  const seen = new SeenKeys(bytesMax);
  const writer = new ByteWriter(256);
  return new Counter(
    (reader) => {
      writer.clear();
      for (let i = 0; i < images.length; i++) {
        const value = (images[i] as ColumnImage)(reader);
        if (value === undefined || value === null) return false;
        appendKeyMember(writer, columns[i]?.type as ScalarType, value);
      }
      return seen.add(writer.bytes, writer.length);
    },
    (rows) => {
      const { name: table } = pair.after;
      const names = columns.map(({ name }) => name).join(', ');
      const repeat = rows === '1 row' ? 'repeats' : 'repeat';
      const summary = `unique index ${index.name} on ${table} (${names}): ${rows} ${repeat} the key of another row`;
      return { kind: 'unique_index_duplicates', summary, table };
    },
  );
}

/** Returns whether the primary key or an existing unique index already excludes duplicates, because none of its columns is converted. */
export function isUniqueAlready(pair: TablePair, index: Index): boolean {
  const { before, columns } = pair;
  const isKept = (id: number) => {
    const column = columns.find(({ after }) => after.id === id);
    return index.columns.includes(id) && column !== undefined && fateOf(column) !== 'rewritten';
  };
  const keys = [
    before.primaryKey,
    ...before.indexes.filter((one) => one.unique).map((one) => one.columns),
  ];
  return keys.some((key) => key.every(isKept));
}
