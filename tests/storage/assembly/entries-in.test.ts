/** How many entries a range holds, as estimated from memtables and the indexes of tables. */

import { expect, test } from 'bun:test';
import { systemWorld } from '#base';
import type { LsmStore } from '../../../src/storage/assembly/lsm-store.ts';
import { openStoreIn } from '../../../src/storage/assembly/open.ts';
import { bytes, write } from '../transaction/support.ts';
import { failingPlace } from './place.ts';

const small = { memtableBytes: 40_000, tableBytes: 16_000, blockBytes: 1024, flushedRunsMax: 4 };
const total = 4_000;
/** Rows of a block, twice: once for each end of a range. */
const slack = 60;

const key = (i: number) => `k${String(i).padStart(5, '0')}`;

async function filled(): Promise<{ store: LsmStore; place: ReturnType<typeof failingPlace> }> {
  const place = failingPlace();
  const store = await open(place);
  for (let from = 0; from < total; from += 50) {
    const entries = Array.from({ length: 50 }, (_, i) => {
      // Not in key order, so that tables overlap.
      const at = ((from + i) * 1009) % total;
      return [key(at), `${at} ${'v'.repeat(40)}`];
    });
    await write(store, Object.fromEntries(entries));
  }
  await store.idle();
  return { store, place };
}

const open = (place: ReturnType<typeof failingPlace>) =>
  openStoreIn(place, { storage: 'memory', world: systemWorld(), ...small });

const range = (from: number, to: number) => ({ from: bytes(key(from)), to: bytes(key(to)) });

function expectCounts(store: LsmStore, sources: number): void {
  const all = { from: bytes('k'), to: bytes('l') };
  expect(store.entriesIn(all)).toBe(total);
  expect(store.entriesIn({ from: bytes('k'), to: undefined })).toBe(total);
  expect(store.entriesIn({ from: bytes('l'), to: undefined })).toBe(0);
  expect(store.entriesIn({ from: bytes('a'), to: bytes('k') })).toBe(0);
  for (const [from, to] of [
    [0, 2_000],
    [1_000, 1_500],
    [3_333, 4_000],
  ] as const) {
    const found = store.entriesIn(range(from, to));
    expect(Math.abs(found - (to - from))).toBeLessThanOrEqual(slack * sources);
  }
}

test('of memtables, flushed tables and merged ones together', async () => {
  const { store, place } = await filled();
  const { runs, memtables } = store.statistics();
  expect(runs.length).toBeGreaterThan(0);
  expectCounts(store, runs.length + memtables.count);
  await store.tidy();
  expectCounts(store, 1);
  await store.close();
  const again = await open(place);
  expectCounts(again, 1);
  await again.close();
});

test('where blocks are in memory, to the entry', async () => {
  const { store } = await filled();
  await store.tidy();
  const snapshot = store.snapshot();
  const cursor = snapshot.scan(range(0, total), 'forward');
  for (let next = cursor.next(); next !== false; next = cursor.next()) {
    if (next instanceof Promise) await next;
  }
  cursor.close();
  for (const at of [1_000, 1_500]) {
    const found = snapshot.get(bytes(key(at)));
    if (found instanceof Promise) await found;
  }
  snapshot.release();
  expect(store.entriesIn(range(1_000, 1_500))).toBe(500);
  await store.close();
});
