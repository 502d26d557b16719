/** Sources of a generated history: memtables and tables. */

import fc from 'fast-check';
import type { CursorSource } from '../../../src/storage/cursor/source.ts';
import { Memtable } from '../../../src/storage/memtable/memtable.ts';
import { openTable, writeTable } from '../files.ts';
import type { Version } from '../model.ts';

export const anyCuts = fc.array(fc.nat(80), { maxLength: 7 });

/** Newest first: each cut of the history becomes a source, the newest a memtable, the others memtables or tables. */
export function sourcesOf(
  writes: readonly Version[],
  cuts: readonly number[],
  isLate: boolean,
): CursorSource[] {
  const bounds = [0, ...cuts.map((cut) => cut % (writes.length + 1)).toSorted((a, b) => a - b)];
  const sources = bounds.flatMap((from, i): CursorSource[] => {
    const part = writes.slice(from, bounds[i + 1]);
    if (part.length === 0) return [];
    if (i % 3 === 2 || i === bounds.length - 1) return [memtableOf(part)];
    const name = `sst/0000000001-000000000${i}`;
    return [openTable(writeTable(part, { blockRowsMax: 3 }, name), { isLate })];
  });
  return sources.reverse();
}

function memtableOf(writes: readonly Version[]): Memtable {
  const memtable = new Memtable();
  for (const { key, value, sequence } of writes) {
    if (value === undefined) memtable.delete(key, sequence);
    else memtable.put(key, value, sequence);
  }
  memtable.freeze();
  return memtable;
}
