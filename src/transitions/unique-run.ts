/**
 * Runs of a unique index: determines the entries that may be added together, and the rows that have to be added one by one, because another row
 * has or had the same tuple while the run was built.
 */

import { afterKey, compareRanges, equalBytes, type Pending } from '#base';
import type { EntryBuffer } from '#executor';
import {
  type EntryCursor,
  type Ingestion,
  type KeyRange,
  type ReadView,
  readValue,
} from '#storage';
import type { TransitionHost } from './host.ts';
import { enterAgain } from './index-chunk.ts';
import { untilWon } from './race.ts';
import { pacedSteps, sortingAt } from './sorting.ts';
import { inTransaction, type StepOutcome } from './step.ts';
import type { WorkerThrottle } from './worker-throttle.ts';

/** Number of rows that are added in one transaction. */
const rowsAtOnce = 256;
/** If the index has this many times as many entries as the run, the entries of the run are looked up one by one. */
const crowdedFactor = 4;
/** Interval at which a wait for other transactions checks whether the run is given up. */
const checkIntervalMs = 20;

interface Sorted {
  readonly run: EntryBuffer;
  readonly order: Uint32Array;
}

interface UniqueRun extends Sorted {
  readonly id: number;
  readonly epoch: number;
  readonly ingestion: Ingestion;
  /** Key range of the index. */
  readonly range: KeyRange;
  readonly pace: WorkerThrottle;
  readonly isWanted: () => boolean;
  /** Whether the run has to be given up. */
  readonly isOver: () => boolean;
}

/** Returns `idle` if the run was given up, and `advanced` if all rows are in the index, with an entry or a claim on one. */
export async function enterUnique(host: TransitionHost, unique: UniqueRun): Promise<StepOutcome> {
  const { run, pace, ingestion, range, isWanted, isOver } = unique;
  const hasEntries = host.store.entriesIn(range) > 0;
  const { added, contested } = await sortOut(ingestion.snapshot, unique, hasEntries, pace);
  const copies = await pacedSteps(run.copyOut(added, sortingAt(pace)));
  if (isOver() || !(await ingestion.add(copies, isWanted))) return 'idle';
  if (!(await isSettled(host, ingestion, isOver))) return 'idle';
  const snapshot = host.store.snapshot();
  try {
    const isCrowded = host.store.entriesIn(range) > crowdedFactor * unique.order.length;
    const all = await alsoContested(snapshot, unique, contested, { pace, isCrowded });
    return await enterContested(host, unique, all);
  } finally {
    snapshot.release();
  }
}

/** Waits for transactions that might not have seen the added entries. Returns false if the run is given up. */
async function isSettled(
  { world }: TransitionHost,
  ingestion: Ingestion,
  isOver: () => boolean,
): Promise<boolean> {
  let isDone = false;
  const settled = ingestion.settled().then(() => {
    isDone = true;
  });
  while (!isDone && !isOver()) {
    const check = new Promise<void>((resolve) => world.scheduler.after(checkIntervalMs, resolve));
    await Promise.race([settled, check]);
  }
  return isDone;
}

async function enterContested(
  host: TransitionHost,
  { id, epoch, run, pace, isOver }: UniqueRun,
  contested: readonly number[],
): Promise<StepOutcome> {
  for (let from = 0; from < contested.length; from += rowsAtOnce) {
    const entries = contested
      .slice(from, from + rowsAtOnce)
      .map((at) => ({ key: run.key(at), value: run.value(at) }));
    const outcome = await untilWon(host, () =>
      inTransaction(host, id, async ({ transaction, table, transition, record }) => {
        if (record.epoch !== epoch || transition.kind !== 'index_build') return 'lost';
        await enterAgain(transaction, table, transition.index, entries);
        return { record };
      }),
    );
    if (outcome !== 'advanced' || isOver()) return outcome === 'advanced' ? 'idle' : outcome;
    await pace.rest();
    pace.started();
  }
  return 'advanced';
}

/** The entries of a run by their numbers: those to add, and those whose tuple another row already has. */
interface SortedOut {
  readonly added: Uint32Array;
  readonly contested: readonly number[];
}

