/** Where a store lives: a directory of this machine, the memory of this process, or a bucket. */

import type { Scheduler, World } from '#base';
import { storeDefaults, storeLimits } from '../contract/limits.ts';
import { localLogDevice } from '../log/local-device.ts';
import type { LogDevice } from '../log/log.ts';
import { memoryLogDevice, memoryLogMedium } from '../log/memory-log.ts';
import type { MergeSite } from '../merge/merge-order.ts';
import type { Component, ComponentRequests } from '../object/component-requests.ts';
import type { DirectoryIo } from '../object/directory-io.ts';
import { type DirectoryLock, lockDirectory } from '../object/directory-lock.ts';
import { prepareTree } from '../object/directory-tree.ts';
import { fileStore } from '../object/file-store.ts';
import { memoryStore } from '../object/memory-store.ts';
import type { ObjectStore } from '../object/store.ts';
import { directoryAt, systemDirectory } from '../object/system-directory.ts';
import { type Holder, storageError } from '../object/trouble.ts';
import { tryRoom } from '../object/try-room.ts';
import type { ObjectCache } from '../object-cache/object-cache.ts';
import { refuseOccupied } from './occupied.ts';

interface AnyPlace {
  readonly objects: ObjectStore;
  /** The same objects, when they are remote: requests are counted under the component that makes them. `objects` are those of `db`. */
  readonly objectsOf?: (component: Component) => ObjectStore;
  /** Requests to remote objects so far, those of merges on another thread aside. */
  readonly requests?: () => readonly ComponentRequests[];
  /** How long a read of a part of an object takes, as `ReadLatency` tells it. */
  readonly readMicros?: () => number;
  /** Why a second process would not be refused at once, when the system cannot lock here. */
  readonly unenforced: string | undefined;
  /** Says where the holder of the place listens. */
  announce(address: string): void;
  /** Parts of the objects on this machine: `objects` looks there first. */
  readonly objectCache?: ObjectCache;
  /** Another thread that can merge its tables; without one, merges run on the thread of the store. */
  readonly otherThread?: (scheduler: Scheduler) => MergeSite;
  /** After the store in it has been closed. */
  close(): void;
}

/** Epochs and manifests are objects, the log is something else. */
export interface SegmentPlace extends AnyPlace {
  readonly kind: 'segments';
  readonly logs: LogDevice;
  /** Rejects with `full` unless there is room for so many bytes more. */
  readonly tryRoom?: (bytes: number) => Promise<void>;
}

/** Everything is an object, the log too; nobody is locked out, the newest writer wins. */
interface BucketPlace extends AnyPlace {
  readonly kind: 'bucket';
  /** The longest that a group of the log gathers. */
  readonly flushIntervalMs: number;
  /** At most one manifest in such a time, while nothing presses. */
  readonly publishIntervalMs: number;
}

export type Place = SegmentPlace | BucketPlace;

interface DirectoryPlaceOptions {
  readonly path: string;
  readonly world: World;
  readonly identity: Omit<Holder, 'address'>;
  readonly segmentBytes?: number;
}

/** Creates the directory if need be, and locks it. Throws `locked`, naming the holder. */
export async function openDirectoryPlace(options: DirectoryPlaceOptions): Promise<SegmentPlace> {
  const { path, world } = options;
  let lock: DirectoryLock | undefined;
  try {
    refuseOccupied(directoryAt(path), path);
    lock = lockDirectory(path, options.identity);
    const { unenforced, announce, release } = lock;
    const io = systemDirectory(path);
    await prepareTree(io);
    return {
      ...directoryPlace(io, world, options.segmentBytes),
      unenforced,
      announce,
      close: release,
    };
  } catch (error) {
    lock?.release();
    throw storageError('open', path, error);
  }
}

/** The parts of a place over any directory, prepared by `prepareTree`. */
export function directoryPlace(
  io: DirectoryIo,
  world: { readonly random: World['random']; readonly scheduler: Scheduler },
  segmentBytes?: number,
): Pick<SegmentPlace, 'kind' | 'objects' | 'logs' | 'tryRoom'> {
  return {
    kind: 'segments',
    objects: fileStore(io, world.random),
    logs: localLogDevice(io, world.scheduler, segmentBytes),
    tryRoom: (bytes) => tryRoom(io, bytes),
  };
}

/** One value is one medium: opening a store in it again finds what was committed before. */
export function memoryPlace(): SegmentPlace {
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

/** `objects` must refuse to create what exists, and list what was created before. */
export function bucketPlace(
  objects: ObjectStore,
  flushIntervalMs: number = storeDefaults.flushIntervalMs,
): BucketPlace {
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
