/** What is kept as long as somebody sees it, and goes when nobody does. */

import { expect, test } from 'bun:test';
import { systemWorld } from '#base';
import { openStoreIn } from '../../../src/storage/assembly/open.ts';
import { tableName } from '../../../src/storage/object/names.ts';
import { seededRandom } from '../object/seeded-world.ts';
import { range, read, take, write } from '../transaction/support.ts';
import { failingPlace } from './place.ts';
import { smallShape, Workload } from './workload.ts';

const small = { memtableBytes: 20_000, tableBytes: 8_000, blockBytes: 1024, flushedRunsMax: 4 };
const filler = 'x'.repeat(90);

const key = (i: number): string => `key ${String(i).padStart(4, '0')}`;

async function open(place = failingPlace()) {
  const store = await openStoreIn(place, { storage: 'memory', world: systemWorld(), ...small });
  return { place, store };
}

type Opened = Awaited<ReturnType<typeof open>>['store'];

/** Writes 200 rows in ten commits. */
async function fill(store: Opened, mark: string): Promise<void> {
  for (let from = 0; from < 200; from += 20) {
    const rows = Array.from({ length: 20 }, (_, i) => [key(from + i), `${mark}${filler}`]);
    await store.admitWrite();
    await write(store, Object.fromEntries(rows));
  }
}

const storedBytes = (store: Opened): number =>
  store.statistics().runs.reduce((sum, run) => sum + run.bytes, 0);

test('the same data ten times over takes the room of one and a bit, once idle', async () => {
  const { place, store } = await open();
  await fill(store, 'first');
  await store.tidy();
  const once = storedBytes(store);
  for (let round = 0; round < 10; round++) await fill(store, `round ${round}`);
  await store.tidy();
  expect(storedBytes(store)).toBeLessThan(1.3 * once);
  const named = store.statistics().runs.reduce((sum, run) => sum + run.tables, 0);
  expect((await place.tables()).length).toBe(named);
  await store.close();
});

test('everything deleted takes no room', async () => {
  const { place, store } = await open();
  await fill(store, 'a');
  await store.tidy();
  for (let i = 0; i < 200; i++) await write(store, { [key(i)]: undefined });
  await store.tidy();
  expect(store.statistics().runs).toEqual([]);
  expect(await place.tables()).toEqual([]);
  await store.close();
});

test('a snapshot and an open scan see their state through flushes and merges', async () => {
  const { place, store } = await open();
  await fill(store, 'old');
  const snapshot = store.snapshot();
  const cursor = snapshot.scan(range(''), 'forward');
  await take(cursor, 5);
  for (let round = 0; round < 6; round++) await fill(store, `new ${round}`);
  await store.tidy();
  expect(await read(snapshot, key(7))).toBe(`old${filler}`);
  const rest = await take(cursor);
  expect(rest.length).toBe(195);
  expect(rest.every((entry) => entry.includes('=old'))).toBe(true);
  cursor.close();
  expect((await take(snapshot.scan(range(''), 'backward'))).length).toBe(200);
  snapshot.release();
  await fill(store, 'newest');
  await store.tidy();
  const named = store.statistics().runs.reduce((sum, run) => sum + run.tables, 0);
  expect((await place.tables()).length).toBe(named);
  await store.close();
});

test('files that only an open scan needs go when it is closed', async () => {
  const { place, store } = await open();
  await fill(store, 'old');
  await store.tidy();
  const before = await place.tables();
  const snapshot = store.snapshot();
  const cursor = snapshot.scan(range(''), 'forward');
  await take(cursor, 5);
  await fill(store, 'new');
  await store.tidy();
  expect(await place.tables()).toEqual(expect.arrayContaining(before));
  cursor.close();
  snapshot.release();
  await store.idle();
  for (const name of before) expect(await place.tables()).not.toContain(name);
  await store.close();
});

test('what is open in the log comes back, and so do tables', async () => {
  const { place, store } = await open();
  await fill(store, 'a');
  await write(store, { last: 'one' });
  await store.close();
  const again = await openStoreIn(place, { storage: 'memory', world: systemWorld(), ...small });
  const snapshot = again.snapshot();
  expect((await take(snapshot.scan(range(''), 'forward'))).length).toBe(201);
  expect(await read(snapshot, 'last')).toBe('one');
  await write(again, { next: 'two' });
  await again.close();
});

test('tables that a crash left behind are deleted by the next opening', async () => {
  const { place, store } = await open();
  await fill(store, 'a');
  await store.tidy();
  await store.close();
  const orphan = tableName(1, 999_999);
  await place.objects.put(orphan, new Uint8Array(10));
  const { store: again } = await open(place);
  await again.idle();
  expect(await place.tables()).not.toContain(orphan);
  expect((await place.tables()).length).toBeGreaterThan(0);
  await again.close();
});

test.each([1, 2, 3])(
  'no table that anybody needs is deleted, and every other one is, seed %p',
  async (seed) => {
    const unit = seededRandom(seed);
    const workload = new Workload(unit, { ...smallShape, keys: 150, snapshots: 5 });
    const tiny = { memtableBytes: 1500, blockBytes: 512, tableBytes: 2000, flushedTablesMax: 4 };
    const options = { storage: 'memory', world: systemWorld(), ...tiny, cacheBytes: 4096 } as const;
    const place = failingPlace();
    /** They have not come to their end when the next one begins, and may leave a table behind. */
    const crashed: Opened[] = [];
    for (let life = 0; life < 4; life++) {
      const store = await openStoreIn(place, options);
      await workload.reopened(store);
      for (let part = 0; part < 3; part++) {
        await workload.run(store, 500);
        if (unit() < 0.5) await store.tidy();
      }
      await workload.settle();
      // Every other life ends in a crash.
      if (life % 2 === 0) await store.close();
      else crashed.push(store);
    }
    for (const each of crashed) await each.close();
    const store = await openStoreIn(place, options);
    await workload.reopened(store);
    await store.tidy();
    expect(place.deletedNeeded).toEqual([]);
    expect(place.deletedTables).toBeGreaterThan(50);
    const named = store.statistics().runs.reduce((sum, run) => sum + run.tables, 0);
    expect((await place.tables()).length).toBe(named);
    await store.close();
  },
);
