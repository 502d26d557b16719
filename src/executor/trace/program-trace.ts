/**
 * A trace of the work of a program, for a request that asks for one. The work is counted while the program runs. Without a trace, nothing is
 * counted and no clock is read.
 */

import type { Clock } from '#base';
import type { ProgramPlan, StatementPlan } from '#planner';
import {
  type Direction,
  type KeyRange,
  ReadEvidence,
  type ReadView,
  type Transaction,
  withReadEvidence,
} from '#storage';
import { OperatorTrace } from './operator-trace.ts';
import { ReferenceTrace } from './reference-trace.ts';
import { type ScanRecord, ScanTrace } from './scan-trace.ts';
import { type StoreWatch, tracedTransaction, tracedView } from './traced-view.ts';

/** Work in keys and values, as the program requested it. */
export interface KeyValueWork {
  gets: number;
  puts: number;
  deletes: number;
  scans: number;
  forwardSeeks: number;
  iterated: number;
  bytesRead: number;
  bytesWritten: number;
}

/** Physical reads of a statement: from memory, from the local disk, and from the storage behind them. */
interface StorageReads {
  readonly memoryHits: number;
  readonly memoryMisses: number;
  readonly localHits: number;
  readonly localMisses: number;
  readonly backingReads: number;
  readonly backingBytes: number;
  readonly backingMs: number;
}

export interface StatementTrace {
  readonly plan: StatementPlan;
  readonly operators: OperatorTrace;
  readonly scans: ScanTrace;
  /** Checks of foreign keys; `undefined` if no foreign key was checked. */
  references: ReferenceTrace | undefined;
  /** Start of the statement, by the monotonic clock. */
  readonly beganMs: number;
  /** Number of rows; undefined until the statement ends. */
  affected: number | undefined;
  ms: number;
  isOver: boolean;
  storage: StorageReads;
  kv: Readonly<KeyValueWork>;
}

/** `abandoned`: the transaction conflicted with another commit, or it is unknown whether it was committed. */
export type TransactionEnd = 'commit' | 'rollback' | 'abandoned';

/** Times of one attempt of a writing program, by the monotonic clock. */
interface TransactionTrace {
  readonly beganMs: number;
  readonly endedMs: number;
  readonly end: TransactionEnd;
}

interface TraceParts {
  readonly clock: Clock;
  /** Whether operators and scans are recorded too. */
  readonly isDetailed: boolean;
  /** Returns the number of reads so far that were found in memory. */
  readonly cacheHits: () => number;
}

const noWork: Readonly<KeyValueWork> = {
  gets: 0,
  puts: 0,
  deletes: 0,
  scans: 0,
  forwardSeeks: 0,
  iterated: 0,
  bytesRead: 0,
  bytesWritten: 0,
};

const noReads: StorageReads = {
  memoryHits: 0,
  memoryMisses: 0,
  localHits: 0,
  localMisses: 0,
  backingReads: 0,
  backingBytes: 0,
  backingMs: 0,
};

/** Members of statements of which only the number of rows is recorded. They are shared and must not be modified. */
const unwatched = {
  operators: new OperatorTrace({ unixMs: () => 0, monotonicMs: () => 0 }),
  scans: new ScanTrace(),
  references: undefined,
  beganMs: 0,
  ms: 0,
  isOver: false,
  storage: noReads,
  kv: noWork,
};

export class ProgramTrace implements StoreWatch {
  /** Work of all attempts together. */
  readonly kv: KeyValueWork = { ...noWork };
  /** The plan of the last attempt; `undefined` until the program is planned. */
  plan: ProgramPlan | undefined;
  planningMs = 0;
  /** Start of the first attempt, by the monotonic clock; undefined before it. */
  beganMs: number | undefined;
  /** Statements of the last attempt that have begun. */
  statements: StatementTrace[] = [];
  /** Transactions that have ended. */
  readonly transactions: TransactionTrace[] = [];
  readonly isDetailed: boolean;
  readonly clock: Clock;
  private readonly evidence: ReadEvidence;
  private readonly cacheHits: () => number;
  private memoryHits = 0;
  private before = noReads;
  private kvBefore = noWork;

  constructor({ clock, isDetailed, cacheHits }: TraceParts) {
    this.clock = clock;
    this.isDetailed = isDetailed;
    this.cacheHits = cacheHits;
    this.evidence = new ReadEvidence(clock);
  }

  /** Trace of the operators of the running statement; undefined without details. */
  get operators(): OperatorTrace | undefined {
    return this.isDetailed ? this.statements.at(-1)?.operators : undefined;
  }

