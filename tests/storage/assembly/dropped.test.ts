/** Ranges that a commit gives up: their space comes back, nothing else is touched, and a crash at no point brings them back. */

import { expect, test } from 'bun:test';
import { afterPrefix, systemWorld } from '#base';
import type { LsmStore } from '../../../src/storage/assembly/lsm-store.ts';
import { openStoreIn } from '../../../src/storage/assembly/open.ts';
import { loadNewestManifest } from '../../../src/storage/manifest/manifest-store.ts';
import type { IoFile, OpenMode } from '../../../src/storage/object/directory-io.ts';
import { prepareTree } from '../../../src/storage/object/directory-tree.ts';
import { directoryLocation } from '../../../src/storage/place/location.ts';
import { PlainDirectory } from '../bit-rot/plain-directory.ts';
import { seededRandom } from '../object/seeded-world.ts';
import { bytes, read, take, write } from '../transaction/support.ts';
import { failingPlace } from './place.ts';

const small = { memtableBytes: 20_000, tableBytes: 8_000, blockBytes: 1024, flushedRunsMax: 4 };

type Place = ReturnType<typeof failingPlace>;

const open = (place: Place): Promise<LsmStore> =>
  openStoreIn(place, { storage: 'memory', world: systemWorld(), ...small });

const prefixed = (prefix: string) => ({ from: bytes(prefix), to: afterPrefix(bytes(prefix)) });
/** No two alike, or a block would hold one for all. */
const wordy = (of: string): string => `${of} ${'x'.repeat(90)}`;
const key = (prefix: string, i: number): string => `${prefix}${String(i).padStart(4, '0')}`;

async function fill(store: LsmStore, prefix: string, count = 200): Promise<void> {
  for (let from = 0; from < count; from += 20) {
    const keys = Array.from({ length: 20 }, (_, i) => key(prefix, from + i));
    await write(store, Object.fromEntries(keys.map((each) => [each, wordy(each)])));
  }
}

async function drop(store: LsmStore, prefix: string): Promise<void> {
  const transaction = store.begin();
  transaction.dropRange(prefixed(prefix));
  expect(transaction.isEmpty).toBe(false);
  expect((await transaction.commit()).kind).toBe('committed');
  transaction.release();
}

async function count(store: LsmStore, prefix: string): Promise<number> {
  const snapshot = store.snapshot();
  const rows = await take(snapshot.scan(prefixed(prefix), 'forward'));
  snapshot.release();
  return rows.length;
}

const storedEntries = (store: LsmStore): number =>
  store.statistics().runs.reduce((sum, run) => sum + run.entries, 0);

/** How many ranges the newest manifest says are dropped. */
async function namedRanges(place: Place): Promise<number> {
  const manifest = await loadNewestManifest(place.objects);
  return manifest?.properties.get('dropped')?.[0] ?? 0;
}

test('tables inside a dropped range go at once, and are not read for it', async () => {
  const place = failingPlace();
  const store = await open(place);
  await fill(store, 'a', 1000);
  await fill(store, 'b');
  await store.tidy();
  const before = await place.tables();
  place.tableReads = 0;
  await drop(store, 'a');
  await store.idle();
  const after = await place.tables();
  expect(before.length - after.length).toBeGreaterThan(8);
  expect(place.tableReads).toBe(0);
  expect(await count(store, 'b')).toBe(200);
  await store.close();
});

test('what other tables hold of it goes when nothing else is to be done, and then it is forgotten', async () => {
  const place = failingPlace();
  const store = await open(place);
  for (const prefix of ['a', 'b', 'c']) await fill(store, prefix, 60);
  await store.tidy();
  await drop(store, 'b');
  await write(store, { 'd last': '1' });
  await store.tidy();
  expect(storedEntries(store)).toBe(121);
  for (const prefix of ['a', 'c']) expect(await count(store, prefix)).toBe(60);
  expect(await count(store, 'b')).toBe(0);
  expect(await namedRanges(place)).toBe(0);
  await store.close();
});

test('a range between the keys of a table that holds none of it costs nothing', async () => {
  const place = failingPlace();
  const store = await open(place);
  await fill(store, 'a', 20);
  await fill(store, 'c', 20);
  await store.tidy();
  const tables = await place.tables();
  await drop(store, 'b');
  await store.tidy();
  expect(await place.tables()).toEqual(tables);
  expect(await namedRanges(place)).toBe(0);
  await store.close();
});

test('what is dropped before it is flushed never becomes a table', async () => {
  const place = failingPlace();
  const store = await open(place);
  await fill(store, 'a', 40);
  await drop(store, 'a');
  await store.tidy();
  expect(await place.tables()).toEqual([]);
  expect(store.statistics().memtables.count).toBe(1);
  await store.close();
});

