/** Carries a program through: planned, let in, and run until nothing raced. */

import { runSteps } from '#base';
import { keyedReads, type ProgramOutcome } from '#executor';
import { DatabaseError, fail } from '#failure';
import { explainProgramSteps, type ProgramPlan } from '#planner';
import type { Admission } from './admission/admission.ts';
import type { Ticket } from './admission/ticket.ts';
import { commitProgram, runProgram } from './attempt.ts';
import type { Database } from './database.ts';
import { Exclusive } from './exclusive.ts';
import { Gates, gatedWrite, type Patience } from './gate.ts';
import { Observer } from './observer.ts';
import type { ProgramResponse } from './response.ts';

/** How often a program is run before a lost race is reported; the last time alone. */
const usualAttemptsMax = 3;
/** Up to so many reads by key a program is a point. */
const pointReadsMax = 1000;

/** Large programs are planned in pieces. */
type Made = ProgramPlan | Promise<ProgramPlan>;
/** Undefined when the commit lost a race, or the tables are not those of the plan any more. */
type Attempt = ProgramResponse | undefined | Promise<ProgramResponse | undefined>;

/** One program on its way. */
interface Journey {
  /** Asked again each time, because the catalog may have been what moved. */
  readonly plan: () => Made;
  readonly showPlan: boolean;
  readonly ticket: Ticket;
  readonly patience: Patience;
}

export class Programs {
  readonly exclusive: Exclusive;
  private readonly database: Database;
  private readonly admission: Admission;
  private readonly observer: Observer;
  private readonly gates: Gates;
  private readonly attemptsMax: number;

  constructor(database: Database, admission: Admission, attemptsMax: number = usualAttemptsMax) {
    this.attemptsMax = attemptsMax;
    this.database = database;
    this.admission = admission;
    this.observer = new Observer(database);
    this.gates = new Gates(database);
    this.exclusive = new Exclusive(database, admission);
  }

  /** Plans and runs until nothing raced; at once when nothing has to be waited for, as for a point that is read. */
  run(
    plan: Journey['plan'],
    showPlan: boolean,
    ticket: Ticket,
  ): ProgramResponse | Promise<ProgramResponse> {
    const journey = { plan, showPlan, ticket, patience: this.gates.patience() };
    const first = this.attempt(journey);
    return first === undefined || first instanceof Promise ? this.persist(first, journey) : first;
  }

  /** The same with a plan that was made before; undefined, with nothing done, when its tables are not what they were. */
  runAgain(
    planned: ProgramPlan,
    ticket: Ticket,
  ): ProgramResponse | Promise<ProgramResponse | undefined> {
    const plan = () => planned;
    const journey = { plan, showPlan: false, ticket, patience: this.gates.patience() };
    const first = this.attempt(journey);
    if (first !== undefined && !(first instanceof Promise)) return first;
    return this.persistAgain(first, planned, journey);
  }

  private async persistAgain(
    first: Attempt,
    planned: ProgramPlan,
    journey: Journey,
  ): Promise<ProgramResponse | undefined> {
    try {
      // Nearly always: one promise less.
      const response = await first;
      return response ?? (await this.persist(undefined, journey));
    } catch (error) {
      if (!this.database.isCurrent(planned) && isRace(error)) return undefined;
      throw error;
    }
  }

  /** After a lost race the program runs again, the last time alone. */
  private async persist(first: Attempt, journey: Journey): Promise<ProgramResponse> {
    const { ticket } = journey;
    let response = await first;
    for (let attempt = 2; response === undefined; attempt++) {
      ticket.budget.check();
      if (attempt > this.attemptsMax) throw lostRace();
      const isLast = attempt === this.attemptsMax;
      response = await (isLast
        ? this.exclusive.run(ticket, async () => this.attempt(journey))
        : this.attempt(journey));
    }
    return response;
  }

  private attempt(journey: Journey): Attempt {
    const planned = this.letIn(journey.plan(), journey);
    if (planned instanceof Promise) return planned.then((plan) => this.carryOut(plan, journey));
    return this.carryOut(planned, journey);
  }

  /** The plan, once nothing stands in its way; undefined when it is about tables that have changed and cannot be made anew. */
  private letIn(
    made: Made,
    journey: Journey,
    hasStood = false,
  ): ProgramPlan | undefined | Promise<ProgramPlan | undefined> {
    if (made instanceof Promise) {
      return made.then((planned) => this.letIn(planned, journey, hasStood));
    }
    if (!this.database.isCurrent(made)) return undefined;
    const { ticket } = journey;
    if (!made.isReadOnly) {
      const obstacle = this.gate(made, journey) ?? this.stand(ticket, hasStood);
      if (obstacle !== undefined) {
        return obstacle.then(() => this.letIn(journey.plan(), journey, true));
      }
    }
    const slot = ticket.enter(isPoint(made));
    return slot === undefined ? made : slot.then(() => this.entered(made, journey));
  }

