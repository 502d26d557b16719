/** A table is open, and in the caches, for as long as a version has it, and no longer. */

import { expect, test } from 'bun:test';
import { systemWorld, type World } from '#base';
import type { LsmStore } from '../../../src/storage/assembly/lsm-store.ts';
import { openStoreIn } from '../../../src/storage/assembly/open.ts';
import { loadNewestManifest } from '../../../src/storage/manifest/manifest-store.ts';
import { withDefaults } from '../../../src/storage/place/options.ts';
import { TableFiles } from '../../../src/storage/version/table-files.ts';
import { openReadersOf } from '../open-readers.ts';
import { range, read, take, write } from '../transaction/support.ts';
import { failingPlace, hastyWorld } from './place.ts';

const small = { memtableBytes: 4_000, tableBytes: 2_000, blockBytes: 512, scansFillCache: true };
const rows = 60;
const key = (i: number): string => `key ${String(i).padStart(3, '0')}`;

async function open(world: World = systemWorld()) {
  const place = failingPlace();
  const { objects, openTables } = openReadersOf(place.objects);
  const store = await openStoreIn({ ...place, objects }, { storage: 'memory', world, ...small });
  return { place, store, objects, openTables };
}

async function fill(store: LsmStore, mark: string): Promise<void> {
  for (let from = 0; from < rows; from += 10) {
    const some = Array.from({ length: 10 }, (_, i) => [key(from + i), mark.padEnd(90)]);
    await write(store, Object.fromEntries(some));
  }
}

/** Reads all rows by scan and by key, so that blocks and partitions are in the caches. */
async function readAll(store: LsmStore): Promise<void> {
  const snapshot = store.snapshot();
  expect(await take(snapshot.scan(range(''), 'forward'))).toHaveLength(rows);
  for (let i = 0; i < rows; i++) await read(snapshot, key(i));
  snapshot.release();
}

test('tables that were merged are closed once nobody reads them, and the caches hold nothing of them', async () => {
  const { place, store, openTables } = await open();
  await fill(store, 'old');
  await store.tidy();
  await readAll(store);
  const before = openTables();
  expect(before).toEqual(await place.tables());
  expect(before.length).toBeGreaterThan(2);
  const snapshot = store.snapshot();
  const cursor = snapshot.scan(range(''), 'forward');
  await take(cursor, 1);
  await fill(store, 'new');
  await store.tidy();
  expect(openTables()).toEqual(expect.arrayContaining([...before]));
  cursor.close();
  snapshot.release();
  await store.idle();
  expect(openTables()).toEqual(await place.tables());
  for (const name of before) expect(openTables()).not.toContain(name);
  for (let i = 0; i < rows; i++) await write(store, { [key(i)]: undefined });
  await store.tidy();
  expect(openTables()).toEqual([]);
  const { dataCache, metadataCache } = store.statistics();
  expect([dataCache.entries, metadataCache.entries]).toEqual([0, 0]);
  expect([dataCache.usedBytes, metadataCache.usedBytes]).toEqual([0, 0]);
  await store.close();
});

test('a store that is closed has no table open, once its last snapshot is released', async () => {
  const { store, openTables } = await open();
  await fill(store, 'a');
  await store.tidy();
  const snapshot = store.snapshot();
  await store.close();
  expect(openTables().length).toBeGreaterThan(2);
  snapshot.release();
  expect(openTables()).toEqual([]);
});

test('tables that were opened for a manifest without room are closed again', async () => {
  const { place, store, openTables } = await open(hastyWorld());
  await fill(store, 'a');
  await store.tidy();
  place.refusesManifests = true;
  await fill(store, 'b');
  while (place.refusedManifests < 3) await new Promise((resolve) => setImmediate(resolve));
  place.refusesManifests = false;
  await store.tidy();
  expect(openTables()).toEqual(await place.tables());
  await store.close();
  expect(openTables()).toEqual([]);
});

test('runs that cannot be opened as a whole leave none of their tables open', async () => {
  const { store, objects, openTables } = await open();
  await fill(store, 'a');
  await store.tidy();
  await store.close();
  const { runs } = (await loadNewestManifest(objects)) ?? { runs: [] };
  const last = runs.at(-1)?.tables.at(-1)?.name ?? '';
  await objects.delete([last]);
  const files = new TableFiles({
    ...withDefaults({ storage: 'memory', world: systemWorld() }),
    objects,
  });
  const failure = await files.openRuns(runs, [], 'refused').catch((error: unknown) => error);
  expect(failure).toMatchObject({ fault: { kind: 'missing', object: last } });
  expect(openTables()).toEqual([]);
});
