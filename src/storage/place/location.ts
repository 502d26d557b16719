/** A storage location: a directory of this machine, the memory of this process, or a bucket. */

import type { Scheduler, World } from '#base';
import { storeDefaults, storeLimits } from '../contract/limits.ts';
import { localLogDevice } from '../log/local-device.ts';
import type { LogDevice } from '../log/log.ts';
import { memoryLogDevice, memoryLogMedium } from '../log/memory-log.ts';
import type { MergeExecutor } from '../merge/merge-job.ts';
import type { Component, ComponentRequests } from '../object/component-requests.ts';
import type { DirectoryIo } from '../object/directory-io.ts';
import { type DirectoryLock, lockDirectory } from '../object/directory-lock.ts';
import { prepareTree, refuseLinked } from '../object/directory-tree.ts';
import { fileStore } from '../object/file-store.ts';
import { freeBytesAt } from '../object/free-space.ts';
import { memoryStore } from '../object/memory-store.ts';
import { type Holder, storageError } from '../object/storage-fault.ts';
import type { ObjectStore } from '../object/store.ts';
import { directoryAt, systemDirectory } from '../object/system-directory.ts';
import { tryRoom } from '../object/try-room.ts';
import type { ObjectCache } from '../object-cache/object-cache.ts';
import type { TemporaryObjects } from '../spill/spilled-objects.ts';
import { refuseOccupied } from './occupied.ts';

interface AnyLocation {
  readonly objects: ObjectStore;
  /** Only for remote objects: the same objects, with requests counted for the component that makes them. `objects` are those of `db`. */
  readonly objectsOf?: (component: Component) => ObjectStore;
  /** Returns the requests to remote objects so far, without those of compactions on a worker thread. */
  readonly requests?: () => readonly ComponentRequests[];
  /** Returns the duration of reading a part of an object in microseconds, as measured by `ReadLatency`. */
  readonly readMicros?: () => number;
  /**
   * Returns the free bytes of the device that contains the objects, if they are known. Quotas are not considered.
   */
  readonly freeBytes?: () => number;
  /** The reason why a second process would not be refused immediately, if the system does not support locks here; otherwise `undefined`. */
  readonly unenforced: string | undefined;
  /** Records the listening address of the process that holds the lock. */
  announce(address: string): void;
  /** Parts of the objects on this machine, which `objects` reads first. */
  readonly objectCache?: ObjectCache;
  /** Returns a worker thread that can compact the SSTables of this location. If absent, compactions run on the thread of the store. */
  readonly otherThread?: (scheduler: Scheduler) => MergeExecutor;
  /** Closes the location. The store in it must be closed first. */
  close(): void;
}

/** A location whose epoch claims and manifests are objects and whose log is a separate device. */
export interface SegmentLocation extends AnyLocation {
  readonly kind: 'segments';
  readonly logs: LogDevice;
  /** Rejects with `full` unless this many more bytes can be written. */
  readonly tryRoom?: (bytes: number) => Promise<void>;
}

/** A location in which everything is an object, including the log. The location has no lock; the newest writer fences the others. */
interface BucketLocation extends AnyLocation {
  readonly kind: 'bucket';
  /** Maximum time in milliseconds for which a log group gathers records. */
  readonly flushIntervalMs: number;
  /** Minimum time in milliseconds between two manifests, unless a publication is urgent. */
  readonly publishIntervalMs: number;
  /** Disk space of this machine for transactions whose writes exceed their share. */
  readonly temporary?: { readonly objects: TemporaryObjects; readonly hasDisk: () => boolean };
}

export type StorageLocation = SegmentLocation | BucketLocation;

interface DirectoryLocationOptions {
  readonly path: string;
  readonly world: World;
  readonly identity: Omit<Holder, 'address'>;
  readonly segmentBytes?: number;
}

/** Creates the directory if it does not exist, and locks it. Throws `locked` with the holder of the lock. */
export async function openDirectoryLocation(
  options: DirectoryLocationOptions,
): Promise<SegmentLocation> {
  const { path, world } = options;
  let lock: DirectoryLock | undefined;
  try {
    refuseLinked(directoryAt(path));
    refuseOccupied(directoryAt(path), path);
    lock = lockDirectory(path, options.identity);
    const { unenforced, announce, release } = lock;
    const io = systemDirectory(path);
    await prepareTree(io);
    return {
      ...directoryLocation(io, world, options.segmentBytes),
      freeBytes: () => freeBytesAt(path),
      unenforced,
      announce,
      close: release,
    };
  } catch (error) {
    lock?.release();
    throw storageError('open', path, error);
  }
}

/** Returns the parts of a location over any directory that was prepared by `prepareTree`. */
export function directoryLocation(
  io: DirectoryIo,
  world: { readonly random: World['random']; readonly scheduler: Scheduler },
  segmentBytes?: number,
): Pick<SegmentLocation, 'kind' | 'objects' | 'logs' | 'tryRoom'> {
  return {
    kind: 'segments',
    objects: fileStore(io, world.random),
    logs: localLogDevice(io, world.scheduler, segmentBytes),
    tryRoom: (bytes) => tryRoom(io, bytes),
  };
}

/** Returns a location in memory. A store that is opened again with the same value finds the data committed before. */
export function memoryLocation(): SegmentLocation {
  const medium = memoryLogMedium();
  return {
    kind: 'segments',
    objects: memoryStore(),
    logs: memoryLogDevice(medium),
    unenforced: undefined,
    announce: () => {},
    close: () => {},
  };
}

/** Returns the location of a bucket. `objects` must refuse to create an existing object, and list every object created before. */
export function bucketLocation(
  objects: ObjectStore,
  flushIntervalMs: number = storeDefaults.flushIntervalMs,
): BucketLocation {
  return {
    kind: 'bucket',
    objects,
    flushIntervalMs,
    publishIntervalMs: storeLimits.publishIntervalMs,
    unenforced: undefined,
    announce: () => {},
    close: () => {},
  };
}
