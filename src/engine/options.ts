/** What an engine is opened with; the server reads these from flags and environment. */

import type { World } from '#base';
import type { CatalogMode } from '#catalog';
import type { PlanOptions } from '#planner';
import type { Experience, FeedbackLimits, Statistics } from '#statistics';
import type { BucketOptions, SpillSpace, StoreTuning } from '#storage';
import type { JobTurn } from '#transitions';
import type { OpenTransactionLimits } from './session/limits.ts';

/** For a database that another process writes. */
export interface ReadingOptions {
  /** How often a newer state is looked for. */
  readonly pollMs: number;
  /** Ends the wait for a store that is not there yet. */
  readonly signal: AbortSignal;
  /** Told why the wait goes on, each time that it was tried. */
  readonly waiting: (error: unknown) => void;
}

/** The database that was open before its storage failed. */
export interface FormerDatabase {
  readonly identity: string;
  /** Everything up to here may have been acknowledged. */
  readonly sequence: number;
}

export interface EngineOptions {
  /** Any other database, or none, or one with less in it, is refused. */
  readonly former?: FormerDatabase | undefined;
  /** Absent: this process writes. */
  readonly reading?: ReadingOptions | undefined;
  readonly storage: 'memory' | 'file' | 's3';
  /** Directory of a file store. */
  readonly path: string;
  /** Bucket of an s3 store. */
  readonly s3?: BucketOptions | undefined;
  /** The mode asked for; undefined takes the database's own, `direct` for a new one. */
  readonly mode: CatalogMode | undefined;
  readonly world: World;
  /** How the store uses memory and disk. */
  readonly tuning: StoreTuning;
  /** Memory that one program may hold. */
  readonly programMemoryBytes: number;
  /** Memory that all programs together may hold; absent: a gibibyte. */
  readonly memoryBytes?: number;
  /** Where programs put down what they have no memory for; absent: they fail instead. */
  readonly spill?: SpillSpace | undefined;
  /** Time of a program from the arrival of its request; 0 = no limit. */
  readonly statementTimeoutMs: number;
  /** Programs that execute at once, and that may wait for it. */
  readonly concurrency: number;
  readonly queueMax: number;
  /** Address that a refused second server is told. */
  readonly holderAddress: string;
  /** Whether this process works on online transitions; absent: it does. */
  readonly worksOnTransitions?: boolean;
  /** Whether programs that have run are kept in the store, for replay; only where this process writes. Absent: they are not. */
  readonly capturesCorpus?: boolean;
  /** Capacity of the corpus queue; the default is 4,096 programs. */
  readonly corpusQueueMax?: number;
  /** Limits of the statistics queues; the defaults are those of `Feedback`. */
  readonly feedbackLimits?: FeedbackLimits;
  /** Number of attempts before a conflict is reported; the default is 3. The last attempt runs with an exclusive commit unless it is the first. */
  readonly attemptsMax?: number;
  /** Limits of transactions that stay open between calls; the defaults are those of `openTransactionLimits`. */
  readonly openTransactions?: Partial<OpenTransactionLimits>;
  /** Told of each turn of work in the background on transitions and what they leave behind. */
  readonly onJob?: ((turn: JobTurn) => void) | undefined;
  /** How programs are planned; it changes speed, never an answer. Absent: everything that is fast. */
  readonly planning?: PlanOptions;
  /** What programs are planned by; it changes speed, never an answer. Absent: what the store counts, and surveys. */
  readonly statistics?: Statistics;
  /** What earlier executions have taught; it changes speed, never an answer. Absent: what those of this process have. */
  readonly experience?: Experience;
}
