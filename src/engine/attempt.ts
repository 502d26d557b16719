/** One run of a planned program: on a snapshot when it only reads, else in a transaction that is committed. */

import { executeProgram, type ProgramOutcome, type TransactionEnd } from '#executor';
import { type DatabaseError, fail } from '#failure';
import type { ProgramPlan } from '#planner';
import type { Surveys } from '#statistics';
import {
  type CommitOutcome,
  type Snapshot,
  StorageError,
  type Store,
  type Transaction,
} from '#storage';
import type { Ticket } from './admission/ticket.ts';
import type { Database } from './database.ts';
import { release } from './release.ts';
import type { ProgramRequest } from './response.ts';

/**
 * Runs a program without effects, in the newest state or in one that the caller has taken, which is let go of at the end. At once when nothing has to be
 * waited for. What a failing one saw is waited for like any answer.
 */
export function runProgram(
  { store }: Database,
  plan: ProgramPlan,
  ticket: Ticket,
  taken?: Snapshot,
): ProgramOutcome | Promise<ProgramOutcome> {
  if (taken === undefined) refuseOvertaken(store);
  const snapshot = taken ?? store.snapshot();
  const outcome = outcomeOf(plan, ticket, snapshot);
  if (outcome instanceof Promise || store.durable(snapshot.sequence) !== undefined) {
    return shownOutcome(outcome, store, snapshot, ticket);
  }
  release(snapshot, ticket);
  return outcome;
}

/** A failure comes as a promise too: what it is about has been seen. */
export function outcomeOf(
  plan: ProgramPlan,
  { world, budget, memory, trace, meters }: Ticket,
  view: Snapshot | Transaction,
  transaction?: Transaction,
): ProgramOutcome | Promise<ProgramOutcome> {
  try {
    return executeProgram(plan, {
      world,
      budget,
      memory,
      view,
      transaction,
      statements: meters.statements,
      trace,
    });
  } catch (error) {
    return Promise.reject(error);
  }
}

async function shownOutcome(
  outcome: ProgramOutcome | Promise<ProgramOutcome>,
  store: Store,
  snapshot: Snapshot,
  ticket: Ticket,
): Promise<ProgramOutcome> {
  try {
    return await outcome;
  } finally {
    release(snapshot, ticket);
    const wait = store.durable(snapshot.sequence);
    if (wait !== undefined) await shown(wait, ticket);
  }
}

/** What else belongs to a commit. */
interface CommitParts<R> {
  /** Makes the answer of the outcome: a promise of its own for that would cost more than the making. */
  readonly respond: (outcome: ProgramOutcome) => R;
  /** Gets the result of the program before the commit, and its basis is asked as the commit is decided. */
  readonly request: Pick<ProgramRequest, 'beforeCommit' | 'basis'>;
}

/** Runs and commits; undefined when the commit lost a race. */
export async function commitProgram<R>(
  database: Database,
  plan: ProgramPlan,
  ticket: Ticket,
  { respond, request }: CommitParts<R>,
): Promise<R | undefined> {
  const { budget, trace, meters, world } = ticket;
  const beganMs = world.clock.monotonicMs();
  let end: TransactionEnd = 'rollback';
  if (database.hasEndedWrites) throw endedWrites();
  const transaction = database.store.begin();
  try {
    const ran = outcomeOf(plan, ticket, transaction, transaction);
    const isPending = ran instanceof Promise;
    const outcome = isPending
      ? await ran.catch((error) => failed(error, database.store, transaction, ticket))
      : ran;
    const check = outcome.result && request.beforeCommit?.(outcome.result);
    if (check !== undefined) await check;
    const written = database.writeCatalog(plan, transaction, budget);
    const catalog = written instanceof Promise ? await written : written;
    const committing = transaction.commit({
      // Work that was ended while it waited for the lane must not happen any more.
      validate: () =>
        budget.ended === undefined &&
        !database.hasEndedWrites &&
        database.isCurrent(plan) &&
        request.basis?.holds() !== false,
      applied: (sequence) => {
        budget.settle();
        database.applied(catalog, sequence);
      },
    });
    ticket.leave();
    end = 'abandoned';
    if (!isCommitted(await budget.wait(committing))) return undefined;
    end = 'commit';
    if (database.surveys !== undefined) countChanges(database.surveys, plan, outcome);
    return respond(outcome);
  } finally {
    meters.transactions[end].add((world.clock.monotonicMs() - beganMs) / 1000);
    trace?.transactionEnded(beganMs, end);
    release(transaction, ticket);
  }
}

export function endedWrites(): DatabaseError {
  const detail = 'nothing was written: a task of the server has failed, and the server stops';
  return fail('storage_unavailable', detail, { status: 503, retryAfterSeconds: 1 });
}

/** Rows that follow a deleted one are not counted: the numbers are about. */
function countChanges(surveys: Surveys, plan: ProgramPlan, { statements }: ProgramOutcome): void {
  for (let i = 0; i < statements.length; i++) {
    const statement = plan.statements[i];
    if (statement === undefined || statement.kind === 'query' || statement.kind === 'catalog') {
      continue;
    }
    surveys.changed(statement.table, statements[i]?.affected ?? 0);
  }
}

/** What a failing program saw may be told once it is durable. */
async function failed(
  error: unknown,
  store: Store,
  { sequence }: Transaction,
  ticket: Ticket,
): Promise<never> {
  const wait = store.durable(sequence);
  if (wait !== undefined) await shown(wait, ticket);
  throw error;
}

/** What was seen may be told once it is durable. That takes no slot; work that was ended tells nothing of it. */
export async function shown(durable: Promise<void>, ticket: Ticket): Promise<void> {
  if (ticket.budget.ended !== undefined) return;
  ticket.leave();
  await ticket.budget.wait(durable);
}

/** What is read here may be out of date for good: another process writes by now. */
export function refuseOvertaken({ poisoned }: Store): void {
  if (!(poisoned instanceof StorageError)) return;
  const { kind } = poisoned.trouble;
  if (kind !== 'fenced' && kind !== 'replaced') return;
  throw fail('storage_unavailable', `this process may not answer any more: ${poisoned.message}`, {
    cause: poisoned,
  });
}

export function isCommitted(outcome: CommitOutcome): boolean {
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
