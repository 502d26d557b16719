/** A disk that runs full: writes are refused and say why, reads go on, and nothing has to be started again once there is room. */

import { expect, test } from 'bun:test';
import { systemWorld, type World } from '#base';
import type { DatabaseError } from '#failure';
import type { Store } from '#storage';
import type { LsmStore } from '../../../src/storage/assembly/lsm-store.ts';
import { openInOrWait, openStoreIn } from '../../../src/storage/assembly/open.ts';
import { prepareTree } from '../../../src/storage/object/directory-tree.ts';
import {
  directoryLocation,
  type SegmentLocation,
  type StorageLocation,
} from '../../../src/storage/place/location.ts';
import { FaultyDirectory } from '../object/faulty-directory.ts';
import { seededRandom } from '../object/seeded-world.ts';
import { range, read, take, write } from '../transaction/support.ts';

const small = { memtableBytes: 20_000, tableBytes: 16_000, blockBytes: 1024 };
const segmentBytes = 64 << 10;
const filler = 'x'.repeat(500);

/** What is tried again after a while is tried at the end of the turn. */
function impatient(): World {
  const system = systemWorld();
  const after = (_: number, task: () => void) => {
    const timer = setImmediate(task);
    return { cancel: () => clearImmediate(timer) };
  };
  return { ...system, scheduler: { ...system.scheduler, after } };
}

async function placeIn(directory: FaultyDirectory, world: World): Promise<StorageLocation> {
  await prepareTree(directory);
  const parts = directoryLocation(directory, world, segmentBytes);
  return { ...parts, unenforced: undefined, announce: () => {}, close: () => {} };
}

async function open(directory: FaultyDirectory): Promise<LsmStore> {
  const world = impatient();
  return openStoreIn(await placeIn(directory, world), { storage: 'file', world, ...small });
}

