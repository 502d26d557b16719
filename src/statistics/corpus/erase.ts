/** Erases records of the corpus from the store, in commits of bounded size. */

import type { World } from '#base';
import type { Store } from '#storage';
import { eachReadable } from '../archive/entries.ts';
import { executionRange, hashOfExecution, hashOfProgram, programRange } from './records.ts';

/** Maximum number of records that one commit deletes. */
const deletionsMax = 4_096;

/** Numbers of erased records. */
export interface Erased {
  readonly executions: number;
  readonly programs: number;
}

interface ErasingParts {
  readonly store: Pick<Store, 'begin' | 'snapshot'>;
  readonly world: Pick<World, 'scheduler'>;
}

/**
 * Deletes the program `hash` and its executions, or all records without a hash, including damaged ones. Returns the hashes of the programs and the number of
 * executions. Rejects if the storage fails. Some records may then remain, and a repetition deletes them. If records cannot be read because a part of the
 * store is damaged, all readable ones are deleted first. The caller must ensure that no other writer of corpus records runs meanwhile.
 */
export async function eraseRecords(
  { store, world }: ErasingParts,
  hash?: string,
): Promise<{ readonly executions: number; readonly programs: readonly string[] }> {
  const programs = new Map<string, Uint8Array>();
  const executions = new Map<string, Uint8Array>();
  const damages: unknown[] = [];
  const snapshot = store.snapshot();
  try {
    const seeProgram = (key: Uint8Array) => {
      if (hash === undefined || hashOfProgram(key) === hash) programs.set(key.toHex(), key.slice());
    };
    const seeExecution = (key: Uint8Array) => {
      if (hash !== undefined && hashOfExecution(key) !== hash) return;
      executions.set(key.toHex(), key.slice());
    };
    damages.push(await eachReadable(snapshot, programRange, world.scheduler, seeProgram));
    damages.push(await eachReadable(snapshot, executionRange, world.scheduler, seeExecution));
  } finally {
    snapshot.release();
  }
  // Programs come first, because they contain the literals.
  const keys = [...programs.values(), ...executions.values()];
  for (let at = 0; at < keys.length; at += deletionsMax) {
    await deleteAll(store, keys.slice(at, at + deletionsMax));
  }
  for (const damage of damages) if (damage !== undefined) throw damage;
  return { executions: executions.size, programs: [...programs.values()].map(hashOfProgram) };
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
