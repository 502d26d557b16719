/** Entries that go past the log: they lie below whatever commits have written, survive a crash, and are never there in part. */

import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ByteWriter, systemWorld } from '#base';
import { openStore, type SortedEntries } from '#storage';
import type { LsmStore } from '../../../src/storage/assembly/lsm-store.ts';
import { openStoreIn } from '../../../src/storage/assembly/open.ts';
import { levels } from '../../../src/storage/manifest/levels.ts';
import { outcomeOf } from '../../support/outcome.ts';
import { seededRandom } from '../object/seeded-world.ts';
import { bytes, range, read, take, write } from '../transaction/support.ts';
import { failingPlace, hastyWorld } from './place.ts';
import { smallShape, Workload } from './workload.ts';

/** Each flushed table is merged at once. */
const small = { memtableBytes: 2_000, tableBytes: 3_000, blockBytes: 512, flushedTablesMax: 1 };
const wanted = () => true;

type Place = ReturnType<typeof failingPlace>;

const open = (place: Place, tuning: object = {}): Promise<LsmStore> =>
  openStoreIn(place, { storage: 'memory', world: hastyWorld(), ...small, ...tuning });

/** Entries by key; two to a piece, written in the opposite order. */
function sorted(rows: Readonly<Record<string, string>>): SortedEntries {
  const keys = Object.keys(rows).sort();
  const pieces: Uint8Array[] = [];
  const places = new Uint32Array(keys.length * 4);
  let writer = new ByteWriter(8);
  for (let i = keys.length - 1; i >= 0; i--) {
    const key = keys[i] as string;
    const keyFrom = writer.length;
    writer.append(bytes(key));
    const keyTo = writer.length;
    writer.append(bytes(rows[key] as string));
    places.set([pieces.length, keyFrom, keyTo, writer.length], (keys.length - 1 - i) * 4);
    if ((keys.length - i) % 2 === 0) {
      pieces.push(writer.bytes);
      writer = new ByteWriter(8);
    }
  }
  pieces.push(writer.bytes);
  return { pieces, places, order: Uint32Array.from(keys, (_, i) => keys.length - 1 - i) };
}

async function remove(store: LsmStore, key: string): Promise<void> {
  const transaction = store.begin();
  transaction.delete(bytes(key));
  await transaction.commit();
  transaction.release();
}

async function shown(store: LsmStore, from = 'a', to = 'z'): Promise<readonly string[]> {
  const snapshot = store.snapshot();
  try {
    return await take(snapshot.scan(range(from, to), 'forward'));
  } finally {
    snapshot.release();
  }
}

/** So many rows beside those of a test, that everything before them is flushed and merged. */
async function fill(store: LsmStore): Promise<void> {
  for (let i = 0; i < 60; i++) await write(store, { [`z${i}`]: `${i}`.repeat(60) });
  await store.idle();
}

const many = (count: number): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, i) => [`k${String(i).padStart(4, '0')}`, `value ${i}`]),
  );

test('entries are there once they are added, and after a crash, in as many tables as they need', async () => {
  const place = failingPlace();
  const store = await open(place);
  await write(store, { a: 'before' });
  const written = store.statistics().log.writtenBytes;
  const ingestion = store.ingest();
  expect(await ingestion.add(sorted(many(500)), wanted)).toBe(true);
  ingestion.release();
  expect(await shown(store, 'k', 'l')).toEqual(
    Object.entries(many(500)).map((row) => row.join('=')),
  );
  expect(store.statistics().log.writtenBytes).toBe(written);
  expect((await place.tables()).length).toBeGreaterThan(2);
  // The first one is not closed: its process is gone.
  const again = await open(place);
  expect((await shown(again)).length).toBe(501);
  await again.tidy();
  expect((await shown(again)).length).toBe(501);
  expect(await read(again.snapshot(), 'k0123')).toBe('value 123');
  await again.close();
});

test('what commits have put or deleted stays, before and after the beginning, flushed or not', async () => {
  const store = await open(failingPlace());
  await write(store, { b: 'added', d: 'added' });
  await fill(store);
  await write(store, { c: 'added' });
  const ingestion = store.ingest();
  await write(store, { e: 'put and flushed after' });
  await remove(store, 'd');
  await remove(store, 'f');
  await fill(store);
  await write(store, { g: 'put after' });
  await remove(store, 'h');
  await ingestion.add(
    sorted(Object.fromEntries([...'bcdefghi'].map((key) => [key, 'added']))),
    wanted,
  );
  ingestion.release();
  const expected = ['b=added', 'c=added', 'e=put and flushed after', 'g=put after', 'i=added'];
  expect(await shown(store, 'a', 'y')).toEqual(expected);
  expect(await read(store.snapshot(), 'd')).toBeUndefined();
  await fill(store);
  await store.tidy();
  expect(await shown(store, 'a', 'y')).toEqual(expected);
  await store.close();
});

