/** The store on a bucket: what one process wrote, the next one reads; what is in tables leaves the log. */

import { expect, test } from 'bun:test';
import { openStoreIn } from '../../../src/storage/assembly/open.ts';
import { memoryStore } from '../../../src/storage/object/memory-store.ts';
import { StorageError } from '../../../src/storage/object/storage-fault.ts';
import type { ObjectStore } from '../../../src/storage/object/store.ts';
import { bucketLocation } from '../../../src/storage/place/location.ts';
import { hastyWorld } from '../assembly/place.ts';
import { read, write } from '../transaction/support.ts';

const small = { memtableBytes: 4_000, tableBytes: 8_000, blockBytes: 1024 };

/** A bucket whose tables cannot be read while `isOut()` says so. */
function silentBucket(isOut: () => boolean): ObjectStore {
  const objects = memoryStore();
  return {
    ...objects,
    async openRead(name) {
      const reader = await objects.openRead(name);
      return {
        ...reader,
        readInto(offset, target) {
          if (!isOut()) return reader.readInto(offset, target);
          const trouble = { kind: 'unavailable', operation: 'read', object: name } as const;
          return Promise.reject(new StorageError(trouble));
        },
      };
    },
  };
}

test('an outage in which tables cannot be read to their end is waited out, and is no damage', async () => {
  let refused = 0;
  let isOut = true;
  const silent = silentBucket(() => {
    if (isOut) refused++;
    return isOut;
  });
  const options = { storage: 'memory', world: hastyWorld(), ...small } as const;
  const store = await openStoreIn(bucketLocation(silent, 0), options);
  for (let i = 0; i < 30; i++) await write(store, { [`key ${i}`]: 'x'.repeat(300) });
  while (refused < 5) await new Promise((resolve) => setImmediate(resolve));
  isOut = false;
  await store.tidy();
  expect(store.poisoned).toBeUndefined();
  expect(store.statistics().runs.map((run) => run.entries)).toEqual([30]);
  await store.close();
});

test('a read during an outage says that the bucket does not answer, and nothing of a backup', async () => {
  let isOut = false;
  const silent = silentBucket(() => isOut);
  const options = { storage: 'memory', world: hastyWorld(), ...small } as const;
  const writer = await openStoreIn(bucketLocation(silent, 0), options);
  await write(writer, { key: 'value' });
  await writer.tidy();
  await writer.close();
  isOut = true;
  const store = await openStoreIn(bucketLocation(silent, 0), options);
  const view = store.snapshot();
  const failure = await read(view, 'key').catch(String);
  expect(failure).toContain('does not respond');
  expect(failure).not.toContain('backup');
  isOut = false;
  expect(await read(view, 'key')).toBe('value');
  view.release();
  expect(store.statistics().damaged).toEqual([]);
  await store.close();
});

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A store with one run of rows, the middle of which has been dropped; `spoil` works on each read of a table from then on. */
async function storeWithDroppedKeys(spoil: (table: string, read: Uint8Array) => void) {
  const objects = memoryStore();
  let isSpoilt = false;
  const spoilt: ObjectStore = {
    ...objects,
    async openRead(name) {
      const reader = await objects.openRead(name);
      return {
        ...reader,
        async readInto(offset, target) {
          const count = await reader.readInto(offset, target);
          if (isSpoilt) spoil(name, target);
          return count;
        },
      };
    },
  };
  const options = { storage: 'memory', world: hastyWorld(), ...small } as const;
  const store = await openStoreIn(bucketLocation(spoilt, 0), options);
  for (let i = 0; i < 30; i++) await write(store, { [`key ${10 + i}`]: `${i}`.repeat(150) });
  await store.tidy();
  const transaction = store.begin();
  transaction.dropRange({ from: Buffer.from('key 15'), to: Buffer.from('key 16') });
  isSpoilt = true;
  await transaction.commit();
  transaction.release();
  return {
    store,
    heal: () => {
      isSpoilt = false;
    },
  };
}

test('an outage while it is looked for dropped keys is waited out', async () => {
  let refused = 0;
  const { store, heal } = await storeWithDroppedKeys((object) => {
    refused++;
    throw new StorageError({ kind: 'unavailable', operation: 'read', object });
  });
  const tidied = store.tidy();
  while (refused < 5 && store.poisoned === undefined) await turn();
  heal();
  await tidied;
  expect(store.poisoned).toBeUndefined();
  expect(store.statistics().runs.map((run) => run.entries)).toEqual([29]);
  await store.close();
});

