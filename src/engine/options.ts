/** The options of an engine. The server reads them from flags and environment variables. */

import type { World } from '#base';
import type { CatalogMode } from '#catalog';
import type { PlanOptions } from '#planner';
import type { FeedbackLimits, PlanFeedback, Statistics } from '#statistics';
import type { BucketOptions, SpillSpace, StoreTuning } from '#storage';
import type { JobTurn } from '#transitions';
import type { OpenTransactionLimits } from './session/limits.ts';

/** Options for a database that another process writes. */
export interface ReadingOptions {
  /** Interval between two checks for a newer state. */
  readonly pollMs: number;
  /** Ends the wait for a store that does not exist yet. */
  readonly signal: AbortSignal;
  /** Called after each failed attempt, with the reason for waiting. */
  readonly waiting: (error: unknown) => void;
}

/** The database that was open before its storage failed. */
export interface FormerDatabase {
  readonly identity: string;
  /** Sequence up to which commits may have been acknowledged. */
  readonly sequence: number;
}

export interface EngineOptions {
  /** If set, another database, an empty store, and an older state of the same database are refused. */
  readonly former?: FormerDatabase | undefined;
  /** If absent, this process writes. */
  readonly reading?: ReadingOptions | undefined;
  readonly storage: 'memory' | 'file' | 's3';
  /** Directory of a file store. */
  readonly path: string;
  /** Bucket of an s3 store. */
  readonly s3?: BucketOptions | undefined;
  /** The requested mode. `undefined` uses the mode of the database, which is `direct` for a new database. */
  readonly mode: CatalogMode | undefined;
  readonly world: World;
  /** Use of memory and disk by the store. */
  readonly tuning: StoreTuning;
  /** Maximum memory of one program, in bytes. */
  readonly programMemoryBytes: number;
  /** Maximum memory of all programs together, in bytes. The default is 1 GiB. */
  readonly memoryBytes?: number;
  /**
   * Returns the spill space for programs that exceed their memory, and for large transactions of a store in a bucket, once the store is open. If the function or its result is absent, such programs
   * fail.
   */
  readonly openSpill?: (() => SpillSpace | undefined) | undefined;
  /** Time of a program from the arrival of its request. 0 means no limit. */
  readonly statementTimeoutMs: number;
  /** Maximum number of programs that execute, and that wait for an execution slot. */
  readonly concurrency: number;
  readonly queueMax: number;
  /** Address of this process, for the error message of a second server on the same store. */
  readonly holderAddress: string;
  /** Whether this process works on online transitions (default true). */
  readonly worksOnTransitions?: boolean;
  /**
   * Whether executed programs are recorded for replay. A writer stores them, a reader collects them for the writer
   * (default false).
   */
  readonly capturesCorpus?: boolean;
  /** Capacity of the corpus queue; the default is 4,096 programs. */
  readonly corpusQueueMax?: number;
  /** Limits of the statistics queues; the defaults are those of `Feedback`. */
  readonly feedbackLimits?: FeedbackLimits;
  /** Number of attempts before a conflict is reported; the default is 3. The last attempt runs with an exclusive commit unless it is the first. */
  readonly attemptsMax?: number;
  /** Limits of transactions that stay open between calls; the defaults are those of `openTransactionLimits`. */
  readonly openTransactions?: Partial<OpenTransactionLimits> | undefined;
  /** Called after each step of background work on transitions and reclamations. */
  readonly onJob?: ((turn: JobTurn) => void) | undefined;
  /** Options of the planner. They change the speed, never a result. By default all optimizations are on. */
  readonly planning?: PlanOptions;
  /** Statistics for the planner. They change the speed, never a result. By default the counts of the store, and surveys. */
  readonly statistics?: Statistics;
  /** Cardinality feedback for the planner. The feedback changes the speed, never a result. By default that of this process. */
  readonly experience?: PlanFeedback;
}
