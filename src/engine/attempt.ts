/** One execution of a planned program: on a snapshot if it only reads, otherwise in a transaction that is then committed. */

import type { Principal } from '#access';
import {
  type Budget,
  executeProgram,
  type ProgramContext,
  type ProgramOutcome,
  type ResultSink,
  type TransactionEnd,
} from '#executor';
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
import type { RequestContext } from './admission/request-context.ts';
import type { Database } from './database.ts';
import { release } from './release.ts';
import type { ProgramRequest } from './response.ts';
import { StreamedResult } from './streamed-result.ts';

/**
 * Runs a read-only program on the newest state, or on `taken`, which is released at the end. Returns the outcome
 * synchronously if nothing has to be waited for. A failed program also waits until the state that it has read is
 * durable.
 */
export function runProgram(
  { store }: Database,
  plan: ProgramPlan,
  requestContext: RequestContext,
  {
    taken,
    sink,
  }: { readonly taken?: Snapshot | undefined; readonly sink?: ResultSink | undefined },
): ProgramOutcome | Promise<ProgramOutcome> {
  if (taken === undefined) refuseOvertaken(store);
  const snapshot = taken ?? store.snapshot();
  const streamed = sink && new StreamedResult(sink, store, snapshot, requestContext);
  const outcome = outcomeOf(plan, requestContext, { view: snapshot, sink: streamed });
  if (outcome instanceof Promise || store.durable(snapshot.sequence) !== undefined) {
    return shownOutcome(outcome, store, snapshot, requestContext);
  }
  release(snapshot, requestContext);
  return outcome;
}

/**
 * Executes the plan. A synchronous failure becomes a rejected promise too, because it also depends on the state that was
 * read.
 */
export function outcomeOf(
  plan: ProgramPlan,
  requestContext: RequestContext,
  {
    view,
    transaction,
    sink,
    world = requestContext.world,
  }: Pick<ProgramContext, 'view' | 'transaction' | 'sink'> & Partial<Pick<ProgramContext, 'world'>>,
): ProgramOutcome | Promise<ProgramOutcome> {
  const { budget, memory, trace, meters, principal } = requestContext;
  try {
    return executeProgram(plan, {
      claims: principal.claims,
      world,
      budget,
      memory,
      view,
      transaction,
      statements: meters.statements,
      trace,
      sink,
    });
  } catch (error) {
    return Promise.reject(error);
  }
}

async function shownOutcome(
  outcome: ProgramOutcome | Promise<ProgramOutcome>,
  store: Store,
  snapshot: Snapshot,
  requestContext: RequestContext,
): Promise<ProgramOutcome> {
  try {
    return await outcome;
  } finally {
    release(snapshot, requestContext);
    const wait = store.durable(snapshot.sequence);
    if (wait !== undefined) await shown(wait, requestContext);
  }
}

/** Further parts of a commit. */
interface CommitParts<R> {
  /** Builds the response from the outcome. This member is a callback because a separate promise would cost more than the work. */
  readonly respond: (outcome: ProgramOutcome) => R;
  /** Receives the result of the program before the commit. Its basis is checked when the commit is decided. */
  readonly request: Pick<ProgramRequest, 'beforeCommit' | 'basis'>;
}

/** Runs and commits a program. Returns `undefined` if the commit had a conflict. */
export async function commitProgram<R>(
  database: Database,
  plan: ProgramPlan,
  requestContext: RequestContext,
  { respond, request }: CommitParts<R>,
): Promise<R | undefined> {
  const { budget, trace, meters, world } = requestContext;
  const beganMs = world.clock.monotonicMs();
  let end: TransactionEnd = 'rollback';
  if (database.hasEndedWrites) throw endedWrites();
  requireAdmitted(database, requestContext);
  const transaction = database.store.begin();
  try {
    const ran = outcomeOf(plan, requestContext, { view: transaction, transaction });
    const isPending = ran instanceof Promise;
    const outcome = isPending
      ? await ran.catch((error) => failed(error, database.store, transaction, requestContext))
      : ran;
    const check = outcome.result && request.beforeCommit?.(outcome.result);
    if (check !== undefined) await check;
    const written = database.writeCatalog(plan, transaction, budget);
    const catalog = written instanceof Promise ? await written : written;
    const committing = transaction.commit({
      validate: () =>
        !database.hasEndedWrites &&
        database.isCurrent(plan) &&
        request.basis?.holds() !== false &&
        database.admits(requestContext.principal) &&
        staysUntilCommitted(budget),
      applied: (sequence) => database.applied(catalog, sequence),
    });
    requestContext.leave();
    end = 'abandoned';
    if (!isCommitted(await budget.wait(committing))) {
      requireAdmitted(database, requestContext);
      return undefined;
    }
    end = 'commit';
    if (database.surveys !== undefined) countChanges(database.surveys, plan, outcome);
    return respond(outcome);
  } finally {
    meters.transactions[end].add((world.clock.monotonicMs() - beganMs) / 1000);
    trace?.transactionEnded(beganMs, end);
    release(transaction, requestContext);
  }
}

/**
 * The last condition of a commit. Returns false if the program was ended while it waited in the commit queue. Otherwise nothing ends the program
 * from now on, because the commit is in the log before other code runs.
 */
export function staysUntilCommitted(budget: Budget): boolean {
  if (budget.ended !== undefined) return false;
  budget.settle();
  return true;
}

/** Throws if the API key or token of the request has ended since the request was authenticated. */
export function requireAdmitted(
  database: Database,
  { principal }: { readonly principal: Principal },
): void {
  if (database.admits(principal)) return;
  const detail = 'the access token is not valid, or is no longer valid; nothing was changed';
  throw fail('invalid_token', detail);
}

export function endedWrites(): DatabaseError {
  const detail = 'a task of the server has failed and the server stops; nothing was written';
  return fail('storage_unavailable', detail, { status: 503, retryAfterSeconds: 1 });
}

/** Counts changed rows for the surveys. Rows deleted by a cascade are not counted, so the numbers are approximate. */
function countChanges(surveys: Surveys, plan: ProgramPlan, { statements }: ProgramOutcome): void {
  for (let i = 0; i < statements.length; i++) {
    const statement = plan.statements[i];
    if (statement === undefined || statement.kind === 'query' || statement.kind === 'catalog') {
      continue;
    }
    surveys.changed(statement.table, statements[i]?.affected ?? 0);
  }
}

/** Waits until the state that a failed program has read is durable, then throws its error. */
async function failed(
  error: unknown,
  store: Store,
  { sequence }: Transaction,
  requestContext: RequestContext,
): Promise<never> {
  const wait = store.durable(sequence);
  if (wait !== undefined) await shown(wait, requestContext);
  throw error;
}

/**
 * Waits until the state that was read is durable, without a slot. Does not wait for a program that was ended, because it
 * returns nothing of that state.
 */
export async function shown(durable: Promise<void>, requestContext: RequestContext): Promise<void> {
  if (requestContext.budget.ended !== undefined) return;
  requestContext.leave();
  await requestContext.budget.wait(durable);
}

/** Throws if another process now writes to the store, because the state of this process may be outdated permanently. */
export function refuseOvertaken({ poisoned }: Store): void {
  if (!(poisoned instanceof StorageError)) return;
  const { kind } = poisoned.fault;
  if (kind !== 'fenced' && kind !== 'replaced') return;
  throw fail(
    'storage_unavailable',
    `this process can no longer serve requests: ${poisoned.message}`,
    {
      cause: poisoned,
    },
  );
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
        'the log failed during the commit: the program may or may not have been committed; check before you send it again',
        { cause: outcome.cause },
      );
  }
}
