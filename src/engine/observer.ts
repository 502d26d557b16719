/** Tells the collector what statements did, against what their plans expected. */

import { type ProgramOutcome, ProgramTrace, type StatementTrace } from '#executor';
import { familyOfPart } from '#lir';
import {
  type PlanPart,
  type ProgramPlan,
  partsOf,
  type QueryPlan,
  rootsOf,
  type StatementPlan,
  shapeOf,
  walkPlans,
} from '#planner';
import {
  type Feedback,
  hashOfLiterals,
  type Model,
  type Observation,
  type Subject,
} from '#statistics';
import type { Ticket } from './admission/ticket.ts';
import type { Database } from './database.ts';
import { groundOfTables } from './ground.ts';

type Operators = ProgramOutcome['statements'][number]['operators'];

/** One execution in so many of a plan that reads by whole keys is timed: to look at the clock takes a part of the time of such a read. */
const timedEvery = 8;

const untimed = -1;

export class Observer {
  private readonly database: Database;
  private readonly watched = new WeakMap<QueryPlan, Watched>();
  /** What begins is what ends next, nearly always. */
  private last: Watched | undefined;

  constructor(database: Database) {
    this.database = database;
  }

  /** Before a program runs: the time, where it is wanted afterwards. */
  begin({ statements, tableEstimates }: ProgramPlan, ticket: Ticket): number {
    const first = statements[0];
    if (first === undefined || first.kind === 'catalog' || first.query.family === undefined) {
      return untimed;
    }
    const watched = this.watchedOf(first, tableEstimates);
    const turn = watched.turns++;
    const { clock } = this.database.world;
    if (isCounted(turn) && ticket.trace === undefined) {
      const { store } = this.database;
      const cacheHits = () => store.cacheHits;
      ticket.trace = new ProgramTrace({ clock, isDetailed: true, cacheHits });
    }
    return tableEstimates.length > 0 || turn % timedEvery === 0 ? clock.monotonicMs() : untimed;
  }

  /**
   * After it. The time of a program is the one of its statement where it has one that only reads; of others, those whose work was counted have a time
   * for each.
   */
  end(plan: ProgramPlan, { statements }: ProgramOutcome, beganMs: number, trace: Ticket['trace']) {
    const { feedback, world } = this.database;
    const isTimed = beganMs !== untimed && statements.length === 1 && plan.isReadOnly;
    const micros = isTimed ? (world.clock.monotonicMs() - beganMs) * 1_000 : undefined;
    const variant = hashOfLiterals(plan.parameters);
    const hasParts = plan.tableEstimates.length > 0;
    for (let i = 0; i < statements.length; i++) {
      const planned = plan.statements[i] as StatementPlan;
      if (planned.kind === 'catalog' || planned.query.family === undefined) continue;
      const subject = this.watchedOf(planned, plan.tableEstimates);
      const { affected, operators } = statements[i] as ProgramOutcome['statements'][number];
      const traced = trace?.isDetailed ? trace.statements[i] : undefined;
      const observations = hasParts ? subject.observations(operators) : none;
      const own = micros ?? ownMicros(traced);
      feedback.offer(subject, affected, own, variant, observations, traced?.kv);
    }
  }

  private watchedOf(
    statement: RelationalPlan,
    tableEstimates: ProgramPlan['tableEstimates'],
  ): Watched {
    const { query } = statement;
    if (this.last?.query === query) return this.last;
    let watched = this.watched.get(query);
    if (watched === undefined) {
      const { feedback } = this.database;
      const known = feedback.modelOf(query.family as string);
      watched = new Watched(statement, tableEstimates, known, feedback);
      this.watched.set(query, watched);
    }
    this.last = watched;
    return watched;
  }
}

/** Of which executions keys and values are counted: the first, the second, the fourth and so on, then one in a thousand, for it makes a read by key several times as long. */
function isCounted(turn: number): boolean {
  return (turn & (turn - 1)) === 0 || turn % 1_024 === 0;
}

type RelationalPlan = Exclude<StatementPlan, { readonly kind: 'catalog' }>;

const none: readonly Observation[] = [];

function ownMicros(traced: StatementTrace | undefined): number | undefined {
  return traced === undefined ? undefined : traced.ms * 1_000;
}

/** What is the same each time that a plan runs. */
class Watched implements Subject {
  readonly query: QueryPlan;
  readonly family: string;
  readonly ground: string;
  readonly stamp: string;
  readonly plan: string;
  model: Model | undefined;
  /** Executions that have begun, those of the family before it among them. */
  turns: number;
  private readonly feedback: Feedback;
  /** Of the feedback when the plan was made. */
  private readonly epoch: number;
  private readonly parts: readonly PlanPart[];
  /** By part: its place among the operators. */
  private places: readonly number[] | undefined;
  private readonly relations = new Map<string, string>();

  constructor(
    statement: RelationalPlan,
    tableEstimates: ProgramPlan['tableEstimates'],
    model: Model | undefined,
    feedback: Feedback,
  ) {
    this.feedback = feedback;
    this.epoch = feedback.epoch;
    const { query } = statement;
    this.query = query;
    this.family = query.family as string;
    this.ground = groundOf(statement);
    this.stamp = stampOf(tableEstimates);
    this.plan = shapeOf(query);
    this.parts = tableEstimates.length > 0 ? partsOf(query) : [];
    this.model = model;
    this.turns = model?.executions ?? 0;
  }

  /** Made before this process knew what is kept of earlier ones: its misses must not undo what they learned. */
  get isForeign(): boolean {
    return this.epoch !== this.feedback.epoch;
  }

  relationOf(part: string): string {
    let family = this.relations.get(part);
    if (family === undefined) {
      family = familyOfPart(this.family, part);
      this.relations.set(part, family);
    }
    return family;
  }

  observations(operators: Operators): readonly Observation[] {
    this.places ??= this.parts.map(({ id }) => operators.findIndex((site) => site.id === id));
    const observations: Observation[] = [];
    for (let i = 0; i < this.parts.length; i++) {
      const { part, estimated, isCut } = this.parts[i] as PlanPart;
      const site = operators[this.places[i] as number];
      if (site === undefined || site.calls === 0) continue;
      observations.push({ part, estimated, actual: site.rowsOut, isCut });
    }
    return observations;
  }
}

function groundOf(statement: RelationalPlan): string {
  const tables = new Set(statement.kind === 'query' ? [] : [statement.table]);
  walkPlans(rootsOf(statement.query), (plan) => {
    if (plan.kind === 'scan') tables.add(plan.table);
  });
  return groundOfTables(tables);
}

/** Tables that have been surveyed anew, or have become four times as large, are others. */
function stampOf(tableEstimates: ProgramPlan['tableEstimates']): string {
  return tableEstimates
    .map(
      ({ table, rows, survey }) =>
        `${table.physicalId} ${survey} ${Math.round(Math.log2(rows) / 2)}`,
    )
    .join();
}
