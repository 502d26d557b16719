/** What the store does when the place fails it, is taken, or speaks a newer format. */

import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemWorld } from '#base';
import { DatabaseError } from '#failure';
import { openStore, StorageError } from '#storage';
import { openStoreIn } from '../../../src/storage/assembly/open.ts';
import { memoryLocation } from '../../../src/storage/place/location.ts';
import { bytes, read, write } from '../transaction/support.ts';
import { failingPlace, hastyWorld } from './place.ts';

const tiny = { storage: 'memory', memtableBytes: 500, tableBytes: 2000, blockBytes: 512 } as const;

async function thrown(work: () => Promise<unknown>): Promise<unknown> {
  try {
    await work();
  } catch (error) {
    return error;
  }
  return undefined;
}

test('a flush without room is tried again; nothing is lost and nobody is poisoned', async () => {
  const place = failingPlace();
  const store = await openStoreIn(place, { ...tiny, world: hastyWorld() });
  place.trouble = 'full';
  for (let i = 0; i < 40; i++) await write(store, { [`key ${i}`]: 'x'.repeat(40) });
  expect(store.statistics().flush.flushes).toBe(0);
  expect(store.statistics().memtables.count).toBeGreaterThan(3);
  expect(store.pressure).toBe('delay');
  place.trouble = undefined;
  await store.idle();
  expect(store.poisoned).toBeUndefined();
  expect(store.statistics().memtables.count).toBe(1);
  for (let i = 0; i < 40; i++) expect(await read(store.snapshot(), `key ${i}`)).toBeDefined();
  await store.close();
});

test('a manifest without room is tried again, and what was made for it is deleted', async () => {
  const place = failingPlace();
  const store = await openStoreIn(place, { ...tiny, world: hastyWorld() });
  place.refusesManifests = true;
  for (let i = 0; i < 8; i++) await write(store, { [`key ${i}`]: 'x'.repeat(60) });
  while (place.refusedManifests < 3) await new Promise((resolve) => setImmediate(resolve));
  expect(store.poisoned).toBeUndefined();
  expect(store.statistics().flush.flushes).toBe(0);
  place.refusesManifests = false;
  await store.tidy();
  expect(store.statistics().runs.map((run) => run.entries)).toEqual([8]);
  const named = store.statistics().runs.reduce((sum, run) => sum + run.tables, 0);
  expect((await place.tables()).length).toBe(named);
  await store.close();
});

test('a flush that fails for good poisons the store', async () => {
  const place = failingPlace();
  const store = await openStoreIn(place, { ...tiny, world: hastyWorld() });
  place.trouble = 'io';
  for (let i = 0; i < 8; i++) await write(store, { [`key ${i}`]: 'x'.repeat(60) });
  await store.idle();
  expect(store.poisoned).toBeInstanceOf(StorageError);
  const error = await thrown(() => write(store, { more: '1' }));
  expect((error as DatabaseError).failure.reason).toBe('storage_unavailable');
  await store.close();
});

test('writes stand still when memory is full, and are refused when that lasts', async () => {
  const place = failingPlace();
  place.trouble = 'full';
  const options = { ...tiny, unflushedBytesMax: 300_000, world: hastyWorld() };
  const store = await openStoreIn(place, options);
  for (let i = 0; store.pressure !== 'stop'; i++) await write(store, { [`${i}`]: 'x'.repeat(400) });
  const refused = (await thrown(async () => store.admitWrite())) as DatabaseError;
  expect(refused).toBeInstanceOf(DatabaseError);
  expect(refused.failure.reason).toBe('overloaded');
  expect(refused.failure.retryAfterSeconds).toBeGreaterThan(0);
  const admitted = store.admitWrite();
  place.trouble = undefined;
  await admitted;
  const { stopped, refused: count } = store.statistics().pressure;
  expect([stopped, count]).toEqual([2, 1]);
  await store.close();
});

test('a second store on a directory is told who holds it', async () => {
  const path = mkdtempSync(join(tmpdir(), 'store-'));
  const world = systemWorld();
  const options = { storage: 'file', path, world, holderAddress: '127.0.0.1:7237' } as const;
  const store = await openStore(options);
  try {
    const error = (await thrown(() => openStore(options))) as StorageError;
    expect(error).toBeInstanceOf(StorageError);
    expect(error.fault).toMatchObject({
      kind: 'locked',
      holder: { pid: process.pid, address: '127.0.0.1:7237' },
    });
    await store.close();
    await (await openStore(options)).close();
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
});

test('a commit in a format of the future is refused, not guessed at', async () => {
  const place = memoryLocation();
  const store = await openStoreIn(place, { ...tiny, world: systemWorld() });
  await store.close();
  const log = await place.logs.start(
    await place.logs.recover({
      epoch: 1,
      sealedBefore: 0,
      seals: [],
      extent: undefined,
      boundary: 0,
      replay: () => {},
    }),
    () => undefined,
  );
  log.append([Uint8Array.of(9, 1, 2, 3)]);
  const error = await thrown(() => openStoreIn(place, { ...tiny, world: systemWorld() }));
  expect((error as StorageError).fault).toMatchObject({ kind: 'format', version: 9 });
});

test('closing gives up merges, refuses commits and may be repeated', async () => {
  const place = memoryLocation();
  const store = await openStoreIn(place, { ...tiny, world: systemWorld() });
  for (let i = 0; i < 100; i++) await write(store, { [`key ${i % 30}`]: `${i}`.repeat(20) });
  const late = store.begin();
  late.put(bytes('late'), bytes('1'));
  await Promise.all([store.close(), store.close()]);
  const error = await thrown(() => late.commit());
  expect((error as DatabaseError).failure.reason).toBe('storage_unavailable');
  expect(store.poisoned).toBeUndefined();
  const again = await openStoreIn(place, { ...tiny, world: systemWorld() });
  expect(await read(again.snapshot(), 'key 9')).toBe('99'.repeat(20));
  expect(await read(again.snapshot(), 'late')).toBeUndefined();
  await again.close();
});

test('with early acknowledgement nobody waits for the log', async () => {
  const path = mkdtempSync(join(tmpdir(), 'store-'));
  const world = systemWorld();
  const store = await openStore({ storage: 'file', path, world, commitDurability: 'memory' });
  try {
    const sequence = await write(store, { a: '1' });
    expect(store.durable(sequence)).toBeUndefined();
    expect(store.statistics().log.groups).toBe(0);
    await store.close();
    const again = await openStore({ storage: 'file', path, world });
    expect(await read(again.snapshot(), 'a')).toBe('1');
    await again.close();
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
});
