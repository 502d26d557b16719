/** A view that counts the calls of a traced program. Keys and values are counted and hashed, never retained. */

import type { Pending } from '#base';
import type {
  BlockSpan,
  CommitOutcome,
  Direction,
  EntryCursor,
  FoundValue,
  KeyBatch,
  KeyRange,
  ReadView,
  Transaction,
  ZoneBound,
} from '#storage';
import type { ScanRecord } from './scan-trace.ts';

/** Receives each call of the store. */
export interface StoreWatch {
  storage<T>(call: () => T): T;
  got(bytes: number): void;
  gotLater(wait: Promise<unknown>): void;
  scanned(range: KeyRange, direction: Direction): ScanRecord | undefined;
  iterated(entries: number, bytes: number): void;
  put(bytes: number): void;
  deleted(bytes: number): void;
}

/** Buffer in which the value of a found row is assembled to measure its length. */
const target = { value: new Uint8Array(), valueFrom: 0, valueTo: 0 };

class TracedView implements ReadView {
  protected readonly trace: StoreWatch;
  private readonly view: ReadView;

  constructor(view: ReadView, trace: StoreWatch) {
    this.view = view;
    this.trace = trace;
  }

  get(key: Uint8Array): Uint8Array | undefined | Pending {
    const found = this.trace.storage(() => this.view.get(key));
    if (found instanceof Promise) this.trace.gotLater(found);
    else this.trace.got(found === undefined ? 0 : key.length + found.length);
    return found;
  }

  find(key: Uint8Array): FoundValue | undefined | Pending {
    const found = this.trace.storage(() => this.view.find(key));
    if (found instanceof Promise) this.trace.gotLater(found);
    else this.trace.got(found === undefined ? 0 : key.length + lengthOf(found));
    return found;
  }

  findAll(batch: KeyBatch): Pending | undefined {
    const wait = this.trace.storage(() => this.view.findAll(batch));
    if (wait !== undefined) this.trace.gotLater(wait);
    else for (let i = 0; i < batch.end; i++) this.trace.got(lengthOfAnswer(batch, i));
    return wait;
  }

  scan(range: KeyRange, direction: Direction, bounds?: readonly ZoneBound[]): EntryCursor {
    const record = this.trace.scanned(range, direction);
    const cursor = this.trace.storage(() => this.view.scan(range, direction, bounds));
    return new TracedCursor(cursor, this.trace, record);
  }

  until(wait: Pending): Promise<void> {
    return this.view.until(wait);
  }
}

class TracedTransaction extends TracedView implements Transaction {
  private readonly transaction: Transaction;

  constructor(transaction: Transaction, trace: StoreWatch) {
    super(transaction, trace);
    this.transaction = transaction;
  }

  get sequence(): number {
    return this.transaction.sequence;
  }

  get isEmpty(): boolean {
    return this.transaction.isEmpty;
  }

  get readBytes(): number {
    return this.transaction.readBytes;
  }

  get writeBytes(): number {
    return this.transaction.writeBytes;
  }

  put(key: Uint8Array, value: Uint8Array): void {
    this.trace.put(key.length + value.length);
    this.transaction.put(key, value);
  }

  own(bytes: Uint8Array): number {
    return this.transaction.own(bytes);
  }

  putOwned(owned: number, keyFrom: number, keyTo: number, valueTo: number): void {
    this.trace.put(valueTo - keyFrom);
    this.transaction.putOwned(owned, keyFrom, keyTo, valueTo);
  }

  deleteOwned(owned: number, keyFrom: number, keyTo: number): void {
    this.trace.deleted(keyTo - keyFrom);
    this.transaction.deleteOwned(owned, keyFrom, keyTo);
  }

  delete(key: Uint8Array): void {
    this.trace.deleted(key.length);
    this.transaction.delete(key);
  }

  dropRange(range: KeyRange): void {
    this.transaction.dropRange(range);
  }

  relieve(): Pending | undefined {
    return this.transaction.relieve();
  }

  mark(): number {
    return this.transaction.mark();
  }

  undo(mark: number): Pending | undefined {
    return this.transaction.undo(mark);
  }

  forget(mark: number): void {
    this.transaction.forget(mark);
  }

  commit(options?: Parameters<Transaction['commit']>[0]): Promise<CommitOutcome> {
    return this.transaction.commit(options);
  }

  release(): void {
    this.transaction.release();
  }
}

class TracedCursor implements EntryCursor {
  private readonly cursor: EntryCursor;
  private readonly trace: StoreWatch;
  private readonly record: ScanRecord | undefined;

  constructor(cursor: EntryCursor, trace: StoreWatch, record: ScanRecord | undefined) {
    this.cursor = cursor;
    this.trace = trace;
    this.record = record;
  }

  get key(): Uint8Array {
    return this.cursor.key;
  }

  get keyFrom(): number {
    return this.cursor.keyFrom;
  }

  get keyTo(): number {
    return this.cursor.keyTo;
  }

  get value(): Uint8Array {
    return this.cursor.value;
  }

  get valueFrom(): number {
    return this.cursor.valueFrom;
  }

  get valueTo(): number {
    return this.cursor.valueTo;
  }

  next(): boolean | Pending {
    const { cursor, trace } = this;
    const stands = trace.storage(() => cursor.next());
    if (stands === true) this.iterated(1, cursor.keyTo - cursor.keyFrom + entryBytes(cursor));
    return stands;
  }

  takeRun(max: number, below?: Uint8Array): BlockSpan | undefined {
    const run = this.trace.storage(() => this.cursor.takeRun?.(max, below));
    // The first entry of the run has been counted by `next`.
    if (run !== undefined) this.iterated(run.to - run.from - 1, shareOf(run));
    return run;
  }

  takeCount(below?: Uint8Array): number {
    const entries = this.trace.storage(() => this.cursor.takeCount?.(below) ?? 0);
    if (entries > 0) this.iterated(entries, 0);
    return entries;
  }

  preferRuns(): void {
    this.cursor.preferRuns?.();
  }

  close(): void {
    this.cursor.close();
  }

  private iterated(entries: number, bytes: number): void {
    this.trace.iterated(entries, bytes);
    if (this.record !== undefined) this.record.entries += entries;
  }
}

/** Returns the bytes of the value; 0 if it was not assembled. */
function entryBytes({ valueFrom, valueTo }: EntryCursor): number {
  return Math.max(0, valueTo - valueFrom);
}

/** Returns the share of the run in the bytes of its block, by number of entries without the first one, which has been counted. */
function shareOf({ block, from, to }: BlockSpan): number {
  return Math.round((block.bytes.length * (to - from - 1)) / block.rows);
}

/** Returns the bytes of the key and its value; 0 if the key is absent. */
function lengthOfAnswer({ keys, blocks, slots, bodies }: KeyBatch, at: number): number {
  const { length } = keys[at] as Uint8Array;
  const block = blocks[at];
  if (block !== undefined) {
    block.join(slots[at] as number, target);
    return length + target.valueTo - target.valueFrom;
  }
  const body = bodies[at];
  return body === undefined ? 0 : length + body.valueTo - body.valueFrom;
}

function lengthOf({ block, slot, valueFrom, valueTo }: FoundValue): number {
  if (block === undefined) return valueTo - valueFrom;
  block.join(slot, target);
  return target.valueTo - target.valueFrom;
}

export function tracedView(view: ReadView, trace: StoreWatch): ReadView {
  return new TracedView(view, trace);
}

export function tracedTransaction(transaction: Transaction, trace: StoreWatch): Transaction {
  return new TracedTransaction(transaction, trace);
}