  /** What was planned before it had to wait for its turn may be about tables that have changed since. */
  private entered(
    planned: ProgramPlan,
    journey: Journey,
  ): ProgramPlan | undefined | Promise<ProgramPlan | undefined> {
    const isCurrent = this.database.isCurrent(planned);
    return isCurrent ? planned : this.letIn(journey.plan(), journey, true);
  }

  private gate(planned: ProgramPlan, { ticket, patience }: Journey): Promise<void> | undefined {
    const gated = gatedWrite(planned, this.database.catalog);
    if (gated === undefined) return undefined;
    ticket.leave();
    return ticket.budget.until(this.gates.pass(gated, patience));
  }

  /** What a writer waits for once, without a slot: the end of an exclusive turn, else the storage. */
  private stand(ticket: Ticket, hasStood: boolean): Promise<void> | undefined {
    if (hasStood) return undefined;
    const turn = this.exclusive.pass(ticket);
    if (turn !== undefined) return turn;
    const pressure = this.database.store.admitWrite();
    if (pressure === undefined) return undefined;
    ticket.leave();
    return this.admission.pressed.wait(() => ticket.budget.until(pressure));
  }

  private carryOut(planned: ProgramPlan | undefined, { showPlan, ticket }: Journey): Attempt {
    if (planned === undefined) return undefined;
    if (showPlan) return this.carryOutShown(planned, ticket);
    const respond = (outcome: ProgramOutcome) => responseOf(outcome, planned);
    if (!planned.isReadOnly) return this.write(planned, ticket, respond);
    const outcome = this.read(planned, ticket);
    return outcome instanceof Promise ? outcome.then(respond) : respond(outcome);
  }

  private async carryOutShown(
    planned: ProgramPlan,
    ticket: Ticket,
  ): Promise<ProgramResponse | undefined> {
    const view = await explained(planned, ticket);
    // A large plan is shown in pieces, and what it is about may change between them.
    if (!this.database.isCurrent(planned)) return undefined;
    try {
      const respond = (outcome: ProgramOutcome) => responseOf(outcome, planned, view);
      if (!planned.isReadOnly) return await this.write(planned, ticket, respond);
      return respond(await this.read(planned, ticket));
    } catch (error) {
      throw withPlan(error, view);
    }
  }

  /** Runs a plan that only reads. */
  read(planned: ProgramPlan, ticket: Ticket): ProgramOutcome | Promise<ProgramOutcome> {
    const { observer } = this;
    const beganMs = observer.begin(planned, ticket);
    const outcome = runProgram(this.database, planned, ticket);
    if (outcome instanceof Promise) {
      return outcome.then((known) => {
        observer.end(planned, known, beganMs, ticket.trace);
        return known;
      });
    }
    observer.end(planned, outcome, beganMs, ticket.trace);
    return outcome;
  }

  /** Runs and commits a plan that writes; undefined when the commit lost a race. */
  private write<R>(
    planned: ProgramPlan,
    ticket: Ticket,
    respond: (outcome: ProgramOutcome) => R,
  ): Promise<R | undefined> {
    const { observer } = this;
    const beganMs = observer.begin(planned, ticket);
    return commitProgram(this.database, planned, ticket, (outcome) => {
      observer.end(planned, outcome, beganMs, ticket.trace);
      return respond(outcome);
    });
  }
}

function responseOf(
  outcome: ProgramOutcome,
  planned: ProgramPlan,
  plan?: unknown,
): ProgramResponse {
  const { statements, result } = outcome;
  const prepared = planned.catalogAfter === planned.catalog ? planned : undefined;
  return { statements, result, plan, prepared };
}

/** Whether the plan proves that the program is over in one go. */
export function isPoint(plan: ProgramPlan): boolean {
  return keyedReads(plan) <= pointReadsMax;
}

/** The plan for people; undefined when the program has nothing but changes of the catalog. */
export async function explained(plan: ProgramPlan, { budget }: Ticket): Promise<unknown> {
  const view = await runSteps(explainProgramSteps(plan, budget), budget);
  return view.statements.length === 0 ? undefined : view;
}

function isRace(error: unknown): boolean {
  return error instanceof DatabaseError && error.failure.reason === 'serializable_conflict';
}

function lostRace(): Error {
  return fail(
    'serializable_conflict',
    'the program lost a race against another commit; send it again',
  );
}

function withPlan(error: unknown, plan: unknown): unknown {
  if (plan === undefined || !(error instanceof DatabaseError)) return error;
  return new DatabaseError({ ...error.failure, plan }, { cause: error });
}
