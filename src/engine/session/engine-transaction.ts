/** The interface of a transaction that stays open between calls. */

import type { Catalog, Principal } from '#catalog';
import type { Ticket } from '../admission/ticket.ts';
import type { ProgramRequest, ProgramResponse } from '../response.ts';

export interface BeginFacts {
  /** Reads one snapshot: nothing is recorded, no commit is a conflict, and writes are refused. */
  readonly isReadOnly?: boolean;
  /** Fires when the client has gone: the transaction then ends as `abandoned`. */
  readonly signal?: AbortSignal;
  /** Whose transaction it is; absent: anyone's. */
  readonly principal?: Principal;
}

/**
 * `idle`, `expired`: a limit has ended it. `abandoned`: its client has gone. `stopped`: the engine closes. `failed`: its commit has thrown.
 * All but `committed` have left nothing behind, a failed one with `commit_outcome_unknown` aside.
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
  /** Time of the statement; the limit of the engine may be lower. */
  readonly deadlineMs?: number;
  /** The request that the statement belongs to; the caller closes it. Absent: one of its own. */
  readonly ticket?: Ticket;
}

/**
 * One call at a time; `rollback` may come at any time. Nothing is held before the first `run`, which takes the state that all others read. Between
 * calls it holds memory and its state, and no execution slot. A statement that fails leaves it usable only by `undo` and `rollback`.
 */
export interface EngineTransaction {
  readonly id: string;
  /** With its own changes; before the first `run`, the newest one. */
  readonly catalog: Catalog;
  /** Memory that it holds between calls. */
  readonly bytes: number;
  /** Resolves when it is over, for whatever reason. */
  readonly ended: Promise<TransactionEnding>;
  /** Runs one program, planned for the catalog of the transaction. Its condition, plan for people and `beforeCommit` are not looked at. */
  run(request: ProgramRequest, options?: RunOptions): Promise<ProgramResponse>;
  /** Marks the state; returns the number of the mark, which is how many older ones live. */
  mark(): number;
  /**
   * Takes back the writes and catalog changes since the mark, which goes on to live; later ones do not. What was read stays read. A promise when there
   * is much to take back.
   */
  undo(mark: number): void | Promise<void>;
  /** Gives up the mark and later ones: the effects stay. */
  release(mark: number): void;
  /** `conflict`: another commit has changed what was read, or the catalog; nothing happened. Without writes at once. The transaction is over in any case. */
  commit(): Promise<'committed' | 'conflict'>;
  /** Ends it, and a statement that runs. Does nothing when it is over. */
  rollback(): void;
}
