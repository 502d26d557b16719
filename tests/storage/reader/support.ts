/** A writer and readers over one place in memory: a directory-like one, or a bucket. */

import { openStoreIn } from '../../../src/storage/assembly/open.ts';
import { bucketFeed, segmentFeed } from '../../../src/storage/manifest/manifest-feed.ts';
import { memoryStore } from '../../../src/storage/object/memory-store.ts';
import type { ObjectStore } from '../../../src/storage/object/store.ts';
import {
  bucketLocation,
  memoryLocation,
  type StorageLocation,
} from '../../../src/storage/place/location.ts';
import type { StoreOptions } from '../../../src/storage/place/options.ts';
import { openReaderIn, type ReaderOptions } from '../../../src/storage/reader/open-reader.ts';
import type { ReaderPlace } from '../../../src/storage/reader/reader-place.ts';
import { type ManualWorld, manualWorld } from '../../support/manual-world.ts';

export type PlaceKind = 'segments' | 'bucket';

export const tiny: Partial<StoreOptions> = {
  memtableBytes: 600,
  tableBytes: 2000,
  blockBytes: 512,
};

export interface Shared {
  readonly world: ManualWorld;
  readonly objects: ObjectStore;
  /** Of the reader: its own requests can be watched and made to fail. */
  readonly readerPlace: ReaderPlace;
  writer(options?: Partial<StoreOptions>): ReturnType<typeof openStoreIn>;
  reader(options?: Partial<ReaderOptions>): ReturnType<typeof openReaderIn>;
  names(prefix: string): Promise<string[]>;
}

export function share(kind: PlaceKind, readerObjects = (objects: ObjectStore) => objects): Shared {
  const world = manualWorld();
  const place: StorageLocation =
    kind === 'segments'
      ? memoryLocation()
      : { ...bucketLocation(unbuffered(), 0), publishIntervalMs: 0 };
  const { objects } = place;
  const seen = readerObjects(objects);
  const manifests = kind === 'segments' ? segmentFeed(seen) : bucketFeed(seen);
  const readerPlace = { name: 'shared', objects: seen, manifests };
  return {
    world,
    objects,
    readerPlace,
    writer: (options = {}) => openStoreIn(place, { storage: 'memory', world, ...tiny, ...options }),
    reader: (options = {}) => openReaderIn(readerPlace, { world, ...options }),
    names: async (prefix) => (await objects.list(prefix)).map(({ name }) => name),
  };
}

/** Like a bucket: an object that is deleted cannot be read any more, open or not. */
function unbuffered(): ObjectStore {
  const objects = memoryStore();
  return {
    ...objects,
    openRead: async (name) => {
      const reader = await objects.openRead(name);
      return {
        ...reader,
        readInto: async (offset, target) => (await objects.openRead(name)).readInto(offset, target),
      };
    },
  };
}
