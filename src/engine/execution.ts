/** Executes programs: plans and admits each program, and repeats it after conflicts. */

import { authorize, requireUnrestricted, shownError, unrestricted } from '#access';
import { runSteps } from '#base';
import type { ProgramOutcome } from '#executor';
import { DatabaseError, fail } from '#failure';
import { explainProgramSteps, keyedReads, type ProgramPlan } from '#planner';
import type { Snapshot } from '#storage';
import type { Admission } from './admission/admission.ts';
import type { RequestContext } from './admission/request-context.ts';
import { commitProgram, runProgram } from './attempt.ts';
import { answerUnlessKnown } from './conditional.ts';
import type { Database } from './database.ts';
import { ExclusiveCommits } from './exclusive-commits.ts';
import { Observer } from './observer.ts';
import { Planner } from './prepared/planner.ts';
import type { PreparedProgram } from './prepared/prepared-program.ts';
import type { Validity } from './prepared/validity.ts';
import type { ProgramRequest, ProgramResponse } from './response.ts';
import { type GateDeadline, gatedWrite, WriteGates } from './write-gates.ts';

/** Number of attempts before a conflict is reported. The last attempt runs with an exclusive commit. */
const usualAttemptsMax = 3;
/** A program with at most this number of reads by key belongs to the class `point`. */
const keyedReadsMax = 1000;

/** A prepared program with the parameters of the request. */
export interface PlannedProgram {
  readonly prepared: PreparedProgram;
  readonly plan: ProgramPlan;
}

/** The response of one attempt; `undefined` if the commit had a conflict, or if the tables of the plan have changed. */
type Attempt = ProgramResponse | undefined | Promise<ProgramResponse | undefined>;

/** The state of one program between its attempts. */
interface Journey extends GateDeadline {
  readonly request: ProgramRequest;
  readonly requestContext: RequestContext;
  /** The plan of the last attempt. */
  planned: PlannedProgram | undefined;
}

export class Execution {
  readonly exclusive: ExclusiveCommits;
  private readonly database: Database;
  private readonly admission: Admission;
  readonly observer: Observer;
  readonly gates: WriteGates;
  readonly planner: Planner;
  private readonly validity: Validity;
  private readonly attemptsMax: number;

  constructor(
    database: Database,
    admission: Admission,
    validity: Validity,
    attemptsMax: number = usualAttemptsMax,
  ) {
    this.attemptsMax = attemptsMax;
    this.database = database;
    this.admission = admission;
    this.validity = validity;
    this.observer = new Observer(database);
    this.gates = new WriteGates(database);
    this.planner = new Planner(database, admission.meters.planning);
    this.exclusive = new ExclusiveCommits(database, admission);
  }

  /** Executes a program. Returns synchronously if nothing has to be waited for, as for a point read from memory. */
  execute(
    request: ProgramRequest,
    requestContext: RequestContext,
  ): ProgramResponse | Promise<ProgramResponse> {
    const { principal } = requestContext;
    const journey: Journey = { request, requestContext, planned: undefined, untilMs: undefined };
    // Changes of the catalog need the scope `schema`, with which all names are visible.
    const seesAll = request.authority === 'migration' || principal.visibility === unrestricted;
    return seesAll ? this.begin(journey) : this.restricted(journey);
  }

  /** Executes a program of a principal that may not see all tables and rows, and reports its failure without the others. */
  private restricted(journey: Journey): ProgramResponse | Promise<ProgramResponse> {
    const failed = (error: unknown): never => {
      const { principal } = journey.requestContext;
      const { catalog, needs } = journey.planned?.plan ?? {
        catalog: this.database.catalog,
        needs: undefined,
      };
      throw shownError(error, principal, { catalog, needs });
    };
    try {
      const response = this.begin(journey);
      return response instanceof Promise ? response.catch(failed) : response;
    } catch (error) {
      return failed(error);
    }
  }

  private begin(journey: Journey): ProgramResponse | Promise<ProgramResponse> {
    const { request } = journey;
    if (request.dryRun === true) return this.dryRun(journey);
    const first = this.attempt(journey);
    if (first instanceof Promise) return first.then((response) => response ?? this.again(journey));
    return first ?? this.again(journey);
  }

