/**
 * The interface of the storage engine to all modules above it: ordered byte keys, snapshots and
 * serializable transactions.
 */

import type { Pending } from '#base';
import type { KeyBatch } from './key-batch.ts';
import type { SortedEntries } from './sorted-entries.ts';
import type { StoreStatistics } from './statistics.ts';
import type { BlockSpan, FoundValue, ZoneBound } from './stored-block.ts';

/** Keys in [from, to). Without `to`, the range extends to the end of the key space. */
export interface KeyRange {
  readonly from: Uint8Array;
  readonly to: Uint8Array | undefined;
}

/**
 * Estimate of the requests that reads of a remote range need, given the current content of memory
 * and of the local disk.
 */
export interface RemoteReads {
  /**
   * Units that one request fetches for a row: blocks, or the parts in which a local disk caches
   * SSTables.
   */
  readonly pieces: number;
  /** Pieces that are neither in memory nor on the local disk. */
  readonly cold: number;
  /**
   * Number of waits of a scan of the whole range. A scan fetches several neighboring pieces at a
   * time.
   */
  readonly scanWaits: number;
  /**
   * Microseconds of one wait, a power of two. The value changes only if the storage location has
   * responded slower or faster for a while.
   */
  readonly micros: number;
}

export type Direction = 'forward' | 'backward';

/**
 * Reads one consistent state. Returned bytes may be a view of shared memory: do not modify them,
 * and copy them to retain them.
 */
export interface ReadView {
  /**
   * Returns the value, `undefined` if the key is absent, or a wait after which the caller repeats
   * the call.
   */
  get(key: Uint8Array): Uint8Array | undefined | Pending;
  /** Does the same as `get`, but leaves the value in its block: no bytes are assembled. */
  find(key: Uint8Array): FoundValue | undefined | Pending;
  /** Answers the first keys of the batch, or returns a wait, after which the caller repeats the call. */
  findAll(batch: KeyBatch): Pending | undefined;
  /**
   * Scans a range. With `bounds`, the cursor may skip entries that lie outside one of them. Skipped
   * entries count as read.
   */
  scan(range: KeyRange, direction: Direction, bounds?: readonly ZoneBound[]): EntryCursor;
  /**
   * Resolves after `wait`, which a cursor of this view has returned. If the cursor has only passed
   * over many entries, this takes an iteration of the event loop, because `wait` itself would let no
   * other work run.
   */
  until(wait: Pending): Promise<void>;
}

/**
 * Visits entries in key order. The fields are valid after `next()` has returned true and until its
 * next call.
 */
export interface EntryCursor {
  /**
   * Returns true after moving to the next entry, and false at the end. If it returns a wait, the
   * caller passes it to `until` of the view, and then calls again.
   */
  next(): boolean | Pending;
  /** The key is `key[keyFrom, keyTo)`, the value `value[valueFrom, valueTo)`. */
  key: Uint8Array;
  keyFrom: number;
  keyTo: number;
  value: Uint8Array;
  valueFrom: number;
  valueTo: number;
  /**
   * Returns the current entry and those after it as a run of slots in one block: at most `max`
   * entries, all below the key `below`. Call it only after `next()` has returned true. The cursor
   * then is at the last entry of the run, whose key is readable and whose value is not. Returns
   * `undefined` if no such run exists; the caller then reads the entry alone. A cursor without this
   * method never has runs.
   */
  takeRun?(max: number, below?: Uint8Array): BlockSpan | undefined;
  /**
   * Passes over entries after the current one, all below the key `below`, whose number is known
   * without reading them, and returns their number; 0 if there are none. Call it only after
   * `next()` has returned true. If the result is not 0, the key of the cursor then is at or above
   * that of the last passed entry and below that of the next one, and the value is not readable. A
   * cursor without this method never counts.
   */
  takeCount?(below?: Uint8Array): number;
  /**
   * Announces that the caller will call `takeRun` after every `next` that returned true, before it
   * reads the value. The cursor then need not assemble the value of an entry that begins a run.
   */
  preferRuns?(): void;
  close(): void;
}

/** The state at a sequence. A snapshot retains the versions that it shows until it is released. */
export interface Snapshot extends ReadView {
  readonly sequence: number;
  release(): void;
}

/**
 * `committed`: durable, and visible to all. `conflict`: a concurrent commit changed data that this
 * transaction read; nothing was changed. `unknown`: the log failed after it received the commit;
 * the store is poisoned until it is reopened.
 */
export type CommitOutcome =
  | { readonly kind: 'committed'; readonly sequence: number }
  | { readonly kind: 'conflict'; readonly key: Uint8Array | undefined }
  | { readonly kind: 'unknown'; readonly cause: unknown };

export interface CommitOptions {
  /**
   * Called synchronously in the commit queue after validation. If it returns false, the commit is a
   * conflict. If it returns true, the record is appended to the log in the same step.
   */
  readonly validate?: () => boolean;
  /**
   * Called synchronously when the commit has been applied and has its sequence, before it is
   * durable.
   */
  readonly applied?: (sequence: number) => void;
}

/**
 * A snapshot plus its own writes. The commit validates every read, including absent keys and empty
 * gaps.
 */