async function openOrWait(directory: FaultyDirectory): Promise<Store> {
  const world = impatient();
  return openInOrWait(await placeIn(directory, world), { storage: 'file', world, ...small });
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Writes new keys until one is refused; how many were written. */
async function fillUp(store: LsmStore, from: number): Promise<[number, DatabaseError]> {
  for (let i = from; ; i++) {
    try {
      await write(store, { [`key ${i}`]: `${i}${filler}` });
    } catch (error) {
      return [i, error as DatabaseError];
    }
    await turn();
  }
}

test.each([300_000, 330_000, 360_000, 400_000, 470_000])(
  'with %p bytes of room',
  async (roomBytes) => {
    const directory = new FaultyDirectory(seededRandom(3), { roomBytes });
    const store = await open(directory);
    const [written, refusal] = await fillUp(store, 0);
    expect(refusal.failure).toMatchObject({ reason: 'overloaded', retryAfterSeconds: 1 });
    expect(refusal.failure.detail).toContain('the storage is full');
    expect(store.poisoned).toBeUndefined();
    // Reads show all that was acknowledged, and nobody waits for what was not.
    const snapshot = store.snapshot();
    expect((await take(snapshot.scan(range(''), 'forward'))).length).toBe(written);
    expect(store.durable(snapshot.sequence)).toBeUndefined();
    snapshot.release();
    // Somebody makes room: writes, flushes and merges go on.
    directory.room += 2_000_000;
    let [next] = [written];
    for (let tries = 0; next < written + 200; tries++) {
      expect(tries).toBeLessThan(500);
      await turn();
      await write(store, { [`key ${next}`]: `${next}${filler}` }).then(
        () => next++,
        () => {},
      );
    }
    await store.tidy();
    expect(store.statistics().memtables.count).toBe(1);
    expect(store.statistics().compaction.jobs).toBeGreaterThan(0);
    await store.close();
    const again = await open(directory.afterKill());
    expect((await take(again.snapshot().scan(range(''), 'forward'))).length).toBe(next);
    expect(await read(again.snapshot(), `key ${next - 1}`)).toBe(`${next - 1}${filler}`);
    await again.close();
  },
);

const isFull = { fault: { kind: 'full' } };

test('each look says that there is no room while writes are refused, and that there is some again', async () => {
  const directory = new FaultyDirectory(seededRandom(3), { roomBytes: 330_000 });
  const store = await open(directory);
  expect(await store.observe()).toBeUndefined();
  const [written] = await fillUp(store, 0);
  expect(await store.observe().catch((error: unknown) => error)).toMatchObject(isFull);
  expect(store.poisoned).toBeUndefined();
  directory.room += 2_000_000;
  let news: unknown = 'none';
  // A refusal for want of room is remembered for a moment.
  for (let tries = 0; news !== undefined && tries < 1000; tries++) {
    await turn();
    news = await store.observe().catch((error: unknown) => error);
  }
  expect(news).toBeUndefined();
  await write(store, { [`key ${written}`]: 'goes on' });
  await store.close();
});

test('a look says so too while only small writes still fit', async () => {
  const directory = new FaultyDirectory(seededRandom(3), { roomBytes: 330_000 });
  const store = await open(directory);
  // A segment is made ahead of need.
  await write(store, { first: filler.repeat(70) });
  await store.idle();
  directory.room = 28 << 10;
  const large = { large: 'y'.repeat(100_000) };
  const refusal = await write(store, large).catch((error: unknown) => error);
  expect(refusal).toMatchObject({ failure: { reason: 'overloaded' } });
  await write(store, { small: '1' });
  for (let look = 0; look < 3; look++) {
    expect(await store.observe().catch((error: unknown) => error)).toMatchObject(isFull);
  }
  directory.room += 2_000_000;
  while ((await store.observe().catch((error: unknown) => error)) !== undefined) await turn();
  await write(store, large);
  await store.close();
});

test('an idle store on a full disk is fit as long as its log has room', async () => {
  const directory = new FaultyDirectory(seededRandom(3));
  const store = await open(directory);
  directory.room = 0;
  await store.observe();
  expect(await store.observe()).toBeUndefined();
  await write(store, { a: '1' });
  await store.close();
});

test.each([0, 30_000, 60_000])(
  'with %p bytes of room a store opens to be read, and goes on by itself when there is more',
  async (roomBytes) => {
    const before = new FaultyDirectory(seededRandom(3));
    const crashed = await open(before);
    for (let i = 0; i < 200; i++) await write(crashed, { [`key ${i}`]: `${i}${filler}` });
    const directory = before.afterKill({ roomBytes });
    const store = await openOrWait(directory);
    const snapshot = store.snapshot();
    const rows = async () => (await take(store.snapshot().scan(range(''), 'forward'))).length;
    expect(await rows()).toBe(200);
    expect(store.pressure).toBe('stop');
    const refusal = await store.admitWrite()?.catch((error: unknown) => error);
    expect(refusal).toMatchObject({ failure: { reason: 'overloaded', retryAfterSeconds: 1 } });
    expect(() => store.begin()).toThrow('the storage is full');
    for (let i = 0; i < 3; i++) {
      expect(await store.observe().catch((error: unknown) => error)).toMatchObject(isFull);
    }
    // Nothing was claimed in vain.
    const claims = directory.entries('epoch').length;
    await store.observe().catch(() => {});
    expect(directory.entries('epoch').length).toBe(claims);
    directory.room = 10_000_000;
    expect(await store.observe()).toBeUndefined();
    expect(store.pressure).not.toBe('stop');
    await write(store, { 'key 200': 'goes on' });
    expect(await read(snapshot, 'key 200')).toBeUndefined();
    expect(await read(snapshot, 'key 7')).toBe(`7${filler}`);
    snapshot.release();
    expect(await rows()).toBe(201);
    await store.close();
    const again = await open(directory.afterKill());
    expect((await take(again.snapshot().scan(range(''), 'forward'))).length).toBe(201);
    await again.close();
  },
);

test('on a full disk no new store is made', async () => {
  const directory = new FaultyDirectory(seededRandom(3), { roomBytes: 0 });
  const failure = await openOrWait(directory).catch((error: unknown) => error);
  expect(failure).toMatchObject(isFull);
});

test('a store that waits for room is closed only when an opening under way is through, and with it', async () => {
  const before = new FaultyDirectory(seededRandom(3));
  const crashed = await open(before);
  await write(crashed, { a: '1' });
  const directory = before.afterKill({ roomBytes: 0 });
  const world = impatient();
  const place = (await placeIn(directory, world)) as SegmentLocation;
  const steps: string[] = [];
  const gate = Promise.withResolvers<void>();
  const waiting = await openInOrWait(
    {
      ...place,
      tryRoom: async () => {
        await gate.promise;
        steps.push('room');
      },
      close: () => steps.push('closed'),
    },
    { storage: 'file', world, ...small },
  );
  const looking = waiting.observe();
  const closing = waiting.close().then(() => steps.push('through'));
  await turn();
  expect(steps).toEqual([]);
  directory.room = 10_000_000;
  gate.resolve();
  expect(await looking).toBeUndefined();
  await closing;
  expect(steps).toEqual(['room', 'closed', 'through']);
  const refusal = await write(waiting, { a: '2' }).catch((error: unknown) => error);
  expect(refusal).toMatchObject({ failure: { detail: 'the store is closed' } });
});