  private async dryRun(journey: Journey): Promise<ProgramResponse> {
    const { request, requestContext } = journey;
    const { prepared } = await this.planned(journey);
    const { catalogSequence, store } = this.database;
    await requestContext.budget.until(store.durable(catalogSequence) ?? Promise.resolve());
    const plan = request.showPlan ? await shownPlan(prepared.plan, requestContext) : undefined;
    return { result: undefined, statements: [], plan, prepared, entityTag: undefined };
  }

  /** Repeats the program after a conflict, the last time with an exclusive commit. */
  private async again(journey: Journey): Promise<ProgramResponse> {
    const { requestContext } = journey;
    for (let attempt = 2; ; attempt++) {
      requestContext.budget.check();
      if (attempt > this.attemptsMax) throw lostRace();
      const isLast = attempt === this.attemptsMax;
      // During an exclusive commit no other program commits, so the plan is made before it.
      if (isLast) await this.planned(journey);
      const response = await (isLast
        ? this.exclusive.run(requestContext, async () => this.attempt(journey))
        : this.attempt(journey));
      if (response !== undefined) return response;
    }
  }

  private attempt(journey: Journey): Attempt {
    const planned = this.letIn(this.planned(journey), journey);
    if (planned instanceof Promise) return planned.then((it) => this.carryOut(it, journey));
    return this.carryOut(planned, journey);
  }

  /** Returns the plan of the previous attempt or the known plan, if its tables are unchanged. Otherwise makes a new plan. */
  private planned(journey: Journey): PlannedProgram | Promise<PlannedProgram> {
    const { request, requestContext, planned } = journey;
    const { known } = request;
    if (planned !== undefined && this.holds(planned, request)) return planned;
    if (planned === undefined && known !== undefined && this.validity.holds(known.program)) {
      const { program: prepared, parameters } = known;
      authorize(requestContext.principal, prepared.plan.needs);
      journey.planned = { prepared, plan: { ...prepared.plan, parameters } };
      return journey.planned;
    }
    const made = this.planner.plan(request, requestContext);
    const take = (prepared: PreparedProgram) => {
      journey.planned = { prepared, plan: prepared.plan };
      return journey.planned;
    };
    return made instanceof Promise ? made.then(take) : take(made);
  }

  private holds({ plan }: PlannedProgram, { basis }: ProgramRequest): boolean {
    return this.database.isCurrent(plan) && basis?.holds() !== false;
  }

  /** Waits for write gates, the storage and a slot. Returns `undefined` if a table of the plan has changed in the meantime. */
  private letIn(
    made: PlannedProgram | Promise<PlannedProgram>,
    journey: Journey,
    hasStood = false,
  ): PlannedProgram | undefined | Promise<PlannedProgram | undefined> {
    if (made instanceof Promise) {
      return made.then((planned) => this.letIn(planned, journey, hasStood));
    }
    const { plan } = made;
    if (!this.database.isCurrent(plan)) return undefined;
    const { requestContext } = journey;
    if (!plan.isReadOnly) {
      const obstacle = this.waitAtGate(plan, journey) ?? this.stand(requestContext, hasStood);
      if (obstacle !== undefined) {
        return obstacle.then(() => this.letIn(this.planned(journey), journey, true));
      }
    }
    const slot = requestContext.enter(isPointProgram(plan));
    return slot === undefined ? made : slot.then(() => this.entered(made, journey));
  }

  /** Plans the program again if a table of the plan has changed while it waited for its slot. */
  private entered(
    made: PlannedProgram,
    journey: Journey,
  ): PlannedProgram | undefined | Promise<PlannedProgram | undefined> {
    if (this.database.isCurrent(made.plan)) return made;
    return this.letIn(this.planned(journey), journey, true);
  }

  private waitAtGate(plan: ProgramPlan, journey: Journey): Promise<void> | undefined {
    const gated = gatedWrite(plan, this.database.catalog);
    if (gated === undefined) return undefined;
    const { requestContext } = journey;
    requestContext.leave();
    return requestContext.budget.until(this.gates.pass(gated, journey));
  }

  /**
   * Returns a wait of a writer: for the end of an exclusive commit, otherwise for the storage. A writer waits at most
   * once, without a slot.
   */
  private stand(requestContext: RequestContext, hasStood: boolean): Promise<void> | undefined {
    if (hasStood) return undefined;
    const turn = this.exclusive.pass(requestContext);
    if (turn !== undefined) return turn;
    const pressure = this.database.store.admitWrite();
    if (pressure === undefined) return undefined;
    requestContext.leave();
    return this.admission.pressed.wait(() => requestContext.budget.until(pressure));
  }

