/** The rows that may be in the result of a sort, with their keys. */

import type { Pending } from '#base';
import type { SortPlan } from '#planner';
import type { Datum } from '#value';
import { Appending } from '../../batch/appending.ts';
import type { Batch } from '../../batch/batch.ts';
import { type ChunkedColumn, valueAt } from '../../batch/chunked-column.ts';
import { RowStore } from '../../batch/row-store.ts';
import type { Datums, Scratch, Vector } from '../../batch/vector.ts';
import { MergeSort } from './merge-sort.ts';
import { type RowComparator, rowComparator } from './row-order.ts';

export class Candidates {
  readonly rows: RowStore;
  private readonly keys: RowStore;
  private readonly plan: SortPlan;
  private readonly presorted: SortPlan['terms'];
  /**
   * Position in `keys` of the last possible row of the result: only rows that sort before it are accepted. The position is -1 while all rows may
   * be in the result.
   */
  private bar = -1;
  private cutting: MergeSort | undefined;
  /** Batches that are being appended: rows, then their keys. */
  private adding: Appending[] = [];

  constructor(plan: SortPlan) {
    this.plan = plan;
    this.presorted = plan.terms.slice(0, plan.presorted ?? 0);
    this.rows = new RowStore(plan.output.map((column) => column.type));
    this.keys = new RowStore(plan.terms.map((term) => ({ kind: term.type })));
  }

  /** Rows whose first key sorts after this value are not in the result; undefined while all rows may be. */
  get firstKeyBar(): Datum | undefined {
    return this.bar < 0 ? undefined : valueAt(this.keys.columns[0] as ChunkedColumn, this.bar);
  }

  get length(): number {
    return this.rows.length;
  }

  /** One column for each term. */
  get keyColumns(): readonly ChunkedColumn[] {
    return this.keys.columns;
  }

  /** Bytes of the rows, of their keys, and of the two lists of row numbers that sorting needs. */
  get bytes(): number {
    return this.rows.bytes + this.keys.bytes + this.length * 8;
  }

  /** Offers a batch and its keys, which `add` appends. The caller must not change them until `add` is done. */
  offer(batch: Batch, keys: readonly Vector[], scratch: Scratch): void {
    const passing = this.bar < 0 ? batch : this.belowBar(batch, keys, scratch);
    if (passing.count === 0) return;
    const keyed = { columns: keys, selection: passing.selection, count: passing.count };
    this.adding = [new Appending(this.rows, passing), new Appending(this.keys, keyed)];
  }

  /**
   * Returns whether the last row of a batch sorts after the last row of the result by the presorted terms alone, for input in the order of these
   * terms. If so, no later row can be in the result. Returns false if fewer than `limit` rows are stored.
   */
  isBehind(limit: number, { selection, count }: Batch, keys: readonly Vector[]): boolean {
    if (this.length < limit) return false;
    const compare = rowComparator(this.presorted, onePiece(keys), this.keys.columns);
    return compare(selection[count - 1] as number, limit - 1) > 0;
  }

  /** Returns the result of `isBehind` for the last row that was added. */
  endsBehind(limit: number): boolean {
    if (this.length <= limit) return false;
    return rowComparator(this.presorted, this.keys.columns)(this.length - 1, limit - 1) > 0;
  }

  /** Appends the batch that was offered last. After a wait, call it again. */
  add(pause: (rows: number) => Pending | undefined): Pending | undefined {
    const { adding } = this;
    for (let next = adding[0]; next !== undefined; next = adding[0]) {
      const wait = next.run(pause);
      if (wait !== undefined) return wait;
      adding.shift();
    }
    return undefined;
  }

  /** Keeps the first `limit` rows of the order; from then on, only rows before the last of them are accepted. After a wait, call it again. */
  cut(limit: number, pause: (rows: number) => Pending | undefined): Pending | undefined {
    this.cutting ??= this.sort();
    const wait = this.cutting.run(pause);
    if (wait !== undefined) return wait;
    this.rows.rearrange(this.cutting.order, limit);
    this.keys.rearrange(this.cutting.order, limit);
    this.bar = limit - 1;
    this.cutting = undefined;
    return undefined;
  }

  /** Returns a sort of the present rows; the caller has to run it. */
  sort(): MergeSort {
    const keyBytes = this.keys.bytes / Math.max(1, this.length);
    return new MergeSort(this.length, this.comparator(), keyBytes);
  }

  private comparator(): RowComparator {
    return rowComparator(this.plan.terms, this.keys.columns);
  }

  private belowBar(batch: Batch, keys: readonly Vector[], scratch: Scratch): Batch {
    const compare = rowComparator(this.plan.terms, onePiece(keys), this.keys.columns);
    const selection = scratch.take(batch.count);
    const near = this.nearBar(batch, keys[0] as Vector, selection);
    let count = 0;
    for (let i = 0; i < near; i++) {
      const row = selection[i] as number;
      if (compare(row, this.bar) < 0) selection[count++] = row;
    }
    return { columns: batch.columns, selection, count };
  }

  /** Writes to `out` the rows that may sort before the bar by their first key alone, if it is a number that is never NULL; else all rows. */
  private nearBar({ selection, count }: Batch, firsts: Vector, out: Uint32Array): number {
    const bar = this.firstKeyBar;
    if (!(firsts instanceof Float64Array) || typeof bar !== 'number') {
      out.set(selection.subarray(0, count));
      return count;
    }
    const sign = this.plan.terms[0]?.descending === true ? -1 : 1;
    const signedBar = bar * sign;
    let near = 0;
    for (let i = 0; i < count; i++) {
      const row = selection[i] as number;
      out[near] = row;
      near = (near + +((firsts[row] as number) * sign <= signedBar)) | 0;
    }
    return near;
  }
}

/** Returns the columns of a batch in the form of a row store. */
function onePiece(keys: readonly Vector[]): ChunkedColumn[] {
  return keys.map((key) => [key as Datums]);
}
