/** The seam of the storage engine towards everything above it: ordered bytes, snapshots, serializable transactions. */

import type { Pending } from '#base';
import type { SortedEntries } from './sorted-entries.ts';
import type { StoreStatistics } from './statistics.ts';
import type { EntryRun, FoundValue, ZoneBound } from './stored-block.ts';

/** Keys in [from, to); without `to` up to the end of the key space. */
export interface KeyRange {
  readonly from: Uint8Array;
  readonly to: Uint8Array | undefined;
}

/** What reads of a range that is not on this machine would fetch, by what is in memory and on the local disk now. */
export interface RemoteReads {
  /** One request fetches one of these for a row: blocks, or the parts in which a local disk keeps tables. */
  readonly pieces: number;
  /** Pieces that are neither in memory nor on the local disk. */
  readonly cold: number;
  /** How often a scan of the whole range waits: it fetches several neighboring pieces at a time. */
  readonly scanWaits: number;
  /** Microseconds of one wait: a power of two, which changes only when the place answers in another time for a while. */
  readonly micros: number;
}

export type Direction = 'forward' | 'backward';

/** Reads one consistent state. What it returns may be a view of shared memory: read it, never write it, copy to keep. */
export interface ReadView {
  /** The value, undefined when absent, or a wait after which the same call can be answered. */
  get(key: Uint8Array): Uint8Array | undefined | Pending;
  /** As `get`, with the value where it lies: nothing is put together. */
  find(key: Uint8Array): FoundValue | undefined | Pending;
  /** With `bounds`, entries of which one of them says that they are of no interest may be left out; they count as read. */
  scan(range: KeyRange, direction: Direction, bounds?: readonly ZoneBound[]): EntryCursor;
}

/** Walks entries in key order. Fields are meaningful after `next()` returned true and until the next call. */
export interface EntryCursor {
  /** True: stands on the next entry. False: the end. Pending: call again after it has resolved. */
  next(): boolean | Pending;
  /** The key is `key[keyFrom, keyTo)`, the value `value[valueFrom, valueTo)`. */
  key: Uint8Array;
  keyFrom: number;
  keyTo: number;
  value: Uint8Array;
  valueFrom: number;
  valueTo: number;
  /**
   * After `next()` returned true: the entry that the cursor stands on and those after it, up to `max` and below the key `below`, where
   * they lie as a run in one block. The cursor then stands on the last of them, its key readable, its value not. Undefined: there is
   * no such run, and the entry is taken alone. Absent: there never is.
   */
  takeRun?(max: number, below?: Uint8Array): EntryRun | undefined;
  /**
   * From now on `takeRun` is asked after every `next` that returned true, before the value is read: the value of an entry that begins a run need not
   * be put together.
   */
  preferRuns?(): void;
  close(): void;
}

/** A state at a sequence; keeps versions alive until released. */
export interface Snapshot extends ReadView {
  readonly sequence: number;
  release(): void;
}

/**
 * `committed`: durable, and visible to all. `conflict`: a concurrent commit changed what this transaction read; nothing happened.
 * `unknown`: the log failed after the commit was handed to it; the store is poisoned until it is reopened.
 */
export type CommitOutcome =
  | { readonly kind: 'committed'; readonly sequence: number }
  | { readonly kind: 'conflict'; readonly key: Uint8Array | undefined }
  | { readonly kind: 'unknown'; readonly cause: unknown };

export interface CommitOptions {
  /** Called synchronously inside the commit lane after validation; returning false makes the commit a conflict. */
  readonly validate?: () => boolean;
  /** Called synchronously when the commit has been applied and got its sequence, before it is durable. */
  readonly applied?: (sequence: number) => void;
}

