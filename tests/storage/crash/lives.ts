/** Several lives of a store on one faulty disk: each works until its fault strikes, the next one opens what is left and checks it. */

import type { World } from '#base';
import { DatabaseError } from '#failure';
import type { Store } from '#storage';
import { openStoreIn } from '../../../src/storage/assembly/open.ts';
import { prepareTree } from '../../../src/storage/object/directory-tree.ts';
import { StorageError } from '../../../src/storage/object/storage-fault.ts';
import { directoryLocation } from '../../../src/storage/place/location.ts';
import { Workload, Wrong } from '../assembly/workload.ts';
import { type Faults, FaultyDirectory, PowerLoss } from '../object/faulty-directory.ts';
import { seededRandom, seededWorld } from '../object/seeded-world.ts';

/** So small that flushes and compactions go on all the time. */
export const tiny = {
  memtableBytes: 300,
  unflushedBytesMax: 1 << 30,
  flushedTablesMax: 4,
  blockBytes: 1024,
  tableBytes: 4096,
  idleMs: 40,
  idleFlushBytesMin: 1,
} as const;

export interface Ends {
  readonly death: 'power' | 'kill';
  readonly lies?: 'files' | 'names';
}

/** Lives that have ended, by their directory. */
const ended = new WeakSet<FaultyDirectory>();

/** Timers are due at once, as long as the life goes on: those of one that is over would keep all later ones waiting. */
function impatient(world: World, directory: FaultyDirectory): World {
  const after = (_: number, task: () => void) => {
    setImmediate(() => {
      if (!ended.has(directory)) task();
    });
    return { cancel: () => {} };
  };
  return { ...world, scheduler: { ...world.scheduler, after } };
}

async function open(directory: FaultyDirectory, seed: number) {
  const world = impatient(seededWorld(seed), directory);
  await prepareTree(directory);
  const parts = directoryLocation(directory, world, 64 << 10);
  const place = { ...parts, unenforced: undefined, announce: () => {}, close: () => {} };
  return openStoreIn(place, { storage: 'file', world, ...tiny });
}

/** What went on in the background. */
interface Done {
  flushes: number;
  compactions: number;
}

/** One life: opens, checks, works, closes; or dies of its fault on the way. */
async function live(
  { workload, done }: { readonly workload: Workload; readonly done: Done },
  directory: FaultyDirectory,
  seed: number,
  steps: number,
): Promise<void> {
  let store: Store | undefined;
  try {
    store = await open(directory, seed);
    await workload.reopened(store);
    await workload.run(store, steps);
    await workload.settle();
    await store.close();
  } catch (error) {
    if (!isExpected(error, directory)) throw error;
  } finally {
    done.flushes += store?.statistics().flush.flushes ?? 0;
    done.compactions += store?.statistics().compaction.jobs ?? 0;
  }
}

/** What a fault may lead to; wrong or lost data is never among it. */
function isExpected(error: unknown, directory: FaultyDirectory): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof Wrong) return false;
    if (cause instanceof PowerLoss) return true;
    if (cause instanceof StorageError) {
      const { kind } = cause.fault;
      if (kind === 'io' && directory.hasFailed) return true;
      if (kind === 'full' && directory.isFull) return true;
    }
  }
  return error instanceof DatabaseError && directory.hasLostPower;
}

/** Each fault of `faults` belongs to one life, the last life is without. */
export async function lives(seed: number, faults: readonly Faults[], ends: Ends, steps = 300) {
  const unit = seededRandom(seed);
  const workload = new Workload(unit);
  const lie: Faults = ends.lies === undefined ? {} : { lies: ends.lies };
  let directory = new FaultyDirectory(unit, { ...faults[0], ...lie });
  const effects: number[] = [];
  const done: Done = { flushes: 0, compactions: 0 };
  for (let life = 0; life <= faults.length; life++) {
    await live({ workload, done }, directory, seed * 100 + life, steps);
    effects.push(directory.effects);
    const next = { ...faults[life + 1], ...lie };
    const isKilled = ends.death === 'kill' && !directory.hasLostPower;
    // Whatever this life has left running does nothing from here on.
    directory.hasLostPower = true;
    ended.add(directory);
    directory = isKilled ? directory.afterKill(next) : directory.afterPowerLoss(next);
  }
  return { workload, effects, done };
}