  /** Trace of the foreign-key checks of the running statement; undefined without details. */
  get references(): ReferenceTrace | undefined {
    const statement = this.isDetailed ? this.statements.at(-1) : undefined;
    if (statement === undefined) return undefined;
    statement.references ??= new ReferenceTrace(this.clock, this.kv);
    return statement.references;
  }

  view(view: ReadView): ReadView {
    return tracedView(view, this);
  }

  transaction(transaction: Transaction): Transaction {
    return tracedTransaction(transaction, this);
  }

  /** Runs one attempt of the program. */
  attempt<T>(plan: ProgramPlan, work: () => T): T {
    this.plan = plan;
    this.beganMs ??= this.clock.monotonicMs();
    this.statements = [];
    return this.isDetailed ? withReadEvidence(this.evidence, work) : work();
  }

  begin(plan: StatementPlan): void {
    if (!this.isDetailed) {
      this.statements.push({ ...unwatched, plan, affected: undefined });
      return;
    }
    this.before = this.reads();
    const operators = new OperatorTrace(this.clock);
    const scans = new ScanTrace();
    this.kvBefore = { ...this.kv };
    this.statements.push({
      plan,
      operators,
      scans,
      references: undefined,
      beganMs: this.clock.monotonicMs(),
      affected: undefined,
      ms: 0,
      isOver: false,
      storage: since(this.before, this.before),
      kv: since(this.kvBefore, this.kvBefore),
    });
  }

  /** Ends the running statement; `affected` is undefined if it failed. */
  end(affected: number | undefined): void {
    const statement = this.statements.at(-1) as StatementTrace;
    statement.affected = affected;
    if (!this.isDetailed) return;
    statement.ms = this.clock.monotonicMs() - statement.beganMs;
    statement.isOver = true;
    statement.storage = since(this.before, this.reads());
    statement.kv = since(this.kvBefore, this.kv);
  }

  transactionEnded(beganMs: number, end: TransactionEnd): void {
    this.transactions.push({ beganMs, endedMs: this.clock.monotonicMs(), end });
  }

  /** Runs a call of the store and counts its hits in memory. No other program runs during the call, so that all of these hits belong to it. */
  storage<T>(call: () => T): T {
    if (!this.isDetailed) return call();
    const before = this.cacheHits();
    const value = call();
    this.memoryHits += this.cacheHits() - before;
    return value;
  }

  got(bytes: number): void {
    this.kv.gets++;
    this.kv.bytesRead += bytes;
    const record = this.operators?.current;
    if (record === undefined) return;
    record.gets++;
    record.getsAtOnceMax = Math.max(record.getsAtOnceMax, 1);
  }

  /** Records a wait. The read is counted when it is repeated after the wait. */
  gotLater(wait: Promise<unknown>): void {
    const record = this.operators?.current;
    if (record === undefined) return;
    record.waiting++;
    record.getsAtOnceMax = Math.max(record.getsAtOnceMax, record.waiting);
    const over = () => void record.waiting--;
    wait.then(over, over);
  }

  scanned(range: KeyRange, direction: Direction): ScanRecord | undefined {
    this.kv.scans++;
    if (direction === 'forward') this.kv.forwardSeeks++;
    const { operators } = this;
    const id = operators?.current?.site.id ?? -1;
    return operators && this.statements.at(-1)?.scans.begin(id, range, direction);
  }

  iterated(entries: number, bytes: number): void {
    this.kv.iterated += entries;
    this.kv.bytesRead += bytes;
    const record = this.operators?.current;
    if (record !== undefined) record.entries += entries;
  }

  put(bytes: number): void {
    this.kv.puts++;
    this.kv.bytesWritten += bytes;
  }

  deleted(bytes: number): void {
    this.kv.deletes++;
    this.kv.bytesWritten += bytes;
  }

  private reads(): StorageReads {
    const { memoryHits } = this;
    const { memoryMisses, localHits, localMisses } = this.evidence;
    const { backingReads, backingBytes, backingMs } = this.evidence;
    return {
      memoryHits,
      memoryMisses,
      localHits,
      localMisses,
      backingReads,
      backingBytes,
      backingMs,
    };
  }
}

/** Returns the difference of two records, member by member. */
function since<T extends Readonly<Record<keyof T, number>>>(before: T, after: T): T {
  const names = Object.keys(before) as (keyof T)[];
  return Object.fromEntries(names.map((name) => [name, after[name] - before[name]])) as T;
}
