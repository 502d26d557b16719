/** Erases records of the corpus from the store, in commits of bounded size. */

import type { World } from '#base';
import type { Store } from '#storage';
import { eachEntry } from '../archive/entries.ts';
import { executionRange, hashOfExecution, hashOfProgram, programRange } from './records.ts';

/** Records that one commit deletes. */
const deletionsMax = 4_096;

/** Numbers of records. */
export interface Erased {
  readonly executions: number;
  readonly programs: number;
}

interface ErasingParts {
  readonly store: Pick<Store, 'begin' | 'snapshot'>;
  readonly world: Pick<World, 'scheduler'>;
}

/**
 * Deletes the program `hash` and its executions; without a hash all records, damaged ones included. Returns the hashes of the programs and the number of
 * executions. Rejects when the storage fails: then some of them may be left, and a repetition deletes those. Nobody else writes records meanwhile.
 */
export async function eraseRecords(
  { store, world }: ErasingParts,
  hash?: string,
): Promise<{ readonly executions: number; readonly programs: readonly string[] }> {
  const programs: Uint8Array[] = [];
  const executions: Uint8Array[] = [];
  const snapshot = store.snapshot();
  try {
    await eachEntry(snapshot, programRange, world.scheduler, (key) => {
      if (hash === undefined || hashOfProgram(key) === hash) programs.push(key.slice());
    });
    await eachEntry(snapshot, executionRange, world.scheduler, (key) => {
      if (hash === undefined || hashOfExecution(key) === hash) executions.push(key.slice());
    });
  } finally {
    snapshot.release();
  }
  // Programs first: they hold the literals.
  const keys = [...programs, ...executions];
  for (let at = 0; at < keys.length; at += deletionsMax) {
    await deleteAll(store, keys.slice(at, at + deletionsMax));
  }
  return { executions: executions.length, programs: programs.map(hashOfProgram) };
}

async function deleteAll(store: Pick<Store, 'begin'>, keys: readonly Uint8Array[]): Promise<void> {
  const transaction = store.begin();
  try {
    for (const key of keys) transaction.delete(key);
    const outcome = await transaction.commit();
    if (outcome.kind === 'committed') return;
    throw new Error('records of the workload corpus could not be deleted', {
      cause: outcome.kind === 'unknown' ? outcome.cause : undefined,
    });
  } finally {
    transaction.release();
  }
}
