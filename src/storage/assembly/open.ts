/** Opens a store: loads the newest manifest of a storage location and replays the log of the previous writer. */

import { invariant, type Scheduler } from '#base';
import { openBucketDurable } from '../bucket/open-bucket.ts';
import { flushedFirst } from '../compaction/flushed-first.ts';
import type { Store } from '../contract/store.ts';
import { openDurable } from '../local/open-durable.ts';
import type { Durable, OpenOptions } from '../manifest/durable.ts';
import { orphanTables } from '../manifest/manifest-store.ts';
import type { MergeExecutor } from '../merge/merge-job.ts';
import { describeBucket, type PlaceDescription } from '../merge/place-description.ts';
import { WorkerExecutor } from '../merge/worker-executor.ts';
import { type Component, componentStores } from '../object/component-requests.ts';
import { probeConditions } from '../object/conditional-probe.ts';
import { s3Store } from '../object/s3/s3-store.ts';
import { StorageError } from '../object/storage-fault.ts';
import { directoryAt } from '../object/system-directory.ts';
import {
  bucketLocation,
  memoryLocation,
  openDirectoryLocation,
  type StorageLocation,
} from '../place/location.ts';
import { identityOf, objectCacheOver } from '../place/open-cache.ts';
import { type CompleteOptions, type StoreOptions, withDefaults } from '../place/options.ts';
import { spilledObjects } from '../spill/spilled-objects.ts';
import { decodeAreas } from '../version/change-tracker.ts';
import { keptIn } from '../version/manifest-entries.ts';
import { openRecovered, replayInto } from '../version/replay-into.ts';
import { TableFiles } from '../version/table-files.ts';
import { VersionSet } from '../version/version-set.ts';
import { assembleStore } from './assemble.ts';
import type { LsmStore } from './lsm-store.ts';
import { openWithoutRoom } from './store-without-room.ts';

/**
 * Opens a store for writing. Throws a `StorageError` with the reason if it cannot be opened; a `locked` error names the process that holds
 * the lock.
 */
export async function openStore(options: StoreOptions): Promise<LsmStore> {
  const complete = withDefaults(options);
  const place = await openPlace(complete);
  try {
    return await openStoreIn(place, complete);
  } catch (error) {
    place.close();
    throw error;
  }
}

/** Opens a store like `openStore`. On a full device, returns a read-only store that accepts writes once there is space. */
export async function openStoreOrWait(options: StoreOptions): Promise<Store> {
  const complete = withDefaults(options);
  const place = await openPlace(complete);
  try {
    return await openInOrWait(place, complete);
  } catch (error) {
    place.close();
    throw error;
  }
}

export async function openInOrWait(place: StorageLocation, given: StoreOptions): Promise<Store> {
  const options = withDefaults(given);
  const open = () => openStoreIn(place, options);
  try {
    return await open();
  } catch (error) {
    const isFull = error instanceof StorageError && error.fault.kind === 'full';
    if (!isFull || place.kind !== 'segments') throw error;
    const store = await openWithoutRoom(place, options, open);
    if (store === undefined) throw error;
    return store;
  }
}

async function openPlace(options: CompleteOptions): Promise<StorageLocation> {
  const { storage, path, world, holderAddress } = options;
  if (storage === 'memory') return memoryLocation();
  if (storage === 's3') return openS3Place(options);
  if (options.mustExist) refuseMissing(path);
  const place = await openDirectoryLocation({ path, world, identity: identityOf(world) });
  place.announce(holderAddress);
  return { ...place, otherThread: otherThread({ kind: 'directory', path }) };
}

/**
 * Throws if the directory contains no store. A directory that was moved or unmounted might come back, and a new store in its place would
 * hide that.
 */
function refuseMissing(path: string): void {
  if (directoryAt(path).entries('epoch').length > 0) return;
  throw new StorageError({ kind: 'io', operation: 'find', object: path });
}

async function openS3Place(options: CompleteOptions): Promise<StorageLocation> {
  const { s3, world, flushIntervalMs } = options;
  invariant(s3 !== undefined, 'a store in a bucket has bucket options');
  const counted = componentStores(s3Store({ ...s3, world }), world.clock);
  const store = counted.of('db');
  await probeConditions(store, world);
  const cached = objectCacheOver(store, { ...options, s3 });
  const objectsOf = (component: Component) => {
    const remote = counted.of(component);
    return cached === undefined ? remote : cached.cache.over(remote);
  };
  const place = {
    ...bucketLocation(cached?.cache.objects ?? store, flushIntervalMs),
    temporary: {
      objects: spilledObjects(options.spill),
      hasDisk: () => options.spill() !== undefined,
    },
    objectsOf,
    requests: counted.requests,
    readMicros: () => counted.readMicros('db'),
    ...(cached && { objectCache: cached.cache, close: cached.close }),
  };
  const description = describeBucket(s3);
  return description === undefined ? place : { ...place, otherThread: otherThread(description) };
}

function otherThread(place: PlaceDescription): (scheduler: Scheduler) => MergeExecutor {
  return (scheduler) => new WorkerExecutor({ place, scheduler });
}

/** Opens the store in a storage location. On success the store closes the location when it is closed; on failure the caller closes it. */
export async function openStoreIn(place: StorageLocation, given: StoreOptions): Promise<LsmStore> {
  const options = withDefaults(given);
  const versions = new VersionSet(options.areaOf);
  const { objects, objectCache } = place;
  const files = new TableFiles({ ...options, objects, ...(objectCache && { objectCache }) });
  try {
    const durable = await openDurableIn(place, {
      world: options.world,
      objects: place.objects,
      garbage: place.objectsOf?.('gc'),
      prepare: async (manifest) => {
        const { runs, properties } = manifest;
        versions.areas.load(decodeAreas(properties));
        versions.dropped.load(properties);
        versions.change(await files.openRuns(flushedFirst(runs)), undefined, keptIn(manifest));
      },
      replay: (payload, record) => replayInto(versions, payload, record, options.memtableBytes),
    });
    await openRecovered(versions, files);
    // If an SSTable is missing, the newer manifest that no longer refers to it might be missing too. Its compacted output is then among the
    // orphans, so none is deleted.
    if (files.damaged.isEmpty)
      versions.obsolete.push(
        ...(await orphanTables(
          durable.obsoleteTables.collector,
          durable.manifest,
          namedByLog(versions),
        )),
      );
    return assembleStore({ place, durable, versions, files, options });
  } catch (error) {
    versions.close();
    throw error;
  }
}

/** Returns the names of SSTables that only log records name so far. */
function namedByLog({ committedRuns }: VersionSet): readonly string[] {
  return committedRuns.flatMap(({ tables }) => tables.map(({ name }) => name));
}

function openDurableIn(place: StorageLocation, opening: OpenOptions): Promise<Durable> {
  switch (place.kind) {
    case 'segments':
      return openDurable({ ...opening, logs: place.logs });
    case 'bucket':
      return openBucketDurable({ ...place, ...opening });
  }
}
