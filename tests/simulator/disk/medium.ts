/** A directory on a disk that its processes share; they lose their power together. */

import { segmentFeed } from '../../../src/storage/manifest/manifest-feed.ts';
import { prepareTree } from '../../../src/storage/object/directory-tree.ts';
import { fileStore } from '../../../src/storage/object/file-store.ts';
import { storageError } from '../../../src/storage/object/storage-fault.ts';
import { directoryLocation } from '../../../src/storage/place/location.ts';
import type { Medium, MediumParts, StoreAtRest } from '../medium.ts';
import { Disk } from './disk.ts';
import type { Inode } from './inode.ts';
import { Mount } from './mount.ts';

export function directoryMedium(parts: MediumParts, disk = new Disk()): Medium {
  const { scheduler, faults, dice, settings } = parts;
  const slowMs = dice.pick([5, 50, 2_000]);
  const latencyMs = (): number => {
    if (faults.strikes('slow request')) return slowMs * dice.unit();
    return settings.diskMs * dice.unit() ** 2;
  };
  return {
    async open(life, world, claimed) {
      const mount = new Mount({ disk, life, scheduler, faults, dice, latencyMs, claimed });
      await prepareTree(mount).catch((cause: unknown) => {
        throw storageError('open', 'the directory', cause);
      });
      return {
        ...directoryLocation(mount, world, settings.segmentBytes),
        unenforced: 'simulated',
        announce: () => {},
        close: () => {},
      };
    },
    async openReader(life, world) {
      const claimed = (): void => {};
      const mount = new Mount({ disk, life, scheduler, faults, dice, latencyMs, claimed });
      const objects = fileStore(mount, world.random);
      return { name: 'simulated', objects, manifests: segmentFeed(objects) };
    },
    losePower() {
      disk.losePower(dice, faults);
      return true;
    },
    replace: () => disk.replace(),
    take: (name) => disk.take(name),
    setRoom(bytes) {
      disk.roomBytes = bytes;
    },
    tables: () => [...disk.names.visible.keys()].filter((name) => name.startsWith('sst/')),
    manifests: () =>
      [...disk.names.visible.keys()].filter((name) => name.startsWith('manifest/')).sort(),
    copy: () => diskAtRest(disk.clone(), parts),
  };
}

function diskAtRest(disk: Disk, parts: MediumParts): StoreAtRest {
  const { names } = disk;
  const inodeOf = (name: string): Inode => names.visible.get(name) as Inode;
  return {
    medium: directoryMedium(parts, disk),
    names: [...names.visible.keys()].sort(),
    // Names of a directory carry the epoch of their writer.
    hasRevived: () => false,
    bytesOf: (name) => inodeOf(name).content.length,
    remove: (name) => names.change([[name, undefined]]),
    cut(name, bytes) {
      inodeOf(name).content = inodeOf(name).content.slice(0, bytes);
    },
  };
}
