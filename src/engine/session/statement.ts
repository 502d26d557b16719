/** The work of one call to an open transaction: a statement or the commit. */

import { authorize, shownError } from '#access';
import { invariant } from '#base';
import type { Catalog } from '#catalog';
import { fail } from '#failure';
import type { CommitOutcome, Snapshot, Transaction } from '#storage';
import type { RequestContext } from '../admission/request-context.ts';
import {
  endedWrites,
  isCommitted,
  outcomeOf,
  refuseOvertaken,
  requireAdmitted,
  shown,
  staysUntilCommitted,
} from '../attempt.ts';
import { isPointProgram, type PlannedProgram } from '../execution.ts';
import { isCurrentPlan } from '../prepared/current-plan.ts';
import type { ProgramRequest, ProgramResponse } from '../response.ts';
import { StreamedResult } from '../streamed-result.ts';
import { type GateDeadline, gatedWrite } from '../write-gates.ts';
import type { Basis } from './basis.ts';
import { type Draft, extended, requireRoom } from './draft.ts';
import type { SessionParts } from './parts.ts';

/** The state that an open transaction reads, and its writes. */
export interface TransactionState {
  readonly view: Snapshot | Transaction;
  /** The storage transaction that receives writes; `undefined` in a read-only transaction. */
  readonly transaction: Transaction | undefined;
  /** The catalog of the state. */
  readonly base: Catalog;
}

/** The parts of an open transaction that its calls use. */
interface Open {
  readonly parts: SessionParts;
  readonly isReadOnly: boolean;
  readonly basis: Basis;
  readonly catalog: Catalog;
  /** The state after the previous statement; `undefined` before the first statement. */
  readonly held: TransactionState | undefined;
  draft: Draft;
  hold(): TransactionState;
  account(): void;
}

/** Runs one program. At the end, the state in its result or failure is durable. */
export async function runOn(
  open: Open,
  request: ProgramRequest,
  requestContext: RequestContext,
): Promise<ProgramResponse> {
  const deadline: GateDeadline = { untilMs: undefined };
  let planned: PlannedProgram | undefined;
  try {
    do {
      planned = await admitted(open, request, requestContext, deadline);
      // From here, nothing is awaited until the state is taken.
    } while (!isFitting(planned, open));
    return await runPlanned(open, planned, requestContext, request.sink);
  } catch (error) {
    const failed = planned?.plan ?? { catalog: open.catalog, needs: undefined };
    throw shownError(error, requestContext.principal, failed);
  }
}

async function runPlanned(
  open: Open,
  { plan, prepared }: PlannedProgram,
  requestContext: RequestContext,
  sink: ProgramRequest['sink'],
): Promise<ProgramResponse> {
  const { database, observer } = open.parts;
  requestContext.budget.check();
  refuseOvertaken(database.store);
  if (!open.isReadOnly && database.hasEndedWrites) throw endedWrites();
  requireRoom(open.draft, plan);
  const { view, transaction } = open.hold();
  open.basis.add(plan);
  const beganMs = observer.begin(plan, requestContext);
  try {
    const streamed = sink && new StreamedResult(sink, database.store, view, requestContext);
    const outcome = await outcomeOf(plan, requestContext, { view, transaction, sink: streamed });
    open.account();
    observer.end(plan, outcome, beganMs, requestContext.trace);
    open.draft = extended(open.draft, plan, outcome);
    return { ...outcome, plan: undefined, prepared, entityTag: undefined };
  } finally {
    const wait = database.store.durable(view.sequence);
    if (wait !== undefined) await shown(wait, requestContext);
  }
}

/** Returns whether the plan is valid for the state that is held, or that would be taken now. */
function isFitting({ plan }: PlannedProgram, { catalog, held }: Open): boolean {
  const isCurrent = isCurrentPlan(plan, catalog);
  invariant(isCurrent || held === undefined, 'a plan is made for the catalog that it is asked for');
  return isCurrent;
}

