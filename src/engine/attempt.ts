/** One run of a planned program: on a snapshot when it only reads, else in a transaction that is committed. */

import { executeProgram, type ProgramOutcome } from '#executor';
import { fail } from '#failure';
import type { ProgramPlan } from '#planner';
import { type CommitOutcome, StorageError, type Store, type Transaction } from '#storage';
import type { Ticket } from './admission/ticket.ts';
import type { Database } from './database.ts';
import { release } from './release.ts';

/** Runs a program without effects. What a failing one saw is waited for like any answer. */
export async function runProgram(
  database: Database,
  plan: ProgramPlan,
  ticket: Ticket,
): Promise<ProgramOutcome> {
  refuseOvertaken(database.store);
  const snapshot = database.store.snapshot();
  try {
    const outcome = executeProgram(plan, { ...workOf(ticket), view: snapshot });
    return outcome instanceof Promise ? await outcome : outcome;
  } finally {
    release(snapshot, ticket);
    const wait = database.store.durable(snapshot.sequence);
    if (wait !== undefined) await shown(wait, ticket);
  }
}

/** Runs and commits; undefined when the commit lost a race. `isStill` tells, as the commit is decided, whether what else the plan rests on holds. */
export async function commitProgram(
  database: Database,
  plan: ProgramPlan,
  ticket: Ticket,
  isStill: () => boolean = () => true,
): Promise<ProgramOutcome | undefined> {
  const { budget } = ticket;
  const transaction = database.store.begin();
  try {
    const outcome = await runIn(database, plan, ticket, transaction);
    const check = outcome.result && ticket.resultCheck?.beforeCommit(outcome.result);
    if (check !== undefined) await check;
    const catalog = database.writeCatalog(plan, transaction);
    const committing = transaction.commit({
      // Work that was ended while it waited for the lane must not happen any more.
      validate: () => budget.ended === undefined && database.isCurrent(plan) && isStill(),
      applied: (sequence) => {
        budget.settle();
        database.applied(catalog, sequence);
      },
    });
    ticket.leave();
    return isCommitted(await budget.wait(committing)) ? outcome : undefined;
  } finally {
    release(transaction, ticket);
  }
}

async function runIn(
  database: Database,
  plan: ProgramPlan,
  ticket: Ticket,
  transaction: Transaction,
): Promise<ProgramOutcome> {
  try {
    const outcome = executeProgram(plan, { ...workOf(ticket), view: transaction, transaction });
    return outcome instanceof Promise ? await outcome : outcome;
  } catch (error) {
    const wait = database.store.durable(transaction.sequence);
    if (wait !== undefined) await shown(wait, ticket);
    throw error;
  }
}

function workOf({ world, budget, memory }: Ticket) {
  return { world, budget, memory };
}

/** What was seen may be told once it is durable. That takes no slot; work that was ended tells nothing of it. */
async function shown(durable: Promise<void>, ticket: Ticket): Promise<void> {
  if (ticket.budget.ended !== undefined) return;
  ticket.leave();
  await ticket.budget.wait(durable);
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
