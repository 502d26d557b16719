/** The open database: its store, its committed catalog, and the transitions between committed catalogs. */

import { type KeySet, noKeys, type Principal } from '#access';
import { runSteps, type Steps, type World, type YieldPolicy } from '#base';
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
  Feedback,
  type FeedbackLimits,
  type PlanFeedback,
  type Statistics,
  type Surveys,
} from '#statistics';
import type { CommitOutcome, Store, Transaction } from '#storage';
import type { CatalogMove, TransitionHost } from '#transitions';
import { needSteps } from './identity-needs.ts';
import { isCurrentPlan } from './prepared/current-plan.ts';

/** The catalog changes of one plan, or of several plans in sequence. */
type CatalogPlan = Pick<ProgramPlan, 'catalog' | 'catalogAfter' | 'statements'>;

interface DatabaseFacts {
  readonly store: Store;
  readonly world: World;
  readonly mode: CatalogMode;
  /** A random ID, drawn when the database was created. */
  readonly identity: string;
  readonly isReadOnly: boolean;
  readonly location: string;
  readonly backend: 'memory' | 'file' | 's3';
  /** Whether this process has created the database. */
  readonly isNew: boolean;
  readonly catalog: Catalog;
  /** All API keys; none by default. */
  readonly keys?: KeySet;
  readonly planning: PlanOptions;
  readonly statistics: Statistics;
  /** The statistics jobs. They are the object in `statistics` if the engine itself collects the statistics. */
  readonly surveys: Surveys | undefined;
  /** Learned corrections for the planner; if absent, those of `feedback`. */
  readonly experience: PlanFeedback | undefined;
  readonly feedbackLimits: FeedbackLimits | undefined;
}

export class Database implements TransitionHost {
  readonly store: Store;
  readonly world: World;
  readonly mode: CatalogMode;
  readonly identity: string;
  readonly isReadOnly: boolean;
  readonly location: string;
  /** The kind of store. */
  readonly backend: DatabaseFacts['backend'];
  readonly isNew: boolean;
  readonly planning: PlanOptions;
  /** Statistics for plans of the current state. */
  readonly statistics: Statistics;
  readonly surveys: Surveys | undefined;
  /** Differences between estimates and actual row counts of executed plans. */
  readonly feedback: Feedback;
  /** The cardinality feedback that the planner uses. */
  readonly experience: PlanFeedback;
  /**
   * The newest committed catalog. The catalog changes in the same event-loop iteration in which the store publishes its state: in the commit
   * queue, or when a reader advances.
   */
  catalog: Catalog;
  /** The API keys of the newest committed state. They change in the same way as the catalog. */
  keys: KeySet;
  /** Sequence of the commit that wrote `catalog`. */
  catalogSequence: number;
  /** Sequence of the newest applied commit of this process, or of the state that it opened. */
  newestSequence: number;
  /** Whether all further commits are refused because the process is about to end. */
  hasEndedWrites = false;
  /** Called in the commit queue after the catalog has changed. */
  readonly catalogListeners = new Set<() => void>();
  /** Called in the same way after the API keys have changed. */
  readonly keyListeners = new Set<() => void>();

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
    this.keys = facts.keys ?? noKeys;
    this.planning = facts.planning;
    this.statistics = facts.statistics;
    this.surveys = facts.surveys;
    this.feedback = new Feedback(facts.world, facts.feedbackLimits);
    this.experience = facts.experience ?? this.feedback;
    this.catalogSequence = sequence;
    this.newestSequence = sequence;
  }

  /** Returns whether the plan is valid for the current catalog. */
  isCurrent(plan: ProgramPlan): boolean {
    return isCurrentPlan(plan, this.catalog);
  }

  /** Returns false if the principal uses an API key that was revoked or has expired, or a token that is no longer valid. */
  admits(principal: Principal): boolean {
    if (principal.kind === 'open') return true;
    const nowMs = this.world.clock.unixMs();
    if (principal.kind === 'key') return this.keys.isLive(principal.id, nowMs);
    return principal.isValidAt?.(nowMs) !== false;
  }

  /**
   * Writes the records of a changed catalog to the transaction. Returns `undefined` if the plan does not change the
   * catalog. New records are rendered in pieces before, with yields as `pace` requires.
   */
  writeCatalog(
    plan: CatalogPlan,
    transaction: Transaction,
    pace: YieldPolicy,
  ): Catalog | undefined | Promise<Catalog | undefined> {
    if (plan.catalogAfter === plan.catalog) return undefined;
    return runSteps(this.catalogSteps(plan, transaction, pace), pace);
  }

  private *catalogSteps(
    plan: CatalogPlan,
    transaction: Transaction,
    pace: YieldPolicy,
  ): Steps<Catalog> {
    const { catalog: before, catalogAfter: after } = plan;
    const passed = between(plan);
    yield* renderAheadSteps([before, after], pace);
    const record = encodeCatalog(after);
    requireRecordFits(before, record);
    requireRevisionsFit(record, passed);
    yield* renderAheadSteps(passed, pace);
    if (before.policies === undefined && after.policies !== undefined) {
      yield* needSteps(transaction, 'policies');
    }
    return this.putCatalog(transaction, { before, after }, passed);
  }

  /** Commits background work. Implements `TransitionHost`. */
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

  /** Publishes a commit. Called in the commit queue, when the writes of the plan have become the newest state. */
  applied(catalog: Catalog | undefined, sequence: number, keys: KeySet = this.keys): void {
    this.newestSequence = sequence;
    if (catalog === undefined) this.replaceKeys(keys);
    else this.movedTo({ catalog, keys }, sequence);
  }

  /** Publishes a catalog and keys. Called in the iteration in which the store publishes their state. */
  movedTo({ catalog, keys }: { catalog: Catalog; keys: KeySet }, sequence: number): void {
    this.newestSequence = sequence;
    this.catalog = catalog;
    this.replaceKeys(keys);
    this.catalogSequence = sequence;
    for (const listener of this.catalogListeners) listener();
  }

  private replaceKeys(keys: KeySet): void {
    if (keys === this.keys) return;
    this.keys = keys;
    for (const listener of this.keyListeners) listener();
  }
}

/** Returns the catalogs of the intermediate versions of the program. */
function between(plan: CatalogPlan): readonly Catalog[] {
  const passed = plan.statements
    .map((statement) => statement.catalog)
    .filter(({ version }) => version > plan.catalog.version && version < plan.catalogAfter.version);
  return [...new Set(passed)];
}