/** A snapshot plus its own writes. Every read, absent keys and empty gaps included, is validated at commit. */
export interface Transaction extends ReadView {
  readonly sequence: number;
  readonly isEmpty: boolean;
  /** Memory of what it remembers of its reads, for the validation at its commit. */
  readonly readBytes: number;
  /** Memory of its writes, and of what can be undone. */
  readonly writeBytes: number;
  put(key: Uint8Array, value: Uint8Array): void;
  /** Takes memory over, in which nobody changes anything from now on; returns its number. */
  own(bytes: Uint8Array): number;
  /** Like `put`, without a copy: in the memory that `own` gave this number the key is [keyFrom, keyTo), and the value follows it up to `valueTo`. */
  putOwned(owned: number, keyFrom: number, keyTo: number, valueTo: number): void;
  delete(key: Uint8Array): void;
  /**
   * Gives up a whole range, whatever its size: from the commit on nobody may read it at a newer sequence, and nobody may ever write
   * into it again. Older views keep their state; the space comes back in the background. What the range holds is not read, so a
   * commit that wrote into it meanwhile is no conflict: whoever drops a range changes a record as well that its writers have read.
   */
  dropRange(range: KeyRange): void;
  /** Marks the writes up to now; returns the number of the mark, which lives until an undo to an older one, or until it is forgotten. */
  mark(): number;
  /**
   * Takes back what was written since the mark, which goes on to live; marks after it do not. What was read stays read, and scans that are open end. A
   * wait when that is much: until then the transaction can only be released.
   */
  undo(mark: number): Pending | undefined;
  /** Gives up the mark and those after it: what was written stays. */
  forget(mark: number): void;
  /** A transaction without writes commits at once, without validation. */
  commit(options?: CommitOptions): Promise<CommitOutcome>;
  /** Forgets everything; also after commit, where it does nothing. */
  release(): void;
}

/**
 * Past the log and the memtables: entries that go into tables of their own, below all that commits have written. From its beginning to its release, deletions of
 * later commits are kept where they hide what is added.
 */
export interface Ingestion {
  /** The state of its beginning. */
  readonly snapshot: Snapshot;
  /**
   * Adds entries to the state of the snapshot; all that later commits have put or deleted stays. To be right for them is up to the caller: a key that the snapshot
   * shows must have the same value there, and whoever takes one away that the snapshot does not show, from then on, writes a deletion all the same.
   * No commit is in conflict with what is added. `isWanted` is asked in the turn in which the tables are decided upon: nothing is added when it says no.
   * Resolves to whether they are there, durably. Rejects when the place has no room or does not answer: then nothing has changed. Takes the memory over.
   */
  add(entries: SortedEntries, isWanted: () => boolean): Promise<boolean>;
  /** Resolves when each transaction that is open now has ended: those that follow read what has been added by now. */
  settled(): Promise<void>;
  /** Also after a failure, once. */
  release(): void;
}

/** Why writes have to wait, if they have to. */
export type WritePressure = 'none' | 'delay' | 'stop';

export interface Store {
  /** The newest applied state. Its answers may be shown only once `durable(sequence)` holds. */
  snapshot(): Snapshot;
  begin(): Transaction;
  /** Undefined where nothing can be written. */
  ingest(): Ingestion | undefined;
  /**
   * About how many entries the range holds now: counted from memtables and the indexes of tables, so that versions and deletions that are not
   * merged yet count as well. Waits for nothing.
   */
  entriesIn(range: KeyRange): number;
  /** Undefined where all tables of the range are on this machine. An estimate, which waits for nothing. */
  remoteReads(range: KeyRange): RemoteReads | undefined;
  /** Names the last change of an area that a snapshot taken now would see; the empty text when there was none. */
  changeOf(area: number): string;
  /** Undefined when everything up to `sequence` is durable already, else resolves when it is; rejects when the log failed. */
  durable(sequence: number): Promise<void> | undefined;
  /** Everything up to here is durable: whoever opens the store again finds it. */
  readonly durableSequence: number;
  /** Runs `work` while no other transaction can commit: a program that keeps losing races runs its commit in here. */
  exclusive<T>(work: () => Promise<T>): Promise<T>;
  readonly pressure: WritePressure;
  /** Resolves when writes may go on; rejects with `overloaded` when that takes too long. Undefined when nothing presses. */
  admitWrite(): Promise<void> | undefined;
  /** Set when this writer lost its epoch or its log: nothing is acknowledged any more. */
  readonly poisoned: Error | undefined;
  /**
   * Looks whether the place is there and can be used as it was opened, and whether a newer writer has claimed it, which an idle writer learns
   * no other way. A claim poisons the store and is returned, as is what has poisoned it already; rejects when the place cannot be used.
   */
  observe(): Promise<Error | undefined>;
  /** How often something was in memory, so far. */
  readonly cacheHits: number;
  /** What it has done since it was opened, and holds now. */
  statistics(): StoreStatistics;
  /** Flushes nothing, finishes what runs, releases the directory. */
  close(): Promise<void>;
}
