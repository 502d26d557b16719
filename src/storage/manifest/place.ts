/** Where a store lives: a directory of this machine, or the memory of this process. */

import type { Scheduler, World } from '#base';
import { localLogDevice } from '../log/local-device.ts';
import type { LogDevice } from '../log/log.ts';
import { memoryLogDevice, memoryLogMedium } from '../log/memory-log.ts';
import type { DirectoryIo } from '../object/directory-io.ts';
import { type DirectoryLock, lockDirectory } from '../object/directory-lock.ts';
import { prepareTree } from '../object/directory-tree.ts';
import { fileStore } from '../object/file-store.ts';
import { memoryStore } from '../object/memory-store.ts';
import type { ObjectStore } from '../object/store.ts';
import { systemDirectory } from '../object/system-directory.ts';
import { type Holder, storageError } from '../object/trouble.ts';

export interface Place {
  readonly objects: ObjectStore;
  readonly logs: LogDevice;
  /** Why a second process would not be refused at once, when the system cannot lock here. */
  readonly unenforced: string | undefined;
  /** Says where the holder of the place listens. */
  announce(address: string): void;
  /** After the store in it has been closed. */
  close(): void;
}

export interface DirectoryPlaceOptions {
  readonly path: string;
  readonly world: World;
  readonly identity: Omit<Holder, 'address'>;
  readonly segmentBytes?: number;
}

/** Creates the directory if need be, and locks it. Throws `locked`, naming the holder. */
export async function openDirectoryPlace(options: DirectoryPlaceOptions): Promise<Place> {
  const { path, world } = options;
  let lock: DirectoryLock | undefined;
  try {
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
): Pick<Place, 'objects' | 'logs'> {
  return {
    objects: fileStore(io, world.random),
    logs: localLogDevice(io, world.scheduler, segmentBytes),
  };
}

/** One value is one medium: opening a store in it again finds what was committed before. */
export function memoryPlace(): Place {
  const medium = memoryLogMedium();
  return {
    objects: memoryStore(),
    logs: memoryLogDevice(medium),
    unenforced: undefined,
    announce: () => {},
    close: () => {},
  };
}
