/**
 * Many interleaved transactions and snapshots over one store, checked against a map per sequence: what a committed transaction saw
 * is what a run by sequence alone would have shown it, and a snapshot never changes.
 */

import {
  type CommitOutcome,
  type Direction,
  KeyBatch,
  type ReadView,
  type Snapshot,
  type Store,
  type Transaction,
} from '#storage';

type State = ReadonlyMap<string, string>;

interface Scanned {
  readonly from: string;
  readonly to: string | undefined;
  readonly direction: Direction;
  readonly limit: number;
}

/** A key, keys that are read together, or a range. */
type Question = string | readonly string[] | Scanned;

/** Something a transaction saw, over its own writes at that time. */
interface Observation {
  readonly own: ReadonlyMap<string, string | undefined>;
  readonly question: Question;
  readonly answer: string;
}

interface Running {
  readonly transaction: Transaction;
  readonly own: Map<string, string | undefined>;
  readonly observations: Observation[];
}

export class Wrong extends Error {}

export interface WorkloadShape {
  readonly keys: number;
  readonly valueBytesMax: number;
  readonly transactions: number;
  readonly snapshots: number;
}

export const smallShape: WorkloadShape = {
  keys: 60,
  valueBytesMax: 30,
  transactions: 6,
  snapshots: 3,
};

export class Workload {
  /** The state after each sequence. */
  readonly states: State[] = [new Map()];
  /** The highest sequence whose commit was answered. */
  acknowledged = 0;
  conflicts = 0;
  private readonly unit: () => number;
  private readonly shape: WorkloadShape;
  private running: Running[] = [];
  private snapshots: Snapshot[] = [];
  private answers: Promise<void>[] = [];
  private failure: unknown;

  constructor(unit: () => number, shape: WorkloadShape = smallShape) {
    this.unit = unit;
    this.shape = shape;
  }

  get commits(): number {
    return this.states.length - 1;
  }

  /** Checks a store that was opened again: a prefix of the commits, every acknowledged one in it. */
  async reopened(store: Store): Promise<void> {
    this.running = [];
    this.snapshots = [];
    this.answers = [];
    this.failure = undefined;
    const snapshot = store.snapshot();
    const { sequence } = snapshot;
    if (sequence < this.acknowledged) throw new Wrong(`${sequence} of ${this.acknowledged} there`);
    const state = this.states[sequence];
    if (state === undefined) throw new Wrong(`sequence ${sequence} was never made`);
    this.states.length = sequence + 1;
    await this.checkWhole(snapshot);
    snapshot.release();
  }

  /** Some steps of whoever is chosen; throws what a commit failed with, or `Wrong`. */
  async run(store: Store, steps: number): Promise<void> {
    for (let step = 0; step < steps; step++) {
      await this.step(store);
      if (this.unit() < 0.1) await new Promise((resolve) => setImmediate(resolve));
      if (this.failure !== undefined) throw this.failure;
    }
  }

  rowsAt(sequence: number): Record<string, string> {
    return Object.fromEntries(this.states[sequence] as State);
  }

  /** Lets every commit come to its end and closes what is open. */
  async settle(): Promise<void> {
    await Promise.all(this.answers);
    this.answers = [];
    for (const { transaction } of this.running) transaction.release();
    for (const snapshot of this.snapshots) snapshot.release();
    this.running = [];
    this.snapshots = [];
    if (this.failure !== undefined) throw this.failure;
  }

  async checkWhole(snapshot: ReadView & { readonly sequence: number }): Promise<void> {
    for (const direction of ['forward', 'backward'] as const) {
      const question = { from: '', to: undefined, direction, limit: Infinity };
      await this.checkAt(snapshot, question);
    }
  }

  private async step(store: Store): Promise<void> {
    const choice = this.unit();
    if (choice < 0.06) return this.stepSnapshot(store);
    if (this.running.length < this.shape.transactions && choice < 0.3) {
      const transaction = store.begin();
      this.running.push({ transaction, own: new Map(), observations: [] });
      return;
    }
    const one = this.running[this.below(this.running.length)];
    if (one === undefined) return;
    if (choice < 0.5) await this.observe(one, this.anyQuestion());
    else if (choice < 0.85) this.write(one);
    else await this.finish(store, one);
  }

  private write({ transaction, own }: Running): void {
    for (let count = 1 + this.below(4); count > 0; count--) {
      const key = this.anyKey();
      const value = this.unit() < 0.3 ? undefined : this.anyValue();
      if (value === undefined) transaction.delete(Buffer.from(key));
      else transaction.put(Buffer.from(key), Buffer.from(value));
      own.set(key, value);
    }
  }

  private async observe(one: Running, question: Question): Promise<void> {
    const own = new Map(one.own);
    const answer = await ask(one.transaction, question);
    one.observations.push({ own, question, answer });
  }

  private async finish(store: Store, one: Running): Promise<void> {
    this.running = this.running.filter((each) => each !== one);
    if (this.unit() < 0.1) {
      one.transaction.release();
      return;
    }
    await store.admitWrite();
    const committing = one.transaction.commit({
      applied: (sequence) => this.applied(one, sequence),
    });
    const answer = committing
      .then((outcome) => this.answered(one, outcome))
      .catch((error: unknown) => {
        this.failure ??= error;
      })
      .finally(() => one.transaction.release());
    this.answers.push(answer);
    if (this.unit() < 0.3) await answer;
  }

