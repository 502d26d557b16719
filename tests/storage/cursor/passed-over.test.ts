/** Deletions and versions that a reader does not see are passed over a few thousand at a time, whatever hides them. */

import { expect, test } from 'bun:test';
import { WriteBatch } from '../../../src/storage/batch/write-batch.ts';
import type { EntryCursor } from '../../../src/storage/contract/store.ts';
import { emptyCursor } from '../../../src/storage/cursor/empty-cursor.ts';
import { passedOver } from '../../../src/storage/cursor/passed-over.ts';
import { scanNewest } from '../../../src/storage/cursor/read-sources.ts';
import type { CursorSource } from '../../../src/storage/cursor/source.ts';
import { Memtable } from '../../../src/storage/memtable/memtable.ts';
import { OverlayCursor } from '../../../src/storage/transaction/overlay-cursor.ts';
import { openTable, writeTable } from '../files.ts';

const count = 20_000;
const whole = { from: new Uint8Array(0), to: new Uint8Array([255]) };
const one = new Uint8Array([1]);

function keyOf(i: number): Uint8Array {
  const key = new Uint8Array(4);
  new DataView(key.buffer).setUint32(0, i);
  return key;
}

/** Deletions of all keys, but the last one. */
function deletions(): Memtable {
  const memtable = new Memtable();
  for (let i = 0; i < count; i++) memtable.delete(keyOf(i), 1);
  memtable.put(keyOf(count), one, 1);
  memtable.freeze();
  return memtable;
}

/** How often others had their turn before the first entry, which is the last key. */
function turnsOf(cursor: EntryCursor): number {
  for (let turns = 0; ; turns++) {
    const answer = cursor.next();
    if (answer === true) {
      const { key, keyFrom, keyTo } = cursor;
      expect(Buffer.from(key.subarray(keyFrom, keyTo))).toEqual(Buffer.from(keyOf(count)));
      return turns;
    }
    expect(answer).toBe(passedOver);
  }
}

const scan = (...sources: CursorSource[]) => scanNewest(sources, whole, 'forward', 1);

test('deletions of a single source', () => {
  expect(turnsOf(scan(deletions()))).toBe(4);
});

test('deletions that hide entries of other sources', () => {
  const older = new Memtable();
  for (let i = 0; i <= count; i++) older.put(keyOf(i), one, 0);
  older.freeze();
  expect(turnsOf(scan(deletions(), older))).toBe(4);
});

test('blocks of which a snapshot sees nothing', () => {
  const later = Array.from({ length: count + 1 }, (_, i) => ({
    key: keyOf(i),
    value: one,
    sequence: i === count ? 1 : 2,
  }));
  const turns = turnsOf(scan(openTable(writeTable(later))));
  expect(turns).toBeGreaterThanOrEqual(3);
  expect(turns).toBeLessThanOrEqual(4);
});

test('what a transaction has deleted itself', () => {
  const batch = new WriteBatch();
  for (let i = 0; i < count; i++) batch.delete(keyOf(i));
  batch.put(keyOf(count), one);
  const closed = () => {};
  const cursor = new OverlayCursor(
    emptyCursor,
    batch,
    { range: whole, direction: 'forward' },
    { closed },
  );
  expect(turnsOf(cursor)).toBe(4);
});
