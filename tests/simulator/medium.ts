/** Where the stores of one seed live: what all its processes share. */

import type { World } from '#base';
import type { StorageLocation } from '../../src/storage/place/location.ts';
import type { ReaderPlace } from '../../src/storage/reader/reader-place.ts';
import type { Dice } from './dice.ts';
import type { Faults } from './faults.ts';
import type { Life } from './life.ts';
import type { Scheduler } from './scheduler.ts';
import type { Swarm } from './swarm.ts';

export interface Medium {
  /** The place as `life` sees it. */
  open(life: Life, world: World, claimed: (epoch: number) => void): Promise<StorageLocation>;
  openReader(life: Life, world: World): Promise<ReaderPlace>;
  /** Everything that was not durable may be gone. Says whether every process is dead with it. */
  losePower(): boolean;
  setRoom(bytes: number): void;
  /** Takes a table or a manifest away; what is returned puts it back. */
  take(name: string): () => void;
  /** Somebody puts a copy in the place of everything: what processes have open leads nowhere any more. */
  replace?(): void;
  /** Names of tables that are there. */
  tables(): readonly string[];
  /** Names of manifests that are there, ascending. */
  manifests(): readonly string[];
  /** As it is now, with no process in it. */
  copy(): StoreAtRest;
}

/** A place that somebody else may damage. */
export interface StoreAtRest {
  readonly medium: Medium;
  /** Ascending. */
  readonly names: readonly string[];
  bytesOf(name: string): number;
  /** Whether something with this prefix is there that was deleted before and made again. */
  hasRevived(prefix: string): boolean;
  remove(name: string): void;
  cut(name: string, bytes: number): void;
}

export interface MediumParts {
  readonly scheduler: Scheduler;
  readonly faults: Faults;
  readonly dice: Dice;
  readonly settings: Swarm;
}
