/** What a commit in SSTables means for everybody else: conflicts, changes of areas, leftovers, and a full device. */

import { expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemWorld } from '#base';
import { DatabaseError } from '#failure';
import { openSpillSpace, openStore, type Transaction } from '#storage';
import type { LsmStore } from '../../../src/storage/assembly/lsm-store.ts';
import { openStoreIn } from '../../../src/storage/assembly/open.ts';
import { memoryStore } from '../../../src/storage/object/memory-store.ts';
import { StorageError } from '../../../src/storage/object/storage-fault.ts';
import type { ObjectStore } from '../../../src/storage/object/store.ts';
import {
  bucketLocation,
  memoryLocation,
  type SegmentLocation,
} from '../../../src/storage/place/location.ts';
import { spilledObjects } from '../../../src/storage/spill/spilled-objects.ts';
import { opaqueValues } from '../../../src/storage/table/opaque-codec.ts';
import { rejection } from '../../support/outcome.ts';
import { bytes, range, read, take, write } from './support.ts';

const options = {
  storage: 'memory',
  world: systemWorld(),
  writeShareBytes: 1000,
  codecs: opaqueValues,
  // The first byte of a key is its area.
  areaOf: (key: Uint8Array, from: number) => key[from],
} as const;

interface Place {
  readonly place: SegmentLocation;
  /** The beginning of the names of objects for which there is no room. */
  fullFor: string | undefined;
  /** Free bytes of the device. */
  free: number;
  /** The beginning of the names of objects that cannot be opened. */
  unreadable: string | undefined;
  names(): Promise<readonly string[]>;
}

function placeOf(): Place {
  const memory = memoryLocation();
  const refuse = (name: string) => {
    if (it.fullFor === undefined || !name.startsWith(it.fullFor)) return;
    throw new StorageError({ kind: 'full', operation: 'write', object: name });
  };
  const put: ObjectStore['put'] = async (name, body) => {
    refuse(name);
    await memory.objects.put(name, body);
  };
  const putIfAbsent: ObjectStore['putIfAbsent'] = async (name, body) => {
    refuse(name);
    return memory.objects.putIfAbsent(name, body);
  };
  const openRead: ObjectStore['openRead'] = (name, size) => {
    if (it.unreadable === undefined || !name.startsWith(it.unreadable)) {
      return memory.objects.openRead(name, size);
    }
    throw new StorageError({ kind: 'io', operation: 'open', object: name });
  };
  const names = async () =>
    (await memory.objects.list(''))
      .map(({ name }) => name)
      .filter((name) => /^(sst|tmp)/.test(name));
  const it: Place = {
    place: {
      ...memory,
      objects: { ...memory.objects, put, putIfAbsent, openRead },
      freeBytes: () => it.free,
    },
    free: Infinity,
    fullFor: undefined,
    unreadable: undefined,
    names,
  };
  return it;
}

async function fill(transaction: Transaction, from: number, to: number): Promise<void> {
  for (let i = from; i < to; i++) {
    transaction.put(bytes(`row ${String(i).padStart(4, '0')}`), bytes('v'.repeat(20)));
    await transaction.relieve();
  }
}

async function large(store: LsmStore, from = 0, to = 300): Promise<number> {
  const transaction = store.begin();
  await fill(transaction, from, to);
  const outcome = await transaction.commit();
  transaction.release();
  if (outcome.kind !== 'committed') throw new Error(outcome.kind);
  return outcome.sequence;
}

async function outcomeAfterLarge(reads: (it: Transaction) => Promise<unknown>) {
  const store = await openStoreIn(placeOf().place, options);
  const other = store.begin();
  await reads(other);
  other.put(bytes('other'), bytes('1'));
  await large(store, 100, 200);
  const outcome = await other.commit();
  other.release();
  await store.close();
  return outcome;
}

test('who has read a key or a gap among the written ones has lost, and is told no key that may be wrong', async () => {
  const lost = { kind: 'conflict', key: undefined };
  expect(await outcomeAfterLarge((it) => read(it, 'row 0150'))).toEqual(lost as never);
  expect(await outcomeAfterLarge((it) => read(it, 'row 0199'))).toEqual(lost as never);
  expect(
    await outcomeAfterLarge((it) => take(it.scan(range('row 0190', 'row 03'), 'forward'))),
  ).toEqual(lost as never);
});

