/** One run of a planned program: on a snapshot when it only reads, else in a transaction that is committed. */

import { executeProgram, type ProgramOutcome } from '#executor';
import { fail } from '#failure';
import type { ProgramPlan } from '#planner';
import { type CommitOutcome, StorageError, type Store, type Transaction } from '#storage';
import type { Database, Work } from './database.ts';

/** Runs a program without effects. What a failing one saw is waited for like any answer. */
export async function runProgram(
  database: Database,
  plan: ProgramPlan,
  work: Work,
): Promise<ProgramOutcome> {
  refuseOvertaken(database.store);
  const snapshot = database.store.snapshot();
  try {
    const outcome = executeProgram(plan, { ...work, view: snapshot });
    return outcome instanceof Promise ? await outcome : outcome;
  } finally {
    snapshot.release();
    const wait = database.store.durable(snapshot.sequence);
    if (wait !== undefined) await wait;
  }
}

export interface CommitHooks {
  /** Called when only the log has to answer yet. */
  readonly handedOver?: () => void;
  /** Tells, as the commit is decided, whether what else the plan rests on holds. */
  readonly isStill?: () => boolean;
}

/** Runs and commits; undefined when the commit lost a race. */
export async function commitProgram(
  database: Database,
  plan: ProgramPlan,
  work: Work,
  { handedOver, isStill }: CommitHooks = {},
): Promise<ProgramOutcome | undefined> {
  const pressure = database.store.admitWrite();
  if (pressure !== undefined) await pressure;
  if (!database.isCurrent(plan)) return undefined;
  const transaction = database.store.begin();
  try {
    const outcome = await runIn(database, plan, work, transaction);
    const catalog = database.writeCatalog(plan, transaction);
    const committing = transaction.commit({
      validate: () => database.isCurrent(plan) && isStill?.() !== false,
      applied: (sequence) => database.applied(catalog, sequence),
    });
    handedOver?.();
    return isCommitted(await committing) ? outcome : undefined;
  } finally {
    transaction.release();
  }
}

async function runIn(
  database: Database,
  plan: ProgramPlan,
  work: Work,
  transaction: Transaction,
): Promise<ProgramOutcome> {
  try {
    const outcome = executeProgram(plan, { ...work, view: transaction, transaction });
    return outcome instanceof Promise ? await outcome : outcome;
  } catch (error) {
    const wait = database.store.durable(transaction.sequence);
    if (wait !== undefined) await wait;
    throw error;
  }
}

/** What is read here may be out of date for good: another process writes by now. */
function refuseOvertaken({ poisoned }: Store): void {
  if (!(poisoned instanceof StorageError)) return;
  const { kind } = poisoned.trouble;
  if (kind !== 'fenced' && kind !== 'replaced') return;
  throw fail('storage_unavailable', `this process may not answer any more: ${poisoned.message}`, {
    cause: poisoned,
  });
}

function isCommitted(outcome: CommitOutcome): boolean {
  switch (outcome.kind) {
    case 'committed':
      return true;
    case 'conflict':
      return false;
    case 'unknown':
      throw fail(
        'commit_outcome_unknown',
        'the log failed while the commit was under way: it may or may not have happened; check before you send it again',
        { cause: outcome.cause },
      );
  }
}