/** `hasEntries` states that the view may contain entries of the index. An entry that it contains already is not added again. */
async function sortOut(
  view: ReadView,
  { run, order }: Sorted,
  hasEntries: boolean,
  pace: WorkerThrottle,
): Promise<SortedOut> {
  const added = new Uint32Array(order.length);
  const contested: number[] = [];
  let count = 0;
  for (let i = 0; i < order.length; i++) {
    const pause = pace.pause();
    if (pause !== undefined) await pause;
    const at = order[i] as number;
    if (run.hasValue(at)) {
      if (i > 0 && run.isRepeated(order[i - 1] as number, at)) {
        contested.push(at);
        continue;
      }
      const found = hasEntries ? view.get(run.key(at)) : undefined;
      const held = found instanceof Promise ? await readValue(view, run.key(at)) : found;
      if (held !== undefined) {
        if (!equalBytes(held, run.value(at))) contested.push(at);
        continue;
      }
    }
    added[count++] = at;
  }
  return { added: added.slice(0, count), contested };
}

/** Returns `known` and the entries that the view does not contain: a writer that did not see them has put or deleted them. */
async function alsoContested(
  view: ReadView,
  { run, order }: Sorted,
  known: readonly number[],
  { pace, isCrowded }: { readonly pace: WorkerThrottle; readonly isCrowded: boolean },
): Promise<readonly number[]> {
  const isKnown = new Set(known);
  const contested = [...known];
  const shown = isCrowded ? new LookedUp(view, run) : new Walked(view, run, order);
  try {
    for (let i = 0; i < order.length; i++) {
      const pause = pace.pause();
      if (pause !== undefined) await pause;
      const at = order[i] as number;
      if (!run.hasValue(at) || isKnown.has(at)) continue;
      const answer = shown.has(at);
      const isThere = typeof answer === 'boolean' ? answer : await answer;
      if (!isThere) contested.push(at);
    }
  } finally {
    shown.close();
  }
  return contested;
}

/** Tests whether a view contains entries of a run, called in key order. */
interface Shown {
  has(at: number): boolean | Promise<boolean>;
  close(): void;
}

/** Tests each entry by a lookup. */
class LookedUp implements Shown {
  private readonly view: ReadView;
  private readonly run: EntryBuffer;

  constructor(view: ReadView, run: EntryBuffer) {
    this.view = view;
    this.run = run;
  }

  has(at: number): boolean | Promise<boolean> {
    const found = this.view.get(this.run.key(at));
    return found instanceof Promise ? this.hasLater(at) : this.is(at, found);
  }

  close(): void {}

  private async hasLater(at: number): Promise<boolean> {
    return this.is(at, await readValue(this.view, this.run.key(at)));
  }

  private is(at: number, held: Uint8Array | undefined): boolean {
    return held !== undefined && equalBytes(held, this.run.value(at));
  }
}

/** Scans from the first key to the last one. This takes a third of the time if few other entries are between them. */
class Walked implements Shown {
  private readonly view: ReadView;
  private readonly run: EntryBuffer;
  private readonly cursor: EntryCursor;
  private isStarted = false;
  private isEnd = false;

  constructor(view: ReadView, run: EntryBuffer, order: Uint32Array) {
    this.view = view;
    this.run = run;
    const [first, last] = [order[0] ?? 0, order.at(-1) ?? 0];
    this.cursor = view.scan({ from: run.key(first), to: afterKey(run.key(last)) }, 'forward');
  }

  has(at: number): boolean | Promise<boolean> {
    for (;;) {
      const difference = this.isStarted ? this.compare(at) : -1;
      if (this.isEnd || difference > 0) return false;
      if (difference === 0) return this.isSame(at);
      this.isStarted = true;
      const step = this.cursor.next();
      if (step instanceof Promise) return this.hasLater(step, at);
      if (!step) this.isEnd = true;
    }
  }

  close(): void {
    this.cursor.close();
  }

  /** Continues after a wait, by calling the cursor again. */
  private async hasLater(wait: Pending, at: number): Promise<boolean> {
    await this.view.until(wait);
    this.isStarted = false;
    return this.has(at);
  }

  /** Compares the key at the cursor with that of the entry. */
  private compare(at: number): number {
    const { key, keyFrom, keyTo } = this.cursor;
    const { run } = this;
    return compareRanges(key, keyFrom, keyTo, run.bytesOf(at), run.keyFrom(at), run.keyTo(at));
  }

  private isSame(at: number): boolean {
    const { value, valueFrom, valueTo } = this.cursor;
    const held = this.run.value(at);
    return compareRanges(value, valueFrom, valueTo, held, 0, held.length) === 0;
  }
}
