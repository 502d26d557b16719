/**
 * Prefetches the inner rows for a window of outer rows: the keys are read in order, each once. If the plan allows it, one run of the inner plan
 * computes the values of the whole window, and the position of a row in its batch determines the outer row. Otherwise a separate run for each
 * outer row begins with its prefetched rows.
 */

import { invariant, type Pending } from '#base';
import { type AppliedPlan, expressionsOf, type RelationPlan } from '#planner';
import type { IdentityKey } from '#value';
import type { Batch } from '../../batch/batch.ts';
import { batchRowsMax, denseSelection } from '../../batch/vector.ts';
import { sizeOf, termsOfRow } from '../expression-size.ts';
import type { Operator, QueryRun } from '../operator.ts';
import { Slice } from '../slice.ts';
import { KeyedRows, type KeyRun } from './keyed-rows.ts';
import type { Memo } from './memo.ts';
import type { Output } from './output.ts';
import { setRegisters } from './registers.ts';
import { WindowScan } from './window-scan.ts';

interface Surroundings<V> {
  readonly run: QueryRun;
  readonly output: Output<V>;
  readonly memo: Memo<V> | undefined;
  /** Receives each computed value once. */
  readonly keep: (key: IdentityKey, value: V, bytes: number) => void;
}

interface Parts {
  readonly plan: AppliedPlan;
  readonly operator: Operator;
  readonly scan: WindowScan;
  readonly source: KeyedRows;
  /** Number of rows that are read for each key. */
  readonly rows: number;
  readonly isTogether: boolean;
  readonly slice: Slice | undefined;
}

export class Window<V> {
  private readonly parts: Parts;
  private readonly around: Surroundings<V>;
  private readonly rowsMax: number;
  /**
   * The run of each outer row [from, from + runs.length) of the selection. A run is undefined if the value of the row is known, or if too few
   * keys are left to read together.
   */
  private runs: (KeyRun | undefined)[] = [];
  private from = 0;
  private keys: IdentityKey[] = [];
  private known: (V | undefined)[] = [];
  private step: 'idle' | 'reading' | 'running' = 'idle';
  private isOpen = false;
  /** The value of each key, by its number (`values`), and the bytes of that value (`sizes`). */
  private values: (V | undefined)[] = [];
  private sizes: number[] = [];
  /** The number of the key of each inner row, by row position. */
  private readonly numberOf: Uint16Array;
  /** Whether the batch contains all rows of a key, by its number. */
  private whole: boolean[] = [];

  private constructor(parts: Parts, around: Surroundings<V>) {
    this.parts = parts;
    this.around = around;
    this.rowsMax = parts.source.runsMax(parts.rows);
    this.numberOf = new Uint16Array(parts.isTogether ? batchRowsMax : 0);
  }

  /** Creates the window of a plan. Returns `undefined` if each run has to read its own rows, or if rows are so wide that a window has no advantage. */
  static of<V>(plan: AppliedPlan, operator: Operator, around: Surroundings<V>) {
    const { ahead } = plan;
    if (ahead === undefined) return undefined;
    const { windows } = around.run;
    const scan = windows?.get(ahead.scan);
    invariant(scan instanceof WindowScan, 'rows of a window come from its scan');
    const slice = ahead.slice === undefined ? undefined : windows?.get(ahead.slice);
    const isTogether = ahead.together === true && !hasLargeExpressions(plan.plan);
    if (!isTogether && !scan.readsOn) return undefined;
    const made = new Window(
      {
        plan,
        operator,
        scan,
        source: new KeyedRows(scan.plan, around.run, scan.site),
        rows: ahead.rows,
        isTogether,
        slice: slice instanceof Slice ? slice : undefined,
      },
      around,
    );
    return made.rowsMax < 2 ? undefined : made;
  }

  /** Releases all rows and values. */
  forget(): void {
    this.drop();
    this.from = 0;
    this.step = 'idle';
  }

  /** Returns whether `read` has processed the outer row `at`. */
  covers(at: number): boolean {
    return this.step !== 'idle' || at < this.from + this.runs.length;
  }

  /** Prefetches for the outer row `at` and those after it, unless that is done. After a wait, call it again. */
  read(batch: Batch, at: number): Pending | undefined {
    const { source, rows, isTogether } = this.parts;
    if (this.step === 'idle') {
      if (this.covers(at) || !this.look(batch, at)) return undefined;
      this.step = 'reading';
    }
    if (this.step === 'reading') {
      const wait = source.read(rows);
      if (wait !== undefined) return wait;
      this.step = 'running';
    }
    if (isTogether) {
      const wait = this.runTogether();
      if (wait !== undefined) return wait;
    }
    this.step = 'idle';
    return undefined;
  }

  /** Returns the prefetched value of the outer row `at`; `undefined` if the plan has to run for that row. */
  valueOf(at: number): V | undefined {
    return this.known[at - this.from];
  }

