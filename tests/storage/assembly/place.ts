/** Places in memory whose objects can be watched and made to fail, and worlds whose time is set by hand. */

import { systemWorld, type World } from '#base';
import { loadNewestManifest } from '../../../src/storage/manifest/manifest-store.ts';
import { StorageError } from '../../../src/storage/object/storage-fault.ts';
import type { ObjectReader, ObjectStore } from '../../../src/storage/object/store.ts';
import { memoryLocation, type SegmentLocation } from '../../../src/storage/place/location.ts';

export interface FailingPlace extends SegmentLocation {
  /** While set, tables cannot be written. */
  trouble: 'full' | 'io' | undefined;
  /** While set, there is no room for manifests. */
  refusesManifests: boolean;
  /** How often that was found out. */
  refusedManifests: number;
  /** Tables that were deleted though the newest manifest named them: there must be none. */
  readonly deletedNeeded: string[];
  deletedTables: number;
  /** How often a table was read from. */
  tableReads: number;
  tables(): Promise<string[]>;
}

export function failingPlace(): FailingPlace {
  const place = memoryLocation();
  const { objects } = place;
  const put: ObjectStore['put'] = async (name, body) => {
    if (failing.trouble !== undefined && name.startsWith('sst/')) {
      throw new StorageError({ kind: failing.trouble, operation: 'write', object: name });
    }
    await objects.put(name, body);
  };
  const putIfAbsent: ObjectStore['putIfAbsent'] = async (name, body) => {
    if (failing.refusesManifests && name.startsWith('manifest/')) {
      failing.refusedManifests++;
      throw new StorageError({ kind: 'full', operation: 'create', object: name });
    }
    return objects.putIfAbsent(name, body);
  };
  const remove: ObjectStore['delete'] = async (names) => {
    const manifest = await loadNewestManifest(objects);
    const named = new Set(manifest?.runs.flatMap((run) => run.tables.map(({ name }) => name)));
    failing.deletedNeeded.push(...names.filter((name) => named.has(name)));
    failing.deletedTables += names.filter((name) => name.startsWith('sst/')).length;
    await objects.delete(names);
  };
  const openRead: ObjectStore['openRead'] = async (name) => {
    const reader = await objects.openRead(name);
    const readInto: ObjectReader['readInto'] = (offset, target) => {
      if (name.startsWith('sst/')) failing.tableReads++;
      // As in a bucket: what has been deleted cannot be read any more, even by who had it open.
      if (objects.head(name) === undefined)
        throw new StorageError({ kind: 'missing', object: name });
      return reader.readInto(offset, target);
    };
    return { ...reader, readInto };
  };
  const failing: FailingPlace = {
    ...place,
    objects: { ...objects, put, putIfAbsent, openRead, delete: remove },
    refusesManifests: false,
    refusedManifests: 0,
    trouble: undefined,
    tableReads: 0,
    deletedNeeded: [],
    deletedTables: 0,
    tables: async () => (await objects.list('sst/')).map(({ name }) => name),
  };
  return failing;
}

/** Timers are due at the end of the turn, whatever they were set to; time moves by what they wait for. */
export function hastyWorld(): World {
  const world = systemWorld();
  let nowMs = 0;
  const after = (delayMs: number, task: () => void) => {
    const timer = setImmediate(() => {
      nowMs += delayMs;
      task();
    });
    return { cancel: () => clearImmediate(timer) };
  };
  const monotonicMs = () => nowMs + performance.now();
  return {
    ...world,
    clock: { ...world.clock, monotonicMs },
    scheduler: { ...world.scheduler, after },
  };
}