test('a damaged table that is looked into for dropped keys is set aside, and no reason to stop', async () => {
  const touched = new Set<string>();
  const { store, heal } = await storeWithDroppedKeys((table, read) => {
    touched.add(table);
    read.fill(0);
  });
  await store.tidy();
  expect(store.poisoned).toBeUndefined();
  expect(store.statistics().compaction.damaged).toEqual([...touched]);
  heal();
  await write(store, { last: 'x' });
  expect(await read(store.snapshot(), 'key 39')).toBe('29'.repeat(150));
  await store.close();
});

test('life after life', async () => {
  const objects = memoryStore();
  const names = async (prefix: string) => (await objects.list(prefix)).map(({ name }) => name);
  for (let life = 0; life < 4; life++) {
    const place = bucketLocation(objects, 0);
    const store = await openStoreIn(place, { storage: 'memory', world: hastyWorld(), ...small });
    for (let i = 0; i < life * 40; i++) {
      expect(await read(store.snapshot(), `key ${i}`)).toBe(`${i}`.repeat(30));
    }
    for (let i = life * 40; i < life * 40 + 40; i++) {
      await write(store, { [`key ${i}`]: `${i}`.repeat(30) });
    }
    await store.idle();
    await store.close();
  }
  expect(await names('manifest/')).toHaveLength(1);
  const tables = await names('sst/');
  expect(tables.length).toBeLessThan(8);
  expect(tables[0]).toMatch(/^sst\/\d{10}-\d{10}-[0-9a-f]{8}$/);
  expect((await names('wal/')).length).toBeLessThan(4 * 41);
});

test('manifests are a second apart while nothing presses', async () => {
  const objects = memoryStore();
  const world = hastyWorld();
  const published: number[] = [];
  const noting: ObjectStore = {
    ...objects,
    putIfAbsent(name, body) {
      if (name.startsWith('manifest/')) published.push(world.clock.monotonicMs());
      return objects.putIfAbsent(name, body);
    },
  };
  const options = { ...small, memtableBytes: 2_000, flushedTablesMax: 100 };
  const place = bucketLocation(noting, 0);
  const store = await openStoreIn(place, { storage: 'memory', world, ...options });
  for (let round = 0; round < 20; round++) {
    for (let i = 0; i < 12; i++) await write(store, { [`key ${i}`]: `${round}`.repeat(50) });
    await store.idle();
  }
  const { flush, compaction } = store.statistics();
  expect(flush.flushes).toBeGreaterThan(8);
  expect(compaction.jobs).toBeGreaterThan(1);
  const gaps = published.slice(1).map((at, i) => at - (published[i] as number));
  expect(Math.min(...gaps.slice(1))).toBeGreaterThanOrEqual(1_000);
  await store.close();
});

for (const [what, missing] of [
  ['written', 'put'],
  ['read', 'openRead'],
] as const) {
  test(`an outage in which tables cannot be ${what} is waited out`, async () => {
    const objects = memoryStore();
    let refused = 0;
    let isOut = false;
    const silent: ObjectStore = {
      ...objects,
      [missing]: (name: string, body: never) => {
        if (!isOut) return objects[missing](name, body);
        refused++;
        const trouble = { kind: 'unavailable', operation: missing, object: name } as const;
        return Promise.reject(new StorageError(trouble));
      },
    };
    const options = { storage: 'memory', world: hastyWorld(), ...small } as const;
    const store = await openStoreIn(bucketLocation(silent, 0), options);
    isOut = true;
    for (let i = 0; i < 30; i++) await write(store, { [`key ${i}`]: 'x'.repeat(300) });
    while (refused < 5) await new Promise((resolve) => setImmediate(resolve));
    expect(store.statistics().flush.flushes).toBe(0);
    expect(store.poisoned).toBeUndefined();
    isOut = false;
    await store.tidy();
    expect(store.poisoned).toBeUndefined();
    expect(store.statistics().runs.map((run) => run.entries)).toEqual([30]);
    // What was made in vain is deleted.
    expect(await objects.list('sst/')).toHaveLength(store.statistics().runs[0]?.tables ?? 0);
    await store.close();
  });
}
