/** A transaction over a sorted map; on demand some of its answers have to be waited for. */

import type { Pending } from '#base';
import type {
  CommitOutcome,
  Direction,
  EntryCursor,
  FoundValue,
  KeyBatch,
  KeyRange,
  Transaction,
} from '#storage';

interface Entry {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

const text = (key: Uint8Array) => Buffer.from(key).toString('latin1');

export class MemoryTransaction implements Transaction {
  readonly sequence = 1;
  readonly entries = new Map<string, Entry>();
  gets = 0;
  openCursors = 0;
  private readonly owned: Uint8Array[] = [];
  private readonly marks: ReadonlyMap<string, Entry>[] = [];
  private sorted: string[] | undefined;
  private readonly pendingEvery: number;
  private questions = 0;

  /** Every `pendingEvery`-th question is answered with a wait first; 0: none. */
  constructor(pendingEvery = 0, entries: ReadonlyMap<string, Entry> = new Map()) {
    this.pendingEvery = pendingEvery;
    for (const [name, entry] of entries) this.entries.set(name, entry);
  }

  /** What is said to be remembered of reads: nothing is. */
  readBytes = 0;
  readonly writeBytes = 0;

  get isEmpty(): boolean {
    return this.entries.size === 0;
  }

  /** A copy whose answers have to be waited for now and then. */
  slow(pendingEvery: number): MemoryTransaction {
    return new MemoryTransaction(pendingEvery, this.entries);
  }

  get(key: Uint8Array): Uint8Array | undefined | Pending {
    const wait = this.wait();
    if (wait !== undefined) return wait;
    this.gets++;
    return this.entries.get(text(key))?.value;
  }

  until(wait: Pending): Promise<void> {
    return wait;
  }

  find(key: Uint8Array): FoundValue | undefined | Pending {
    const value = this.get(key);
    if (value === undefined || value instanceof Promise) return value;
    return { block: undefined, slot: 0, value, valueFrom: 0, valueTo: value.length };
  }

  findAll(batch: KeyBatch): Pending | undefined {
    for (let i = 0; i < batch.end; i++) {
      if (!batch.isOpen(i)) continue;
      const value = this.get(batch.keys[i] as Uint8Array);
      if (value instanceof Promise) return value;
      if (value === undefined) batch.answerAbsent(i);
      else batch.answerBody(i, { value, valueFrom: 0, valueTo: value.length });
    }
    return undefined;
  }

  own(bytes: Uint8Array): number {
    return this.owned.push(bytes) - 1;
  }

  putOwned(owned: number, keyFrom: number, keyTo: number, valueTo: number): void {
    const bytes = this.owned[owned] as Uint8Array;
    this.put(bytes.slice(keyFrom, keyTo), bytes.slice(keyTo, valueTo));
  }

  deleteOwned(owned: number, keyFrom: number, keyTo: number): void {
    this.delete((this.owned[owned] as Uint8Array).slice(keyFrom, keyTo));
  }

  put(key: Uint8Array, value: Uint8Array): void {
    const name = text(key);
    if (!this.entries.has(name)) this.sorted = undefined;
    this.entries.set(name, { key, value });
  }

  delete(key: Uint8Array): void {
    if (this.entries.delete(text(key))) this.sorted = undefined;
  }

  dropRange(range: KeyRange): void {
    const from = text(range.from);
    const to = range.to === undefined ? undefined : text(range.to);
    for (const name of [...this.entries.keys()]) {
      if (name >= from && (to === undefined || name < to)) this.entries.delete(name);
    }
    this.sorted = undefined;
  }

  scan(range: KeyRange, direction: Direction): EntryCursor {
    this.sorted ??= [...this.entries.keys()].sort();
    const from = firstAtLeast(this.sorted, text(range.from));
    const to =
      range.to === undefined ? this.sorted.length : firstAtLeast(this.sorted, text(range.to));
    this.openCursors++;
    return new MemoryCursor(this, this.sorted.slice(from, to), direction);
  }

  /** A wait instead of the answer, when it is time for one. */
  wait(): Pending | undefined {
    if (this.pendingEvery === 0 || ++this.questions % this.pendingEvery !== 0) return undefined;
    return Promise.resolve();
  }

  relieve(): undefined {}

  mark(): number {
    return this.marks.push(new Map(this.entries)) - 1;
  }

  undo(mark: number): undefined {
    this.entries.clear();
    for (const [name, entry] of this.marks[mark] ?? []) this.entries.set(name, entry);
    this.sorted = undefined;
  }

  forget(mark: number): void {
    this.marks.length = mark;
  }

  commit(): Promise<CommitOutcome> {
    return Promise.resolve({ kind: 'committed', sequence: 2 });
  }

  release(): void {}
}

class MemoryCursor implements EntryCursor {
  key = new Uint8Array(0);
  keyFrom = 0;
  keyTo = 0;
  value = new Uint8Array(0);
  valueFrom = 0;
  valueTo = 0;
  private readonly owner: MemoryTransaction;
  private readonly names: readonly string[];
  private readonly step: number;
  private at: number;
  private isOpen = true;

  constructor(owner: MemoryTransaction, names: readonly string[], direction: Direction) {
    this.owner = owner;
    this.names = names;
    this.step = direction === 'forward' ? 1 : -1;
    this.at = direction === 'forward' ? 0 : names.length - 1;
  }

  next(): boolean | Pending {
    const wait = this.owner.wait();
    if (wait !== undefined) return wait;
    const name = this.names[this.at];
    const entry = name === undefined ? undefined : this.owner.entries.get(name);
    if (entry === undefined) return false;
    this.at += this.step;
    this.key = entry.key as Uint8Array<ArrayBuffer>;
    this.keyTo = entry.key.length;
    this.value = entry.value as Uint8Array<ArrayBuffer>;
    this.valueTo = entry.value.length;
    return true;
  }

  close(): void {
    if (this.isOpen) this.owner.openCursors--;
    this.isOpen = false;
  }
}

function firstAtLeast(sorted: readonly string[], key: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as string) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
