/** Reports executed statements to the cardinality feedback, with the estimates of their plans. */

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
import type { RequestContext } from './admission/request-context.ts';
import type { Database } from './database.ts';
import { groundOfTables } from './ground.ts';

type Operators = ProgramOutcome['statements'][number]['operators'];

/**
 * One in this many executions of a point read plan is timed. Reading the clock takes a considerable part of the time of
 * such a read.
 */
const timedEvery = 8;

const untimed = -1;

export class Observer {
  private readonly database: Database;
  private readonly watched = new WeakMap<QueryPlan, Watched>();
  /** The statement that began last. In most cases it is also the next to end. */
  private last: Watched | undefined;

  constructor(database: Database) {
    this.database = database;
  }

  /** Called before a program runs. Returns the start time if the execution is timed. */
  begin({ statements, tableEstimates }: ProgramPlan, requestContext: RequestContext): number {
    const first = statements[0];
    if (first === undefined || first.kind === 'catalog' || first.query.family === undefined) {
      return untimed;
    }
    const watched = this.watchedOf(first, tableEstimates);
    const turn = watched.turns++;
    const { clock } = this.database.world;
    if (isCounted(turn) && requestContext.trace === undefined) {
      const { store } = this.database;
      const cacheHits = () => store.cacheHits;
      requestContext.trace = new ProgramTrace({ clock, isDetailed: true, cacheHits });
    }
    return tableEstimates.length > 0 || turn % timedEvery === 0 ? clock.monotonicMs() : untimed;
  }

  /**
   * Called after a program has run. If a program consists of one read-only statement, its time is that of the statement.
   * In other programs, only statements with counted work have a time.
   */
  end(
    plan: ProgramPlan,
    { statements }: ProgramOutcome,
    beganMs: number,
    trace: RequestContext['trace'],
  ) {
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

/**
 * Returns whether the keys and values of an execution are counted: the first, second, fourth, eighth and so on, then one
 * in 1,024. Counting makes a read by key several times slower.
 */
function isCounted(turn: number): boolean {
  return (turn & (turn - 1)) === 0 || turn % 1_024 === 0;
}

type RelationalPlan = Exclude<StatementPlan, { readonly kind: 'catalog' }>;

const none: readonly Observation[] = [];

function ownMicros(traced: StatementTrace | undefined): number | undefined {
  return traced === undefined ? undefined : traced.ms * 1_000;
}

/** Data that are the same for each execution of a plan. */
class Watched implements Subject {
  readonly query: QueryPlan;
  readonly family: string;
  readonly ground: string;
  readonly stamp: string;
  readonly plan: string;
  model: Model | undefined;
  /** Number of started executions, including earlier ones of the same family. */
  turns: number;
  private readonly feedback: Feedback;
  /** Epoch of the feedback when the plan was made. */
  private readonly epoch: number;
  private readonly parts: readonly PlanPart[];
  /** The index of each part among the operators. */
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

  /**
   * Whether the plan was made before the statistics of earlier processes were loaded. The misses of such a plan must not
   * undo what these processes have learned.
   */
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

/** Returns a text that changes when a table gets a new survey or becomes about four times larger or smaller. */
function stampOf(tableEstimates: ProgramPlan['tableEstimates']): string {
  return tableEstimates
    .map(
      ({ table, rows, survey }) =>
        `${table.physicalId} ${survey} ${Math.round(Math.log2(rows) / 2)}`,
    )
    .join();
}
