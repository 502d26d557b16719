/** Tables that merges must not take: those that a manifest on its way lets go, and damaged ones that are set aside; and the order of the others. */

import { expect, test } from 'bun:test';
import { afterPrefix, systemWorld } from '#base';
import { openStoreIn } from '../../../src/storage/assembly/open.ts';
import { compactionDefaults } from '../../../src/storage/compaction/options.ts';
import { Compactor } from '../../../src/storage/maintenance/compactor.ts';
import { PublishPace } from '../../../src/storage/maintenance/publish-pace.ts';
import { Publisher } from '../../../src/storage/maintenance/publisher.ts';
import type { TableMaker } from '../../../src/storage/maintenance/table-maker.ts';
import { levels } from '../../../src/storage/manifest/levels.ts';
import type { TableEntry } from '../../../src/storage/manifest/manifest.ts';
import { loadNewestManifest, writeManifest } from '../../../src/storage/manifest/manifest-store.ts';
import { memoryStore } from '../../../src/storage/object/memory-store.ts';
import { StorageError } from '../../../src/storage/object/storage-fault.ts';
import { memoryLocation } from '../../../src/storage/place/location.ts';
import { withDefaults } from '../../../src/storage/place/options.ts';
import type { SsTable } from '../../../src/storage/table/ss-table.ts';
import { type HeldTable, openRunOf } from '../../../src/storage/version/open-run.ts';
import { TableFiles } from '../../../src/storage/version/table-files.ts';
import { VersionSet } from '../../../src/storage/version/version-set.ts';
import { outcomeOf } from '../../support/outcome.ts';
import { Writer } from '../bucket/writer.ts';
import { bytes, write } from '../transaction/support.ts';

/** A table that nobody opens. */
function held(name: string, smallest: string, largest: string): HeldTable {
  const entry: TableEntry = {
    name,
    bytes: 100,
    smallest: bytes(smallest),
    largest: bytes(largest),
    sequenceMin: 0,
    sequenceMax: 0,
    entries: 2,
    hash: 0n,
  };
  return { table: { entry, close: () => {} } as unknown as SsTable, holders: 0 };
}

test('a merge that is picked while a dropped table leaves the manifest does not bring it back', async () => {
  const world = systemWorld();
  const objects = memoryStore();
  const { durable } = await Writer.open(objects);
  const versions = new VersionSet();
  const runs = ['a', 'a', 'b', 'a', 'a'].map((prefix, i) =>
    openRunOf(0, [held(`table ${i}`, `${prefix}1`, `${prefix}9`)]),
  );
  versions.change(runs);
  versions.dropped.add([{ from: bytes('b'), to: afterPrefix(bytes('b')) }], 0);

  const reached = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const publish = durable.publish.bind(durable);
  durable.publish = async (contents) => {
    reached.resolve();
    await gate.promise;
    return publish(contents);
  };
  const files = new TableFiles({ ...withDefaults({ storage: 'memory', world }), objects });
  const pace = new PublishPace({ world, intervalMs: 0, presses: () => true });
  const publisher = new Publisher({ durable, versions, files, oldestView: () => undefined, pace });
  const merged: string[][] = [];
  const merger = {
    async merge({ inputs }: Parameters<TableMaker['merge']>[0]) {
      merged.push(inputs.flat().map(({ name }) => name));
      const counters = { inputEntries: 0, outputEntries: 0, outputBytes: 0 };
      return { outputs: [], past: [], resumeAt: undefined, counters };
    },
  } as unknown as TableMaker;
  const compactor = new Compactor({
    ...{ versions, merger, publisher },
    options: compactionDefaults,
    known: files.damaged,
  });

  const leaving = publisher.reclaim();
  await reached.promise;
  const merging = compactor.next();
  gate.resolve();
  await Promise.all([leaving, merging]);
  expect(merged).toEqual([['table 0', 'table 1', 'table 3', 'table 4']]);
  expect(durable.manifest.runs).toEqual([]);
  expect(versions.dropped.isEmpty).toBe(true);
  expect(versions.leaving.size).toBe(0);
  expect(versions.merging.size).toBe(0);
});