  private applied(one: Running, sequence: number): void {
    if (sequence !== this.states.length) throw new Wrong(`sequence ${sequence} out of order`);
    const before = this.states[sequence - 1] as State;
    for (const { own, question, answer } of one.observations) {
      const expected = look(overlaid(before, own), question);
      if (expected !== answer) this.failure ??= new Wrong(`${show(question)} at ${sequence}`);
    }
    this.states.push(overlaid(before, one.own));
  }

  private answered(one: Running, outcome: CommitOutcome): void {
    if (outcome.kind === 'unknown') throw outcome.cause;
    if (outcome.kind === 'conflict') this.conflicts++;
    else if (one.own.size > 0) this.acknowledged = Math.max(this.acknowledged, outcome.sequence);
  }

  private async stepSnapshot(store: Store): Promise<void> {
    const at = this.below(this.shape.snapshots);
    const snapshot = this.snapshots[at];
    if (snapshot === undefined) {
      this.snapshots.push(store.snapshot());
    } else if (this.unit() < 0.7) {
      await this.checkAt(snapshot, this.anyQuestion());
    } else {
      await this.checkWhole(snapshot);
      snapshot.release();
      this.snapshots.splice(at, 1);
    }
  }

  private async checkAt(view: ReadView & { readonly sequence: number }, question: Question) {
    const answer = await ask(view, question);
    const expected = look(this.states[view.sequence] as State, question);
    if (answer === expected) return;
    throw new Wrong(`${show(question)} of ${view.sequence}: ${answer} instead of ${expected}`);
  }

  private anyQuestion(): Question {
    const kind = this.unit();
    if (kind < 0.35) return this.anyKey();
    if (kind < 0.45) return Array.from({ length: 1 + this.below(12) }, () => this.anyKey()).sort();
    const direction = this.unit() < 0.5 ? 'forward' : 'backward';
    const to = this.unit() < 0.2 ? undefined : this.anyKey();
    const limit = this.unit() < 0.5 ? 1 + this.below(5) : Infinity;
    return { from: this.anyKey(), to, direction, limit };
  }

  /** Skewed, so that some keys have many versions. */
  private anyKey(): string {
    const number = Math.floor(this.unit() ** 2 * this.shape.keys);
    return `key ${String(number).padStart(6, '0')}`;
  }

  private anyValue(): string {
    const length = this.below(this.shape.valueBytesMax);
    return String(this.unit()).padEnd(length, 'x').slice(0, length);
  }

  private below(bound: number): number {
    return Math.floor(this.unit() * bound);
  }
}

function overlaid(state: State, own: ReadonlyMap<string, string | undefined>): State {
  const next = new Map(state);
  for (const [key, value] of own) {
    if (value === undefined) next.delete(key);
    else next.set(key, value);
  }
  return next;
}

/** What the model answers. */
function look(state: State, question: Question): string {
  if (typeof question === 'string') return state.get(question) ?? 'absent';
  if (isList(question)) return question.map((key) => state.get(key) ?? 'absent').join();
  const { from, to, direction, limit } = question;
  const keys = [...state.keys()].filter((key) => key >= from && (to === undefined || key < to));
  keys.sort();
  if (direction === 'backward') keys.reverse();
  const kept = keys.slice(0, limit);
  return kept.map((key) => `${key}=${state.get(key)}`).join();
}

/** What the store answers. */
async function ask(view: ReadView, question: Question): Promise<string> {
  if (typeof question === 'string') return askKey(view, question);
  return isList(question) ? askKeys(view, question) : askRange(view, question);
}

function isList(question: readonly string[] | Scanned): question is readonly string[] {
  return Array.isArray(question);
}

async function askKeys(view: ReadView, keys: readonly string[]): Promise<string> {
  const batch = new KeyBatch();
  const seen: string[] = [];
  while (seen.length < keys.length) {
    for (let i = seen.length; i < keys.length && !batch.isFull; i++) {
      batch.add(Buffer.from(keys[i] as string));
    }
    for (;;) {
      const wait = view.findAll(batch);
      if (wait === undefined) break;
      await wait;
    }
    for (let i = 0; i < batch.end; i++) seen.push(answerOf(batch, i));
    batch.clear();
  }
  return seen.join();
}

function answerOf({ blocks, bodies, slots }: KeyBatch, at: number): string {
  const target = { value: new Uint8Array(), valueFrom: 0, valueTo: 0 };
  blocks[at]?.join(slots[at] as number, target);
  const body = blocks[at] === undefined ? bodies[at] : target;
  if (body === undefined) return 'absent';
  return Buffer.from(body.value.subarray(body.valueFrom, body.valueTo)).toString();
}

async function askKey(view: ReadView, key: string): Promise<string> {
  for (;;) {
    const value = view.get(Buffer.from(key));
    if (!(value instanceof Promise)) {
      return value === undefined ? 'absent' : Buffer.from(value).toString();
    }
    await value;
  }
}

async function askRange(view: ReadView, { from, to, direction, limit }: Scanned): Promise<string> {
  const range = { from: Buffer.from(from), to: to === undefined ? undefined : Buffer.from(to) };
  const cursor = view.scan(range, direction);
  const seen: string[] = [];
  while (seen.length < limit) {
    const next = cursor.next();
    if (next instanceof Promise) await next;
    else if (!next) break;
    else {
      const key = Buffer.from(cursor.key.subarray(cursor.keyFrom, cursor.keyTo)).toString();
      const value = Buffer.from(cursor.value.subarray(cursor.valueFrom, cursor.valueTo));
      seen.push(`${key}=${value.toString()}`);
    }
  }
  cursor.close();
  return seen.join();
}

function show(question: Question): string {
  return JSON.stringify(question);
}