test('an older snapshot keeps the range until it is released', async () => {
  const place = failingPlace();
  const store = await open(place);
  await fill(store, 'a', 400);
  await store.tidy();
  const snapshot = store.snapshot();
  await drop(store, 'a');
  await store.tidy();
  expect((await take(snapshot.scan(prefixed('a'), 'forward'))).length).toBe(400);
  expect(await read(snapshot, key('a', 7))).toBe(wordy(key('a', 7)));
  snapshot.release();
  await store.idle();
  expect(await place.tables()).toEqual([]);
  await store.close();
});

test('a range is dropped by the log alone, and by the manifest once the log is cut', async () => {
  for (const isFlushed of [false, true]) {
    const place = failingPlace();
    const store = await open(place);
    for (const prefix of ['a', 'b']) await fill(store, prefix, 300);
    await store.tidy();
    // Nobody may drop anything while somebody looks.
    const snapshot = store.snapshot();
    await drop(store, 'a');
    await write(store, { 'b more': '1' });
    if (isFlushed) await store.tidy();
    expect(await namedRanges(place)).toBe(isFlushed ? 1 : 0);
    expect(storedEntries(store)).toBe(isFlushed ? 601 : 600);
    snapshot.release();
    // A crash: the first one is never closed.
    const again = await open(place);
    await again.tidy();
    expect(storedEntries(again)).toBe(301);
    expect(await count(again, 'b')).toBe(301);
    expect(await namedRanges(place)).toBe(0);
    await again.close();
  }
});

// Of the two only the one that is acknowledged early lets go of its view before.
test.each(['durable', 'memory'] as const)(
  'what is dropped goes when the commit that drops it is durable, and not before: %s',
  async (commitDurability) => {
    const directory = new GatedDirectory();
    await prepareTree(directory);
    const world = systemWorld();
    const parts = directoryLocation(directory, world);
    const place = { ...parts, unenforced: undefined, announce: () => {}, close: () => {} };
    const options = { storage: 'file', world, commitDurability, ...small } as const;
    const store = await openStoreIn(place, options);
    await fill(store, 'a', 400);
    await store.tidy();
    const tables = () => directory.entries('sst').length;
    const before = tables();
    expect(before).toBeGreaterThan(2);
    const open = directory.shut();
    const dropping = drop(store, 'a');
    if (commitDurability === 'memory') await dropping;
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(tables()).toBe(before);
    open();
    await dropping;
    await store.idle();
    expect(tables()).toBe(0);
    await store.close();
  },
);

/** A directory whose log writes wait while it is shut. */
class GatedDirectory extends PlainDirectory {
  private gate: Promise<void> = Promise.resolve();

  shut(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.gate = promise;
    return resolve;
  }

  override open(path: string, mode: OpenMode): IoFile | undefined {
    const file = super.open(path, mode);
    if (file === undefined || mode !== 'log') return file;
    return {
      ...file,
      writeDurably: async (source, position) => {
        await this.gate;
        await file.writeDurably(source, position);
      },
    };
  }
}

test('dropping twice is dropping once', async () => {
  const place = failingPlace();
  const store = await open(place);
  await fill(store, 'a');
  const snapshot = store.snapshot();
  await drop(store, 'a');
  await drop(store, 'a');
  await write(store, { b: '1' });
  await store.tidy();
  expect(await namedRanges(place)).toBe(1);
  snapshot.release();
  await store.close();
});

test.each([1, 2, 3])(
  'ranges come and go under writes, merges and crashes, seed %p',
  async (seed) => {
    const unit = seededRandom(seed);
    const place = failingPlace();
    let store = await open(place);
    /** They have not come to their end when the next one begins, and may leave a table behind. */
    const crashed: LsmStore[] = [];
    let next = 0;
    const live = new Map<string, Set<string>>();
    const name = () => [...live.keys()][Math.floor(unit() * live.size)] as string;
    for (let step = 0; step < 400; step++) {
      const choice = unit();
      if (live.size < 3 || choice < 0.1) live.set(key('t', next++), new Set());
      else if (choice < 0.2) {
        const dropped = name();
        live.delete(dropped);
        await drop(store, dropped);
      } else if (choice < 0.22) {
        if (unit() < 0.5) await store.close();
        crashed.push(store);
        store = await open(place);
      } else {
        const table = name();
        const rows = Array.from({ length: 10 }, () => key(table, Math.floor(unit() * 50)));
        for (const row of rows) live.get(table)?.add(row);
        await store.admitWrite();
        await write(store, Object.fromEntries(rows.map((row) => [row, wordy(row)])));
      }
    }
    for (const [table, rows] of live) expect(await count(store, table)).toBe(rows.size);
    for (const each of crashed) await each.close();
    await store.close();
    store = await open(place);
    await store.tidy();
    for (const [table, rows] of live) expect(await count(store, table)).toBe(rows.size);
    const rows = [...live.values()].reduce((sum, { size }) => sum + size, 0);
    expect(storedEntries(store)).toBe(rows);
    expect(await namedRanges(place)).toBe(0);
    const named = store.statistics().runs.reduce((sum, run) => sum + run.tables, 0);
    expect((await place.tables()).length).toBe(named);
    await store.close();
  },
);