/** Returns the plan after the program has passed the write gates and has a slot. */
async function admitted(
  open: Open,
  request: ProgramRequest,
  requestContext: RequestContext,
  deadline: GateDeadline,
): Promise<PlannedProgram> {
  const { gates, database } = open.parts;
  for (;;) {
    const planned = await plannedFor(open, request, requestContext);
    const { plan } = planned;
    if (!plan.isReadOnly) {
      if (open.isReadOnly) throw readOnly();
      // A write gate that was closed when the state was taken stays closed in it.
      const gated = gatedWrite(plan, open.catalog);
      if (gated !== undefined) {
        if (open.held !== undefined) deadline.untilMs = database.world.clock.monotonicMs();
        requestContext.leave();
        await requestContext.budget.until(gates.pass(gated, deadline));
        continue;
      }
    }
    const slot = requestContext.enter(isPointProgram(plan));
    if (slot !== undefined) await slot;
    return planned;
  }
}

/** Uses the known plan if it is valid for the state, otherwise makes a new one. */
async function plannedFor(
  open: Open,
  request: ProgramRequest,
  requestContext: RequestContext,
): Promise<PlannedProgram> {
  const { known } = request;
  if (known !== undefined && isCurrentPlan(known.program.plan, open.catalog)) {
    const { program: prepared, parameters } = known;
    authorize(requestContext.principal, prepared.plan.needs);
    return { prepared, plan: { ...prepared.plan, parameters } };
  }
  const prepared = await open.parts.planner.plan(request, requestContext, open);
  return { prepared, plan: prepared.plan };
}

function readOnly(): Error {
  return fail('read_only', 'the transaction is read-only; begin another transaction for writes');
}

/** Commits the transaction. Without writes nothing is checked, because all reads belong to one state. */
export async function commitOn(
  open: Open,
  requestContext: RequestContext,
): Promise<'committed' | 'conflict'> {
  const { held, draft } = open;
  if (held?.transaction === undefined) return 'committed';
  const { transaction, base } = held;
  const isMoved = draft.catalog !== base;
  if (transaction.isEmpty && !isMoved) return decided(await transaction.commit());
  const { database } = open.parts;
  await stand(open, requestContext);
  if (database.hasEndedWrites) throw endedWrites();
  requireAdmitted(database, requestContext);
  const { catalog: catalogAfter, statements } = draft;
  const change = { catalog: base, catalogAfter, statements };
  const catalog = await database.writeCatalog(change, transaction, requestContext.budget);
  const isCurrent = () =>
    isMoved ? database.catalog === base : open.basis.isCurrent(base, database.catalog);
  const committing = transaction.commit({
    validate: () =>
      !database.hasEndedWrites &&
      isCurrent() &&
      database.admits(requestContext.principal) &&
      staysUntilCommitted(requestContext.budget),
    applied: (sequence) => database.applied(catalog, sequence),
  });
  requestContext.leave();
  const outcome = decided(await requestContext.budget.wait(committing));
  if (outcome === 'conflict' && database.hasEndedWrites) throw endedWrites();
  if (outcome === 'conflict') requireAdmitted(database, requestContext);
  if (outcome === 'committed') tellChanges(open);
  return outcome;
}

function decided(outcome: CommitOutcome): 'committed' | 'conflict' {
  return isCommitted(outcome) ? 'committed' : 'conflict';
}

/** Waits for the end of an exclusive commit, then for the storage. */
async function stand({ parts }: Open, requestContext: RequestContext): Promise<void> {
  const turn = parts.exclusive.pass(requestContext);
  if (turn !== undefined) await turn;
  const pressure = parts.database.store.admitWrite();
  if (pressure === undefined) return;
  await parts.admission.pressed.wait(() => requestContext.budget.until(pressure));
}

function tellChanges({ parts, draft }: Open): void {
  for (const [table, rows] of draft.changed) parts.database.surveys?.changed(table, rows);
}