  private carryOut(planned: PlannedProgram | undefined, journey: Journey): Attempt {
    if (planned === undefined) return undefined;
    return journey.request.showPlan
      ? this.runShown(planned, journey)
      : this.run(planned, journey, undefined);
  }

  private async runShown(
    planned: PlannedProgram,
    journey: Journey,
  ): Promise<ProgramResponse | undefined> {
    const view = await shownPlan(planned.plan, journey.requestContext);
    // Explaining a large plan yields to other requests, and a table of the plan may change in between.
    if (!this.database.isCurrent(planned.plan)) return undefined;
    try {
      return await this.run(planned, journey, view);
    } catch (error) {
      throw withPlan(error, view);
    }
  }

  /** Runs the plan once. `view` is the explained plan, if the client asked for it. */
  private run(
    { prepared, plan }: PlannedProgram,
    { request, requestContext }: Journey,
    view: unknown,
  ): Attempt {
    if (!plan.isReadOnly) {
      const respond = (outcome: ProgramOutcome) => responseOf(outcome, prepared, view);
      return this.write(plan, requestContext, request, respond);
    }
    const { condition } = request;
    if (condition !== undefined) {
      const read = (taken?: Snapshot) => this.read(plan, requestContext, { taken });
      const asked = { plan, text: condition.text(), wanted: condition.wanted, read };
      return answerUnlessKnown(this.database, asked, requestContext).then(
        ({ outcome = unread, entityTag }) => responseOf(outcome, prepared, view, entityTag),
      );
    }
    const outcome = this.read(plan, requestContext, { sink: request.sink });
    return outcome instanceof Promise
      ? outcome.then((known) => responseOf(known, prepared, view))
      : responseOf(outcome, prepared, view);
  }

  /** Runs a read-only plan on the newest state, or on the snapshot that was taken. */
  private read(
    plan: ProgramPlan,
    requestContext: RequestContext,
    parts: Parameters<typeof runProgram>[3],
  ): ProgramOutcome | Promise<ProgramOutcome> {
    const { observer } = this;
    const beganMs = observer.begin(plan, requestContext);
    const outcome = runProgram(this.database, plan, requestContext, parts);
    if (outcome instanceof Promise) {
      return outcome.then((known) => {
        observer.end(plan, known, beganMs, requestContext.trace);
        return known;
      });
    }
    observer.end(plan, outcome, beganMs, requestContext.trace);
    return outcome;
  }

  /** Runs and commits a plan that writes. Returns `undefined` if the commit had a conflict. */
  private write<R>(
    plan: ProgramPlan,
    requestContext: RequestContext,
    request: ProgramRequest,
    respond: (outcome: ProgramOutcome) => R,
  ): Promise<R | undefined> {
    const { observer } = this;
    const beganMs = observer.begin(plan, requestContext);
    return commitProgram(this.database, plan, requestContext, {
      request,
      respond: (outcome) => {
        observer.end(plan, outcome, beganMs, requestContext.trace);
        return respond(outcome);
      },
    });
  }
}

function responseOf(
  { statements, result }: ProgramOutcome,
  prepared: PreparedProgram,
  plan: unknown,
  entityTag?: string,
): ProgramResponse {
  return { statements, result, plan, prepared, entityTag };
}

/** The outcome of a query whose client already has the result. */
const unread: ProgramOutcome = { statements: [], result: undefined };

/** Returns whether the plan proves that the program is a point read. */
export function isPointProgram(plan: ProgramPlan): boolean {
  return keyedReads(plan) <= keyedReadsMax;
}

/** Returns the explained plan, or `undefined` if the program contains only catalog changes. Throws `insufficient_scope` for a principal that may not see all tables and rows. */
async function shownPlan(
  plan: ProgramPlan,
  { budget, principal }: RequestContext,
): Promise<unknown> {
  requireUnrestricted(principal, plan.catalog, 'a plan');
  const view = await runSteps(explainProgramSteps(plan, budget), budget);
  return view.statements.length === 0 ? undefined : view;
}

function lostRace(): Error {
  return fail(
    'serializable_conflict',
    'conflict: another commit came first; nothing was changed; send the program again',
  );
}

function withPlan(error: unknown, plan: unknown): unknown {
  if (plan === undefined || !(error instanceof DatabaseError)) return error;
  return new DatabaseError({ ...error.failure, plan }, { cause: error });
}
