/** The open database: its store, its committed catalog, and the moves between one committed catalog and the next. */

import { type Pace, runSteps, type Steps, type World } from '#base';
import {
  type Catalog,
  type CatalogMode,
  catalogCommitWrites,
  encodeCatalog,
  renderAheadSteps,
  requireRecordFits,
  requireRevisionsFit,
} from '#catalog';
import type { PlanOptions, ProgramPlan } from '#planner';
import {
  type Experience,
  Feedback,
  type FeedbackLimits,
  type Statistics,
  type Surveys,
} from '#statistics';
import type { CommitOutcome, Store, Transaction } from '#storage';
import type { CatalogMove, TransitionHost } from '#transitions';
import { isCurrentPlan } from './prepared/current-plan.ts';

/** A plan, or several one after the other, by what becomes of the catalog. */
type CatalogPlan = Pick<ProgramPlan, 'catalog' | 'catalogAfter' | 'statements'>;

interface DatabaseFacts {
  readonly store: Store;
  readonly world: World;
  readonly mode: CatalogMode;
  /** Random, drawn when the database was created. */
  readonly identity: string;
  readonly isReadOnly: boolean;
  readonly location: string;
  readonly backend: 'memory' | 'file' | 's3';
  /** Nothing was there: this process made it. */
  readonly isNew: boolean;
  readonly catalog: Catalog;
  readonly planning: PlanOptions;
  readonly statistics: Statistics;
  /** `statistics`, where they are of our own making. */
  readonly surveys: Surveys | undefined;
  /** Absent: `feedback` is. */
  readonly experience: Experience | undefined;
  readonly feedbackLimits: FeedbackLimits | undefined;
}

export class Database implements TransitionHost {
  readonly store: Store;
  readonly world: World;
  readonly mode: CatalogMode;
  readonly identity: string;
  readonly isReadOnly: boolean;
  readonly location: string;
  /** What kind of store it lies in. */
  readonly backend: DatabaseFacts['backend'];
  readonly isNew: boolean;
  readonly planning: PlanOptions;
  /** For plans of the state as it is now. */
  readonly statistics: Statistics;
  readonly surveys: Surveys | undefined;
  /** How estimates of plans have turned out. */
  readonly feedback: Feedback;
  /** What plans learn of it. */
  readonly experience: Experience;
  /** Changes in the turn in which the store shows the state that it belongs to: in the commit lane, or when a reader moves on. */
  catalog: Catalog;
  /** Sequence of the commit that made `catalog`. */
  catalogSequence: number;
  /** Sequence of the newest applied commit of this process, or of the state that it opened. */
  newestSequence: number;
  /** No further program commits: the process is about to end. */
  hasEndedWrites = false;
  /** Told, inside the commit lane, that the catalog is another one now. */
  readonly catalogListeners = new Set<() => void>();

  constructor(facts: DatabaseFacts, sequence: number) {
    this.store = facts.store;
    this.world = facts.world;
    this.mode = facts.mode;
    this.identity = facts.identity;
    this.isReadOnly = facts.isReadOnly;
    this.location = facts.location;
    this.backend = facts.backend;
    this.isNew = facts.isNew;
    this.catalog = facts.catalog;
    this.planning = facts.planning;
    this.statistics = facts.statistics;
    this.surveys = facts.surveys;
    this.feedback = new Feedback(facts.world, facts.feedbackLimits);
    this.experience = facts.experience ?? this.feedback;
    this.catalogSequence = sequence;
    this.newestSequence = sequence;
  }

  /** Whether the plan fits the catalog as it is now. */
  isCurrent(plan: ProgramPlan): boolean {
    return isCurrentPlan(plan, this.catalog);
  }

  /**
   * Puts the records of a changed catalog into the transaction; undefined when the plan changes none. What is new in them is made in pieces before, as
   * the pace demands.
   */
  writeCatalog(
    plan: CatalogPlan,
    transaction: Transaction,
    pace: Pace,
  ): Catalog | undefined | Promise<Catalog | undefined> {
    if (plan.catalogAfter === plan.catalog) return undefined;
    return runSteps(this.catalogSteps(plan, transaction, pace), pace);
  }

  private *catalogSteps(plan: CatalogPlan, transaction: Transaction, pace: Pace): Steps<Catalog> {
    const { catalog: before, catalogAfter: after } = plan;
    const passed = between(plan);
    yield* renderAheadSteps([before, after], pace);
    const record = encodeCatalog(after);
    requireRecordFits(before, record);
    requireRevisionsFit(record, passed);
    yield* renderAheadSteps(passed, pace);
    return this.putCatalog(transaction, { before, after }, passed);
  }

  /** A commit of background work: `TransitionHost`. */
  commit(
    transaction: Transaction,
    move: CatalogMove | undefined,
    isCurrent: () => boolean = () => true,
  ): Promise<CommitOutcome> {
    const after = move && this.putCatalog(transaction, move, []);
    return transaction.commit({
      validate: () => (move === undefined || move.before === this.catalog) && isCurrent(),
      applied: (sequence) => this.applied(after, sequence),
    });
  }

  private putCatalog(
    transaction: Transaction,
    { before, after }: CatalogMove,
    passed: readonly Catalog[],
  ): Catalog {
    const isRevision = after.version !== before.version;
    const timed = isRevision ? { ...after, versionAtMs: this.world.clock.unixMs() } : after;
    for (const { key, value } of catalogCommitWrites(before, timed, passed)) {
      if (value === undefined) transaction.delete(key);
      else transaction.put(key, value);
    }
    return timed;
  }

  /** Runs inside the commit lane, when the plan's writes have become the newest state. */
  applied(catalog: Catalog | undefined, sequence: number): void {
    this.newestSequence = sequence;
    if (catalog !== undefined) this.movedTo(catalog, sequence);
  }

  /** Runs in the turn in which the store shows the state that the catalog belongs to. */
  movedTo(catalog: Catalog, sequence: number): void {
    this.newestSequence = sequence;
    this.catalog = catalog;
    this.catalogSequence = sequence;
    for (const listener of this.catalogListeners) listener();
  }
}

/** The catalogs of the versions that the program passes through. */
function between(plan: CatalogPlan): readonly Catalog[] {
  const passed = plan.statements
    .map((statement) => statement.catalog)
    .filter(({ version }) => version > plan.catalog.version && version < plan.catalogAfter.version);
  return [...new Set(passed)];
}