test('who has read elsewhere, or only written, has not', async () => {
  const reads = [
    (it: Transaction) => read(it, 'row 0099'),
    (it: Transaction) => read(it, 'row 0200'),
    (it: Transaction) => take(it.scan(range('s'), 'forward')),
    async () => {},
  ];
  for (const each of reads) expect((await outcomeAfterLarge(each)).kind).toBe('committed');
});

test('a large transaction loses to what it has read, and leaves nothing behind', async () => {
  const { place, names } = placeOf();
  const store = await openStoreIn(place, options);
  const transaction = store.begin();
  await read(transaction, 'row 0005');
  await fill(transaction, 0, 300);
  expect((await names()).length).toBeGreaterThan(3);
  await write(store, { 'row 0005': 'first' });
  expect((await transaction.commit()).kind).toBe('conflict');
  transaction.release();
  await store.idle();
  expect(await names()).toEqual([]);
  await store.close();
});

test('a transaction that is released deletes its runs, also the one that is being written', async () => {
  const { place, names } = placeOf();
  const store = await openStoreIn(place, options);
  const transaction = store.begin();
  await fill(transaction, 0, 100);
  for (let i = 100; i < 200; i++) transaction.put(bytes(`row ${i}`), bytes('v'.repeat(20)));
  const wait = transaction.relieve();
  transaction.release();
  await wait;
  await store.idle();
  expect(await names()).toEqual([]);
  await store.close();
});

test('many runs are merged into one, and the commit has all of them', async () => {
  const { place, names } = placeOf();
  const store = await openStoreIn(place, options);
  const transaction = store.begin();
  let most = 0;
  for (let part = 0; part < 40; part++) {
    await fill(transaction, part * 50, part * 50 + 50);
    most = Math.max(most, (await names()).length);
  }
  expect(most).toBeLessThanOrEqual(64);
  expect((await take(transaction.scan(range(''), 'forward'))).length).toBe(2000);
  expect((await transaction.commit()).kind).toBe('committed');
  transaction.release();
  const snapshot = store.snapshot();
  expect((await take(snapshot.scan(range(''), 'forward'))).length).toBe(2000);
  snapshot.release();
  await store.close();
});

test('its areas have changed, others have not, and a reopened store names the same changes', async () => {
  const { place } = placeOf();
  const store = await openStoreIn(place, options);
  await write(store, { alpha: '1' });
  const [row, alpha] = [bytes('row')[0] as number, bytes('alpha')[0] as number];
  const before = [store.changeOf(row), store.changeOf(alpha)];
  await large(store);
  expect(store.changeOf(row)).not.toBe(before[0] as string);
  expect(store.changeOf(alpha)).toBe(before[1] as string);
  const after = store.changeOf(row);
  await store.close();
  const again = await openStoreIn(place, options);
  expect(again.changeOf(row)).toBe(after);
  await again.tidy();
  await again.close();
  const last = await openStoreIn(place, options);
  expect(last.changeOf(row)).toBe(after);
  await last.close();
});

test('on a full device this program alone fails, and the store goes on', async () => {
  const it = placeOf();
  const store = await openStoreIn(it.place, options);
  const transaction = store.begin();
  await fill(transaction, 0, 100);
  it.fullFor = '';
  const failure = await rejection(fill(transaction, 100, 300));
  expect(failure).toBeInstanceOf(DatabaseError);
  expect((failure as DatabaseError).failure.reason).toBe('overloaded');
  transaction.release();
  await write(store, { small: '1' });
  it.fullFor = undefined;
  await store.idle();
  expect(await it.names()).toEqual([]);
  await large(store);
  await store.close();
});

test('in a bucket, a program beyond the limit of spill files is told of that limit', async () => {
  const path = mkdtempSync(join(tmpdir(), 'svc-run-limit-'));
  const space = openSpillSpace(path, systemWorld().random, { limitBytes: 4000 });
  const temporary = { objects: spilledObjects(() => space), hasDisk: () => true };
  const store = await openStoreIn({ ...bucketLocation(memoryStore()), temporary }, options);
  const transaction = store.begin();
  const failure = await rejection(fill(transaction, 0, 300));
  expect((failure as DatabaseError).failure).toMatchObject({
    reason: 'memory_limit',
    detail: expect.stringContaining('--spill-limit-mib'),
  });
  transaction.release();
  await write(store, { small: '1' });
  await store.close();
  // A write in progress ends first.
  while (space.usedBytes > 0) await new Promise(setImmediate);
  rmSync(path, { recursive: true });
});

