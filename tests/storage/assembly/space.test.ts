/** What a store occupies and writes, in proportion to what it is given. */

import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemWorld } from '#base';
import type { LsmStore } from '../../../src/storage/assembly/lsm-store.ts';
import { openStoreIn } from '../../../src/storage/assembly/open.ts';
import { openDirectoryLocation } from '../../../src/storage/place/location.ts';
import { seededRandom } from '../object/seeded-world.ts';
import { bytes, range, read, take, write } from '../transaction/support.ts';

const path = mkdtempSync(join(tmpdir(), 'space-'));
afterAll(() => rmSync(path, { recursive: true, force: true }));

const small = { memtableBytes: 80_000, tableBytes: 40_000, idleFlushBytesMin: 1, idleMs: 20 };
const world = systemWorld();
const unit = seededRandom(1);

async function open(name: string, options: Partial<typeof small> = {}): Promise<LsmStore> {
  const identity = { pid: process.pid, hostname: 'here', startedUnixMs: 0 };
  const directory = join(path, name);
  const place = await openDirectoryLocation({
    path: directory,
    world,
    identity,
    segmentBytes: 64 << 10,
  });
  return openStoreIn(place, { storage: 'file', world, ...small, ...options });
}

function occupied(directory: string): number {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

/** Lets the store find out by itself that nothing goes on. */
async function rest(store: LsmStore): Promise<void> {
  for (let quiet = 0; quiet < 3; quiet++) {
    await new Promise((resolve) => world.scheduler.after(2 * small.idleMs, () => resolve(null)));
    await store.idle();
  }
}

test('the same data ten times over, once idle, occupies at most 2.5 times its size', async () => {
  const store = await open('ten times');
  const keys = Array.from({ length: 2000 }, (_, i) => `key ${String(i).padStart(6, '0')}`);
  let logicalBytes = 0;
  let writtenBytes = 0;
  for (let round = 0; round < 10; round++) {
    logicalBytes = 0;
    for (let from = 0; from < keys.length; from += 100) {
      const rows = keys
        .slice(from, from + 100)
        .map((key) => [key, `${unit()}`.repeat(12).slice(0, 200)] as const);
      for (const [key, value] of rows) logicalBytes += key.length + value.length;
      await store.admitWrite();
      await write(store, Object.fromEntries(rows));
    }
    writtenBytes += logicalBytes;
  }
  await rest(store);
  expect(occupied(join(path, 'ten times')) / logicalBytes).toBeLessThan(2.5);
  const { log, flush, compaction, memtables, writeAmplification } = store.statistics();
  expect(memtables.writtenBytes).toBe(writtenBytes);
  const written = log.writtenBytes + flush.flushedBytes + compaction.outputBytes;
  expect(writeAmplification).toBeCloseTo(written / writtenBytes, 9);
  expect(writeAmplification).toBeGreaterThan(2);
  expect(writeAmplification).toBeLessThan(10);
  await store.close();
});

test('a hot row is flushed once, however often it was written', async () => {
  const store = await open('hot row', { memtableBytes: 1 << 20 });
  const commits = 60_000;
  let unflushedMax = 0;
  for (let i = 0; i < commits; i += 500) {
    // Five hundred commits share a sync.
    const answers: Promise<unknown>[] = [];
    for (let k = 0; k < 500; k++) {
      const transaction = store.begin();
      transaction.put(bytes('hot'), bytes(`${i + k}`));
      answers.push(transaction.commit());
      transaction.release();
    }
    await store.admitWrite();
    await Promise.all(answers);
    unflushedMax = Math.max(unflushedMax, store.statistics().memtables.bytes);
  }
  await rest(store);
  expect(await read(store.snapshot(), 'hot')).toBe(`${commits - 1}`);
  const { flush, runs } = store.statistics();
  expect(flush.flushes).toBeGreaterThan(1);
  expect(flush.flushedBytes / flush.flushes).toBeLessThan(1000);
  expect(runs.reduce((sum, run) => sum + run.entries, 0)).toBeLessThan(5);
  // Some memtables of 2 MiB, and what their order takes.
  expect(unflushedMax).toBeLessThan(24 << 20);
  await store.close();
});

test('a snapshot that reads a hot row keeps one more version of it, in a past run that goes with it', async () => {
  const store = await open('watched row');
  await write(store, { hot: 'before' });
  const snapshot = store.snapshot();
  for (let i = 0; i < 100; i++) await write(store, { hot: `${i}` });
  await rest(store);
  const sizes = () => store.statistics().runs.map(({ level, entries }) => [level, entries]);
  expect(sizes()).toEqual([
    [2, 1],
    [3, 1],
  ]);
  expect(await take(snapshot.scan(range(''), 'forward'))).toEqual(['hot=before']);
  snapshot.release();
  await store.idle();
  expect(sizes()).toEqual([[2, 1]]);
  await store.close();
});
