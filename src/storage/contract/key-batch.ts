/** Point reads of many keys in key order, which a view answers together. Reusable. */

import type { BlockValues, ValueTarget } from './stored-block.ts';

/** Maximum number of keys of a batch, more than the memory reads that a CPU has in progress at a time. */
const batchKeysMax = 64;

export class KeyBatch {
  /** The keys, ascending. They must not change until they are answered. */
  readonly keys: Uint8Array[] = [];
  /**
   * The answer of each key: the values of its block if they are stored as columns, with its slot; otherwise its value in `bodies`; neither if
   * the key is absent. An answer may be retained; it is read-only.
   */
  readonly blocks: (BlockValues | undefined)[] = [];
  readonly slots = new Int32Array(batchKeysMax);
  readonly bodies: (Readonly<ValueTarget> | undefined)[] = [];
  /** A view answers the keys [0, end): fewer than all if their blocks are large. At least one key is answered. */
  end = 0;
  /** Versions above this sequence are invisible. */
  snapshot = 0;
  /** The source that had most of the last keys. The next keys are probably there too. */
  likely: object | undefined;
  private readonly open = new Uint8Array(batchKeysMax);
  /** Number of keys of [0, end) without an answer. */
  private openCount = 0;
  /** Sections that were read while the batch waited, by source and number: the cache may have evicted them by the next call. */
  private arrivals: Map<object, Map<number, unknown>> | undefined;

  get isFull(): boolean {
    return this.keys.length === batchKeysMax;
  }

  /** Adds a key, which must be at or above the last one. */
  add(key: Uint8Array): void {
    const at = this.keys.length;
    this.keys.push(key);
    this.blocks.push(undefined);
    this.bodies.push(undefined);
    this.open[at] = 1;
    this.openCount++;
    this.end = at + 1;
  }

  /** Returns whether an answered key exists. */
  has(at: number): boolean {
    return this.blocks[at] !== undefined || this.bodies[at] !== undefined;
  }

  clear(): void {
    this.keys.length = 0;
    this.blocks.length = 0;
    this.bodies.length = 0;
    this.end = 0;
    this.openCount = 0;
    this.arrivals = undefined;
  }

  // For the view and its sources.

  get hasOpen(): boolean {
    return this.openCount > 0;
  }

  isOpen(at: number): boolean {
    return this.open[at] === 1;
  }

  /** Leaves the keys from `at` on to another batch. */
  endAt(at: number): void {
    for (let i = at; i < this.end; i++) if (this.isOpen(i)) this.openCount--;
    this.end = at;
  }

  answerAbsent(at: number): void {
    this.open[at] = 0;
    this.openCount--;
  }

  answerSlot(at: number, block: BlockValues, slot: number): void {
    this.blocks[at] = block;
    this.slots[at] = slot;
    this.answerAbsent(at);
  }

  answerBody(at: number, { value, valueFrom, valueTo }: ValueTarget): void {
    this.bodies[at] = { value, valueFrom, valueTo };
    this.answerAbsent(at);
  }

  /** Retains a section until the batch is cleared. */
  arrive(source: object, section: number, content: unknown): void {
    this.arrivals ??= new Map();
    const ofSource = this.arrivals.get(source) ?? new Map<number, unknown>();
    this.arrivals.set(source, ofSource.set(section, content));
  }

  arrived(source: object, section: number): unknown {
    return this.arrivals?.get(source)?.get(section);
  }
}