test('a transaction leaves free what the log and the flushes need', async () => {
  const it = placeOf();
  const reserve = 2 * 50_000;
  const store = await openStoreIn(it.place, { ...options, unflushedBytesMax: 50_000 });
  it.free = reserve + 20_000;
  await large(store);
  it.free = reserve + 1000;
  const transaction = store.begin();
  const failure = await rejection(fill(transaction, 0, 100));
  expect((failure as DatabaseError).failure).toMatchObject({
    reason: 'overloaded',
    detail: expect.stringContaining('the reserve of smaller writes'),
  });
  transaction.release();
  await write(store, { small: '1' });
  await store.close();
});

test('on a device that becomes full before the commit, this program alone fails as well', async () => {
  const it = placeOf();
  const store = await openStoreIn(it.place, options);
  const transaction = store.begin();
  await fill(transaction, 0, 300);
  it.fullFor = '';
  const failure = await rejection(transaction.commit());
  expect((failure as DatabaseError).failure.reason).toBe('overloaded');
  transaction.release();
  it.fullFor = undefined;
  await write(store, { small: '1' });
  await store.tidy();
  expect((await it.names()).every((name) => name.startsWith('sst/'))).toBe(true);
  expect(store.statistics().runs.length).toBe(1);
  await store.close();
});

test.each(['sst/', 'tmp/'])(
  '%s that cannot be opened after they were written are deleted',
  async (begin) => {
    const it = placeOf();
    const store = await openStoreIn(it.place, options);
    const transaction = store.begin();
    await fill(transaction, 0, 100);
    it.unreadable = begin;
    const failure = await rejection(fill(transaction, 100, 300).then(() => transaction.commit()));
    expect((failure as DatabaseError).failure.reason).toBe('storage_unavailable');
    transaction.release();
    await store.idle();
    expect(await it.names()).toEqual([]);
    it.unreadable = undefined;
    await large(store);
    await store.close();
  },
);

test('large commits that no manifest can name stop further writes in the end', async () => {
  const it = placeOf();
  // The publisher waits some seconds for room.
  const { scheduler } = options.world;
  const world = {
    ...options.world,
    scheduler: { ...scheduler, after: (_: number, run: () => void) => scheduler.after(0, run) },
  };
  const bounds = { flushedTablesMax: 4, flushedTablesPerKeyMax: 4 };
  const store = await openStoreIn(it.place, { ...options, ...bounds, world });
  it.fullFor = 'manifest/';
  for (let i = 0; i < 8; i++) {
    expect(store.pressure).not.toBe('stop');
    await large(store, i * 100, i * 100 + 100);
  }
  expect(store.pressure).toBe('stop');
  it.fullFor = undefined;
  await store.close();
});

test('another thread writes the runs and merges them', async () => {
  const path = mkdtempSync(join(tmpdir(), 'svc-large-'));
  const open = () =>
    openStore({ storage: 'file', path, world: options.world, writeShareBytes: 4000 });
  const store = await open();
  const snapshot = store.snapshot();
  const transaction = store.begin();
  await fill(transaction, 0, 500);
  for (let i = 0; i < 500; i += 2) transaction.delete(bytes(`row ${String(i).padStart(4, '0')}`));
  await transaction.relieve();
  expect((await take(transaction.scan(range(''), 'forward'))).length).toBe(250);
  expect((await transaction.commit()).kind).toBe('committed');
  transaction.release();
  expect(await take(snapshot.scan(range(''), 'forward'))).toEqual([]);
  snapshot.release();
  await store.close();
  expect(readdirSync(join(path, 'tmp'))).toEqual([]);
  const again = await open();
  const view = again.snapshot();
  expect((await take(view.scan(range(''), 'backward'))).length).toBe(250);
  view.release();
  await again.close();
  rmSync(path, { recursive: true });
});