export interface Transaction extends ReadView {
  readonly sequence: number;
  readonly isEmpty: boolean;
  /** Memory in bytes of the recorded reads, which the commit validates. */
  readonly readBytes: number;
  /** Memory in bytes of the writes and of the data for undoing them. */
  readonly writeBytes: number;
  put(key: Uint8Array, value: Uint8Array): void;
  /**
   * Takes ownership of `bytes`, which the caller must not modify afterwards. Returns the number for
   * `putOwned`.
   */
  own(bytes: Uint8Array): number;
  /**
   * Does the same as `put` without a copy. In the memory with the number `owned`, the key is
   * [keyFrom, keyTo), and the value follows it up to `valueTo`.
   */
  putOwned(owned: number, keyFrom: number, keyTo: number, valueTo: number): void;
  /** Does the same as `delete` without a copy. */
  deleteOwned(owned: number, keyFrom: number, keyTo: number): void;
  delete(key: Uint8Array): void;
  /**
   * Drops a whole range of any size. After the commit, the range must not be read at a newer
   * sequence, and must never be written again. Older views keep their state, and the space is freed
   * in the background. The transaction does not read the entries of the range, so a concurrent
   * write to it is not a conflict. The caller must therefore also change a record that all writers
   * of the range have read.
   */
  dropRange(range: KeyRange): void;
  /**
   * Writes the buffered writes to disk as a sorted run if they exceed the share of this
   * transaction. Call it between chunks of writes. If it returns a wait, nothing else may be called
   * on the transaction until the wait resolves, except `release`. Open scans stay valid.
   */
  relieve(): Pending | undefined;
  /**
   * Marks the writes up to now. Returns the number of the mark, which lives until an undo to an
   * older mark or until it is forgotten.
   */
  mark(): number;
  /**
   * Undoes all writes since the mark. The mark stays valid; later marks do not. Recorded reads stay
   * recorded, and open scans end. Returns a wait if the work is long: until it resolves, the
   * transaction can only be released.
   */
  undo(mark: number): Pending | undefined;
  /** Discards the mark and later ones. The writes stay. */
  forget(mark: number): void;
  /** Commits the writes. A transaction without writes commits immediately, without validation. */
  commit(options?: CommitOptions): Promise<CommitOutcome>;
  /** Releases all memory. After a commit, the call does nothing. */
  release(): void;
}

/**
 * Adds entries without the log and the memtables: they are written to separate SSTables, below all
 * data that commits have written. Between the beginning and the release of the ingestion,
 * tombstones of later commits are retained where they hide added entries.
 */
export interface Ingestion {
  /** The state when the ingestion began. */
  readonly snapshot: Snapshot;
  /**
   * Adds entries to the state of the snapshot. All later puts and deletions by commits take
   * precedence, and no commit conflicts with the added entries. The caller must ensure two things.
   * A key that the snapshot shows must have the same value there. From now on, a commit that
   * removes a key must write a tombstone even if the snapshot does not show the key.
   *
   * Takes ownership of the memory. `isWanted` is called in the event-loop iteration in which the
   * SSTables are added. If it returns false, nothing is added. Resolves to true if the entries were
   * added durably. Rejects if the storage location is full or does not respond; nothing was changed
   * then.
   */
  add(entries: SortedEntries, isWanted: () => boolean): Promise<boolean>;
  /**
   * Resolves when every transaction that is open now has ended. Later transactions read all entries
   * that have been added by now.
   */
  settled(): Promise<void>;
  /** Ends the ingestion. Call it once, also after a failure. */
  release(): void;
}

/** Whether writes are delayed or stopped. */
export type WritePressure = 'none' | 'delay' | 'stop';

export interface Store {
  /**
   * Returns the newest applied state. Data read from it may be shown only once `durable(sequence)`
   * holds.
   */
  snapshot(): Snapshot;
  begin(): Transaction;
  /** Begins an ingestion; `undefined` if the store is read-only. */
  ingest(): Ingestion | undefined;
  /**
   * Estimates the number of entries of the range without waiting. The estimate uses memtables and
   * the indexes of SSTables, so it also counts versions and tombstones that are not compacted yet.
   */
  entriesIn(range: KeyRange): number;
  /**
   * Estimates the remote reads of the range without waiting; `undefined` if all SSTables of the
   * range are on this machine.
   */
  remoteReads(range: KeyRange): RemoteReads | undefined;
  /**
   * Returns an identifier of the last change of a tracked range that a snapshot taken now would
   * see; the empty string if there was none.
   */
  changeOf(area: number): string;
  /**
   * Returns `undefined` if everything up to `sequence` is durable already. Otherwise resolves when
   * it is, and rejects if the log fails.
   */
  durable(sequence: number): Promise<void> | undefined;
  /** Everything up to this sequence is durable: the next opening of the store finds it. */
  readonly durableSequence: number;
  /**
   * Runs `work` while no other transaction can commit. A program that repeatedly loses to conflicts
   * commits in this way.
   */
  exclusive<T>(work: () => Promise<T>): Promise<T>;
  readonly pressure: WritePressure;
  /**
   * Resolves when a write may continue; rejects with `overloaded` after too long a wait. Returns
   * `undefined` if there is no pressure.
   */
  admitWrite(): Promise<void> | undefined;
  /**
   * When a reader last found that it shows the newest published state, on the monotonic clock. `undefined` on a writer.
   */
  readonly newestAtMs?: number;
  /** Set when this writer lost its epoch or its log. The store acknowledges nothing any more. */
  readonly poisoned: Error | undefined;
  /**
   * Checks that the storage location exists and is still usable with the opened options, and
   * whether a newer writer has claimed it. An idle writer learns of a claim only through this
   * check. A claim poisons the store and is returned, and so is an earlier reason for poisoning.
   * Rejects if the storage location cannot be used.
   */
  observe(): Promise<Error | undefined>;
  /** How many reads the caches have served so far. */
  readonly cacheHits: number;
  /** Returns the counters since the opening, and the current memory. */
  statistics(): StoreStatistics;
  /** Finishes running work without a flush, then releases the directory. */
  close(): Promise<void>;
}