  /** Makes the run for the outer row `at`, which begins next, start with its prefetched rows. */
  give(at: number): void {
    const run = this.parts.isTogether ? undefined : this.runs[at - this.from];
    if (run === undefined) {
      this.parts.scan.give(undefined, true);
      return;
    }
    const { columns } = this.parts.source;
    const selection = denseSelection.subarray(run.from, run.to);
    this.parts.scan.give({ columns, selection, count: run.to - run.from }, run.isWhole);
  }

  private drop(): void {
    const { source, scan, slice } = this.parts;
    source.drop();
    scan.give(undefined, true);
    slice?.divide(undefined, 0);
    this.runs = [];
    this.keys = [];
    this.known = [];
    this.values = [];
    this.sizes = [];
    this.whole = [];
    this.isOpen = false;
  }

  /** Chooses the outer rows of the window. Returns false if there are not at least two keys to read together. */
  private look(batch: Batch, at: number): boolean {
    const { plan, source } = this.parts;
    const { run, memo } = this.around;
    this.drop();
    this.from = at;
    const end = Math.min(at + this.rowsMax, batch.count);
    let offered = 0;
    for (let i = at; i < end; i++) {
      setRegisters(plan.registers, batch, batch.selection[i] as number, run.registers);
      const key = memo === undefined ? null : memo.keyOf(run.registers);
      const known = memo?.recall(key);
      this.keys.push(key);
      this.known.push(known);
      if (known === undefined) offered++;
      this.runs.push(known === undefined ? source.offer() : undefined);
    }
    if (offered > 1) return true;
    source.drop();
    this.runs.fill(undefined);
    return false;
  }

  private runTogether(): Pending | undefined {
    const { operator, scan, slice } = this.parts;
    const { output } = this.around;
    if (!this.isOpen) this.open();
    for (;;) {
      const batch = operator.next(batchRowsMax);
      if (batch instanceof Promise) return batch;
      if (batch === undefined) break;
      this.take(batch);
    }
    this.endBefore(this.whole.length);
    operator.close();
    scan.give(undefined, true);
    slice?.divide(undefined, 0);
    this.isOpen = false;
    output.begin();
    const none = output.end();
    for (let i = 0; i < this.runs.length; i++) {
      const run = this.runs[i];
      if (run === undefined) continue;
      this.known[i] = run.range === undefined ? none : this.valueOfKey(run.number, i);
    }
    return undefined;
  }

  private valueOfKey(number: number, i: number): V | undefined {
    const value = this.values[number];
    const size = this.sizes[number] as number;
    if (value === undefined || size < 0) return value;
    this.around.keep(this.keys[i] as IdentityKey, value, size);
    this.sizes[number] = -1;
    return value;
  }

  private open(): void {
    const { operator, scan, source, slice } = this.parts;
    const { output } = this.around;
    const runs = source.inOrder();
    const selection = new Uint32Array(runs.at(-1)?.to ?? 0);
    let count = 0;
    for (let i = 0; i < runs.length; i++) {
      const run = runs[i] as KeyRun;
      if (run.number < this.whole.length) continue;
      this.whole.push(run.isWhole);
      // A list without a slice needs all rows of its key, so that the plan runs separately for it.
      if (!run.isWhole && output.wanted > 1 && slice === undefined) continue;
      for (let at = run.from; at < run.to; at++) {
        this.numberOf[at] = run.number;
        selection[count++] = at;
      }
    }
    slice?.divide(this.numberOf, this.whole.length);
    scan.give({ columns: source.columns, selection, count }, true);
    operator.open();
    output.open();
    output.begin();
    this.isOpen = true;
  }

  /** Adds rows, which arrive in the order of their keys. */
  private take(batch: Batch): void {
    const { selection, count } = batch;
    for (let from = 0; from < count; ) {
      const number = this.numberOf[selection[from] as number] as number;
      let to = from + 1;
      while (to < count && this.numberOf[selection[to] as number] === number) to++;
      this.endBefore(number);
      this.around.output.take(batch, from, to);
      from = to;
    }
  }

  private endBefore(number: number): void {
    const { output } = this.around;
    while (this.values.length < number) {
      const bytes = output.bytes;
      const value = output.end();
      this.values.push(this.isComplete(this.values.length, value) ? value : undefined);
      this.sizes.push(bytes);
      output.begin();
    }
  }

  /** Returns whether the value is final: further rows would not change it. */
  private isComplete(number: number, value: V): boolean {
    if (this.whole[number]) return true;
    const { slice } = this.parts;
    return this.around.output.wanted === 1
      ? value !== null && value !== false
      : slice?.isFull(number) === true;
  }
}

function hasLargeExpressions(plan: RelationPlan): boolean {
  for (let node = plan; node.kind !== 'scan'; node = node.input) {
    if (!('input' in node) || sizeOf(expressionsOf(node)) > termsOfRow) return true;
  }
  return false;
}