test('a deletion that follows the beginning hides what is added, whatever is merged in between', async () => {
  const store = await open(failingPlace());
  await fill(store);
  await store.tidy();
  const ingestion = store.ingest();
  await remove(store, 'd');
  await fill(store);
  await store.tidy();
  await ingestion.add(sorted({ c: 'added', d: 'added' }), wanted);
  ingestion.release();
  expect(await shown(store, 'a', 'y')).toEqual(['c=added']);
  expect(await read(store.snapshot(), 'd')).toBeUndefined();
  await fill(store);
  await store.tidy();
  expect(await shown(store, 'a', 'y')).toEqual(['c=added']);
  // The bottom is merged again once nobody holds it.
  expect(store.statistics().runs.filter(({ level }) => level !== levels.past)).toHaveLength(1);
  await store.close();
});

test('what is not wanted any more is not added, and its tables are deleted', async () => {
  const place = failingPlace();
  const store = await open(place);
  await write(store, { a: 'there' });
  const ingestion = store.ingest();
  expect(await ingestion.add(sorted(many(300)), () => false)).toBe(false);
  ingestion.release();
  await store.idle();
  expect(await shown(store)).toEqual(['a=there']);
  expect(await place.tables()).toEqual([]);
  expect(place.deletedTables).toBeGreaterThan(1);
  await store.close();
});

test('without room nothing is added and the writer goes on; what was written of it is deleted', async () => {
  const place = failingPlace();
  const store = await open(place);
  await write(store, { a: 'there' });
  const ingestion = store.ingest();
  place.trouble = 'full';
  expect(await outcomeOf(ingestion.add(sorted(many(300)), wanted))).toThrow('the device is full');
  place.trouble = undefined;
  place.refusesManifests = true;
  expect(await outcomeOf(ingestion.add(sorted(many(300)), wanted))).toThrow('the device is full');
  place.refusesManifests = false;
  expect(store.poisoned).toBeUndefined();
  expect(await ingestion.add(sorted({ b: 'added' }), wanted)).toBe(true);
  ingestion.release();
  await fill(store);
  expect(await shown(store, 'a', 'y')).toEqual(['a=there', 'b=added']);
  const named = store.statistics().runs.reduce((sum, run) => sum + run.tables, 0);
  expect((await place.tables()).length).toBe(named);
  expect(place.deletedNeeded).toEqual([]);
  await store.close();
});

test('nothing is added before the commits that it follows from are durable', async () => {
  const place = failingPlace();
  const gate = Promise.withResolvers<void>();
  let isShut = false;
  const logs: typeof place.logs = new Proxy(place.logs, {});
  const store = await open({ ...place, logs });
  const log = store['parts'].durable.log;
  const { durable } = log;
  log.durable = (record) => (isShut ? gate.promise : durable.call(log, record));
  await write(store, { a: 'there' });
  isShut = true;
  const ingestion = store.ingest();
  const adding = ingestion.add(sorted({ b: 'added' }), wanted);
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(await place.tables()).toEqual([]);
  isShut = false;
  gate.resolve();
  expect(await adding).toBe(true);
  ingestion.release();
  await store.close();
});

test('another thread makes the tables and takes the memory over', async () => {
  const path = mkdtempSync(join(tmpdir(), 'ingestion-'));
  const store = await openStore({ storage: 'file', path, world: systemWorld(), ...small });
  const entries = sorted(many(2_000));
  const ingestion = (store as LsmStore).ingest();
  expect(await ingestion.add(entries, wanted)).toBe(true);
  ingestion.release();
  expect(entries.places.length).toBe(0);
  expect((await shown(store as LsmStore)).length).toBe(2_000);
  await store.close();
  rmSync(path, { recursive: true });
});

/** Adds below the store what a snapshot shows of it: nobody may notice, whatever is open. */
async function addWhatIsThere(store: LsmStore, workload: Workload): Promise<number> {
  const ingestion = store.ingest();
  try {
    const rows = workload.rowsAt(ingestion.snapshot.sequence);
    for (let turn = 0; turn < 30; turn++) await workload.run(store, 8);
    await ingestion.add(sorted(rows), wanted);
    return Object.keys(rows).length;
  } finally {
    ingestion.release();
  }
}

test.each(Array.from({ length: Number(process.env['SEEDS'] ?? 4) }, (_, i) => i + 1))(
  'what is added again below commits, flushes and merges changes nothing, seed %p',
  async (seed) => {
    const tiny = { memtableBytes: 1500, flushedTablesMax: 1 + (seed % 4) };
    const place = failingPlace();
    let store = await open(place, tiny);
    const workload = new Workload(seededRandom(seed), { ...smallShape, keys: 40 * seed });
    let added = 0;
    for (let round = 0; round < 12; round++) {
      await workload.run(store, 100);
      added += await addWhatIsThere(store, workload);
      if (round % 4 !== 3) continue;
      await workload.settle();
      if (round === 7) await store.tidy();
      // Its process is gone.
      store = await open(place, tiny);
      await workload.reopened(store);
    }
    expect(added).toBeGreaterThan(100);
    expect(store.statistics().compaction.damaged).toEqual([]);
    await store.close();
  },
);
