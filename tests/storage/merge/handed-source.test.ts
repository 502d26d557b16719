/** What is handed to another thread arrives as it was. */

import { expect, test } from 'bun:test';
import type { Pending } from '#base';
import type { KeyRange } from '../../../src/storage/contract/store.ts';
import type { InternalCursor } from '../../../src/storage/cursor/internal-cursor.ts';
import { Memtable } from '../../../src/storage/memtable/memtable.ts';
import {
  buffersOf,
  type EntryBatch,
  EntryBatches,
} from '../../../src/storage/merge/entry-batch.ts';
import { HandedSource } from '../../../src/storage/merge/handed-source.ts';
import { seededRandom } from '../object/seeded-world.ts';

const everyKey = { from: new Uint8Array(), to: undefined };

function shown(cursor: InternalCursor): string {
  const key = Buffer.from(cursor.key.subarray(cursor.keyFrom, cursor.keyTo)).toString('hex');
  const value = cursor.value.subarray(cursor.valueFrom, cursor.valueTo);
  const held = cursor.isTombstone ? 'gone' : `${value.length} ${Bun.hash(value)}`;
  return `${key} @${cursor.sequence} ${held}`;
}

/** Thousands of keys with several versions, deletions among them, values of all lengths, and sequences beyond 32 bits. */
function memtable(): Memtable {
  const table = new Memtable();
  const random = seededRandom(7);
  const below = (bound: number) => Math.floor(random() * bound);
  for (let i = 0; i < 9000; i++) {
    const key = Uint8Array.of(1, below(20), below(200));
    const sequence = 2 ** 32 - 4500 + i;
    const length = i % 1000 === 0 ? 300_000 : below(150);
    if (i % 7 === 0) table.delete(key, sequence);
    else table.put(key, new Uint8Array(length).fill(i), sequence);
  }
  table.freeze();
  return table;
}

/** What the cursors over the ranges show, one after the other; batches come when something waits for them. */
async function handed(table: Memtable, ranges: readonly KeyRange[]): Promise<readonly string[]> {
  const entries = new EntryBatches(table.walk());
  const asked: (EntryBatch | undefined)[] = [];
  const source = new HandedSource((spent) => asked.push(spent));
  const found: string[] = [];
  for (const range of ranges) {
    const cursor = source.versions(range);
    for (let moved = cursor.next(); moved !== false; moved = cursor.next()) {
      if (moved === true) found.push(shown(cursor));
      else await arrival(moved);
    }
    cursor.close();
  }
  return found;

  async function arrival(wait: Pending): Promise<void> {
    expect(asked.length).toBeGreaterThan(0);
    const batch = entries.next(asked.shift());
    // As a thread gets it.
    source.arrived(structuredClone(batch, { transfer: buffersOf(batch) }));
    await wait;
  }
}

function inMemory(table: Memtable, ranges: readonly KeyRange[]): readonly string[] {
  const found: string[] = [];
  for (const range of ranges) {
    const cursor = table.versions(range);
    while (cursor.next() === true) found.push(shown(cursor));
  }
  return found;
}

test('every version of every key, in order', async () => {
  const table = memtable();
  const found = await handed(table, [everyKey]);
  expect(found).toHaveLength(9000);
  expect(found).toEqual(inMemory(table, [everyKey]));
});

test('ranges that leave gaps', async () => {
  const table = memtable();
  const ranges = [
    { from: new Uint8Array(), to: Uint8Array.of(1, 3) },
    { from: Uint8Array.of(1, 5, 9), to: Uint8Array.of(1, 5, 10) },
    { from: Uint8Array.of(1, 5, 10), to: Uint8Array.of(1, 5, 10) },
    { from: Uint8Array.of(1, 7), to: undefined },
  ];
  expect(await handed(table, ranges)).toEqual(inMemory(table, ranges));
});

test('nothing at all', async () => {
  const table = new Memtable();
  table.freeze();
  expect(await handed(table, [everyKey, everyKey])).toEqual([]);
});
