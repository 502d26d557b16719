/** One statement of an open transaction. */

import { authorize, shownError } from '#access';
import { invariant } from '#base';
import { fail } from '#failure';
import type { RequestContext } from '../admission/request-context.ts';
import { endedWrites, outcomeOf, refuseOvertaken, shown } from '../attempt.ts';
import { isPointProgram, type PlannedProgram } from '../execution.ts';
import { isCurrentPlan } from '../prepared/current-plan.ts';
import type { ProgramRequest, ProgramResponse } from '../response.ts';
import { StreamedResult } from '../streamed-result.ts';
import { type GateDeadline, gatedWrite } from '../write-gates.ts';
import { AnswerDigest, digesting } from './answer-digest.ts';
import { extended, requireRoom } from './draft.ts';
import type { Open } from './open.ts';

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
  const { view, transaction, world } = open.hold();
  open.basis.add(plan);
  const beganMs = observer.begin(plan, requestContext);
  try {
    const digest = transaction && open.replayLog.logged && new AnswerDigest();
    const streamed = sink && new StreamedResult(sink, database.store, view, requestContext);
    const digested = streamed && digest ? digesting(streamed, digest) : streamed;
    const outcome = await outcomeOf(plan, requestContext, {
      view,
      transaction,
      sink: digested,
      world,
    });
    if (digest !== undefined) {
      const statement = { plan, digest: digest.end(outcome) };
      open.replayLog.add(statement, {
        length: digest.length,
        workMs: requestContext.budget.usedMs,
      });
    }
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
