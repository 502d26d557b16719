/** The interface of a transaction that stays open between calls. */

import type { Principal } from '#access';
import type { Catalog } from '#catalog';
import type { RequestContext } from '../admission/request-context.ts';
import type { ProgramRequest, ProgramResponse } from '../response.ts';

export interface BeginFacts {
  /** Whether the transaction reads one snapshot. Such a transaction records no reads, never conflicts, and refuses writes. */
  readonly isReadOnly?: boolean;
  /** Aborts when the client disconnects. The transaction then ends as `abandoned`. */
  readonly signal?: AbortSignal;
  /** Principal of the transaction. If absent, it is `anyone`. */
  readonly principal?: Principal;
}

/**
 * `idle` and `expired`: a limit has ended it. `abandoned`: its client has disconnected. `stopped`: the engine closes.
 * `failed`: its commit has thrown. Only `committed` leaves effects, except for a failure with `commit_outcome_unknown`,
 * which may.
 */
export type TransactionEnding =
  | 'committed'
  | 'conflict'
  | 'rolled_back'
  | 'idle'
  | 'expired'
  | 'abandoned'
  | 'stopped'
  | 'failed';

export interface RunOptions {
  /** Deadline of the statement in milliseconds. The limit of the engine may be lower. */
  readonly deadlineMs?: number;
  /** The context of the request, which the caller closes. If absent, the statement gets a separate one. */
  readonly requestContext?: RequestContext;
}

/**
 * A transaction accepts one call at a time, and `rollback` at any time. The transaction takes the state for all its reads at the first `run`.
 * Between calls it holds memory and its state, but no execution slot. After a failed statement, only `undo` and `rollback` are allowed.
 */
export interface EngineTransaction {
  readonly id: string;
  /** The catalog with the changes of the transaction. Before the first `run` it is the newest one. */
  readonly catalog: Catalog;
  /** Memory that the transaction holds between calls. */
  readonly bytes: number;
  /** Resolves when the transaction has ended, for any reason. */
  readonly ended: Promise<TransactionEnding>;
  /**
   * Runs one program, planned for the catalog of the transaction. Ignores its condition, its request for an explained
   * plan, and `beforeCommit`.
   */
  run(request: ProgramRequest, options?: RunOptions): Promise<ProgramResponse>;
  /** Sets a mark (a savepoint). Returns its number, which is the number of older marks. */
  mark(): number;
  /**
   * Undoes the writes and catalog changes since the mark. The mark stays valid; later marks become invalid. Reads since
   * the mark stay recorded. Returns a promise if there is much to undo.
   */
  undo(mark: number): void | Promise<void>;
  /** Removes the mark and later marks. The writes since the mark stay. */
  release(mark: number): void;
  /**
   * Commits the transaction and ends it in any case. `conflict` means that another commit has changed the data that were
   * read, or the catalog: nothing was changed. A transaction that has written nothing is committed immediately.
   */
  commit(): Promise<'committed' | 'conflict'>;
  /** Ends the transaction and a running statement. Does nothing if the transaction has ended. */
  rollback(): void;
}
