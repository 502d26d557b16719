/** Where the stores of one seed live: what all its processes share. */

import type { World } from '#base';
import { directoryPlace, type Place } from '../../src/storage/manifest/place.ts';
import { prepareTree } from '../../src/storage/object/directory-tree.ts';
import { storageError } from '../../src/storage/object/trouble.ts';
import type { Dice } from './dice.ts';
import { Disk } from './disk/disk.ts';
import { Mount } from './disk/mount.ts';
import type { Faults } from './faults.ts';
import type { Life } from './life.ts';
import type { Scheduler } from './scheduler.ts';
import type { Swarm } from './swarm.ts';

export interface Medium {
  /** The place as `life` sees it. */
  open(life: Life, world: World, claimed: (epoch: number) => void): Promise<Place>;
  /** Everything that was not durable may be gone; every process is dead. */
  losePower(): void;
  setRoom(bytes: number): void;
  /** Names of tables that are there. */
  tables(): readonly string[];
}

export interface MediumParts {
  readonly scheduler: Scheduler;
  readonly faults: Faults;
  readonly dice: Dice;
  readonly settings: Swarm;
}

export function directoryMedium({ scheduler, faults, dice, settings }: MediumParts): Medium {
  const disk = new Disk();
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
        ...directoryPlace(mount, world, settings.segmentBytes),
        unenforced: 'simulated',
        announce: () => {},
        close: () => {},
      };
    },
    losePower: () => disk.losePower(dice, faults),
    setRoom: (bytes) => {
      disk.roomBytes = bytes;
    },
    tables: () => [...disk.names.visible.keys()].filter((name) => name.startsWith('sst/')),
  };
}
