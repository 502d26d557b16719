/** Carries a program through: planned, let in, and run until nothing raced. */

import { runSteps } from '#base';
import { keyedReads } from '#executor';
import { DatabaseError, fail } from '#failure';
import { explainProgramSteps, type ProgramPlan } from '#planner';
import type { Admission } from './admission/admission.ts';
import type { Ticket } from './admission/ticket.ts';
import { commitProgram, runProgram } from './attempt.ts';
import type { Database } from './database.ts';
import { Exclusive } from './exclusive.ts';
import { Gates, gatedTable, type Patience } from './gate.ts';
import type { ProgramResponse } from './response.ts';

/** How often a program is run before a lost race is reported; the last time alone. */
const attemptsMax = 3;
/** Up to so many reads by key a program is a point. */
const pointReadsMax = 1000;

/** Large programs are planned in pieces. */
type Made = ProgramPlan | Promise<ProgramPlan>;

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
  private readonly gates: Gates;

  constructor(database: Database, admission: Admission) {
    this.database = database;
    this.admission = admission;
    this.gates = new Gates(database);
    this.exclusive = new Exclusive(database, admission);
  }

  /** Plans and runs until nothing raced. */
  async run(plan: Journey['plan'], showPlan: boolean, ticket: Ticket): Promise<ProgramResponse> {
    const journey = { plan, showPlan, ticket, patience: this.gates.patience() };
    for (let attempt = 1; attempt < attemptsMax; attempt++) {
      const response = await this.attempt(journey);
      if (response !== undefined) return response;
      ticket.budget.check();
    }
    const response = await this.exclusive.run(ticket, () => this.attempt(journey));
    if (response !== undefined) return response;
    ticket.budget.check();
    throw lostRace();
  }

  /** One run; undefined when the commit lost a race. */
  private async attempt(journey: Journey): Promise<ProgramResponse | undefined> {
    const made = journey.plan();
    const planned = this.isLetInAtOnce(made, journey) ? made : await this.letIn(made, journey);
    return planned === undefined ? undefined : this.carryOut(planned, journey);
  }

  /** Points that only read: nothing can stand in their way. */
  private isLetInAtOnce(made: Made, { ticket }: Journey): made is ProgramPlan {
    if (made instanceof Promise || !made.isReadOnly || !this.database.isCurrent(made)) return false;
    return isPoint(made) && ticket.enter(true) === undefined;
  }

  /** The plan, once nothing stands in its way; undefined when it is about tables that have changed and cannot be made anew. */
  private async letIn(first: Made, journey: Journey): Promise<ProgramPlan | undefined> {
    const { plan, ticket, patience } = journey;
    let made: Made | undefined = first;
    for (let hasStood = false; ; made = undefined) {
      const planned: ProgramPlan = await (made ?? plan());
      if (!this.database.isCurrent(planned)) return undefined;
      if (!planned.isReadOnly) {
        const obstacle = this.gate(planned, ticket, patience) ?? this.stand(ticket, hasStood);
        hasStood = true;
        if (obstacle !== undefined) {
          await obstacle;
          continue;
        }
      }
      const slot = ticket.enter(isPoint(planned));
      if (slot === undefined) return planned;
      await slot;
      // What was planned before it had to wait for its turn may be about tables that have changed since.
      if (this.database.isCurrent(planned)) return planned;
    }
  }

  private gate(
    planned: ProgramPlan,
    ticket: Ticket,
    patience: Patience,
  ): Promise<void> | undefined {
    const gated = gatedTable(planned, this.database.catalog);
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

  private async carryOut(
    planned: ProgramPlan,
    { showPlan, ticket }: Journey,
  ): Promise<ProgramResponse | undefined> {
    const view = showPlan ? await explained(planned, ticket) : undefined;
    // A large plan is shown in pieces, and what it is about may change between them.
    if (showPlan && !this.database.isCurrent(planned)) return undefined;
    try {
      const outcome = await (planned.isReadOnly
        ? runProgram(this.database, planned, ticket)
        : commitProgram(this.database, planned, ticket));
      if (outcome === undefined) return undefined;
      const prepared = planned.catalogAfter === planned.catalog ? planned : undefined;
      return { ...outcome, plan: view, prepared };
    } catch (error) {
      throw withPlan(error, view);
    }
  }
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