test('a table under merge stays though all in it is dropped, and so does the range, until the merge is through', async () => {
  const world = systemWorld();
  const objects = memoryStore();
  const { durable } = await Writer.open(objects);
  const versions = new VersionSet();
  const names = ['a', 'b', 'b', 'b'].map((prefix, i) => ({ prefix, name: `table ${i}` }));
  versions.change(
    names.map(({ prefix, name }) => openRunOf(0, [held(name, `${prefix}1`, `${prefix}9`)])),
  );
  const files = new TableFiles({ ...withDefaults({ storage: 'memory', world }), objects });
  const pace = new PublishPace({ world, intervalMs: 0, presses: () => true });
  const publisher = new Publisher({ durable, versions, files, oldestView: () => undefined, pace });
  const gate = Promise.withResolvers<void>();
  const merger = {
    async merge() {
      await gate.promise;
      const counters = { inputEntries: 0, outputEntries: 0, outputBytes: 0 };
      return { outputs: [], past: [], resumeAt: undefined, counters };
    },
  } as unknown as TableMaker;
  const compactor = new Compactor({
    ...{ versions, merger, publisher },
    options: compactionDefaults,
    known: files.damaged,
  });
  const merging = compactor.next();
  versions.dropped.add([{ from: bytes('b'), to: afterPrefix(bytes('b')) }], 0);
  await publisher.reclaim();
  await publisher.publish({ runs: (now) => now });
  // The merge has not heard of the range: without it, what comes of the merge would show its keys again.
  const tables = durable.manifest.runs.flatMap((run) => run.tables.map(({ name }) => name));
  expect(tables).toEqual(names.map(({ name }) => name));
  expect(versions.dropped.isEmpty).toBe(false);
  gate.resolve();
  await merging;
  expect(durable.manifest.runs).toEqual([]);
  expect(versions.dropped.isEmpty).toBe(true);
});

test('tables of a merge that failed do not count as being merged any more', async () => {
  const { versions, compactor } = await failingMerges();
  await compactor.next()?.catch(() => {});
  expect([versions.merging.size, compactor.active]).toEqual([0, 0]);
  // So they are picked again.
  expect(compactor.next()?.catch(() => {})).toBeDefined();
});

test('a damaged table that there was no room to set aside is set aside when there is', async () => {
  const error = new StorageError({ kind: 'io', operation: 'read', object: 'table c' });
  const { durable, compactor } = await failingMerges(error);
  const publish = durable.publish.bind(durable);
  const full = { kind: 'full', operation: 'publish', object: 'a manifest' } as const;
  durable.publish = () => Promise.reject(new StorageError(full));
  expect(await outcomeOf(compactor.next())).toThrow('the device is full');
  expect(await outcomeOf(compactor.next())).toThrow('the device is full');
  durable.publish = publish;
  await compactor.next();
  const { flushed, tier } = levels;
  expect(durable.manifest.runs.map(({ level }) => level)).toEqual([flushed, flushed, tier, tier]);
  expect(compactor.next()).toBeUndefined();
});

test('an opening takes flushed tables below a merged one for tiers', async () => {
  const place = memoryLocation();
  const options = { storage: 'memory', world: systemWorld(), memtableBytes: 1 } as const;
  const store = await openStoreIn(place, options);
  for (const value of ['1', '2', '3']) {
    await write(store, { key: value });
    await store.idle();
  }
  await store.close();
  const newest = await loadNewestManifest(place.objects);
  if (newest === undefined) throw new Error('there is a manifest');
  const runs = newest.runs.map((run, i) => (i === 1 ? { ...run, level: levels.tier } : run));
  await writeManifest(place.objects, { ...newest, number: newest.number + 1, runs });
  const again = await openStoreIn(place, options);
  const { flushed, tier } = levels;
  expect(again.statistics().runs.map(({ level }) => level)).toEqual([flushed, tier, tier]);
  await again.close();
});

async function failingMerges(error = new Error('the merge fails')) {
  const world = systemWorld();
  const objects = memoryStore();
  const { durable } = await Writer.open(objects);
  const versions = new VersionSet();
  versions.change(
    ['a', 'b', 'c', 'd'].map((key) => openRunOf(0, [held(`table ${key}`, 'a', 'z')])),
  );
  const files = new TableFiles({ ...withDefaults({ storage: 'memory', world }), objects });
  const pace = new PublishPace({ world, intervalMs: 0, presses: () => true });
  const publisher = new Publisher({ durable, versions, files, oldestView: () => undefined, pace });
  const merger = {
    merge: () => Promise.reject(error),
  } as unknown as TableMaker;
  const options = compactionDefaults;
  const known = files.damaged;
  return {
    versions,
    durable,
    compactor: new Compactor({ versions, merger, publisher, options, known }),
  };
}
