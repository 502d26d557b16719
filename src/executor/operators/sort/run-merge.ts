/** Merges sorted runs on the disk into one order. Among equal rows, those of an earlier run come first. */

import { type Datum, valueComparatorOf } from '#value';
import type { Batch } from '../../batch/batch.ts';
import { type Datums, denseSelection, type Vector } from '../../batch/vector.ts';
import type { SpilledReader } from '../../spill/spilled-rows.ts';
import type { OrderTerm } from './row-order.ts';

/** A run with its current batch, and the position of its next row. */
interface Head {
  readonly reader: SpilledReader;
  /** Position of the run among all runs. */
  readonly number: number;
  batch: Batch;
  at: number;
}

type TermOrder = (left: Datum, right: Datum) => number;

export class RunMerge {
  /** A heap; the run with the next row is first. */
  private readonly heads: Head[] = [];
  private readonly orders: readonly TermOrder[];
  private readonly keysFrom: number;

  /**
   * The keys are the last columns, from `keysFrom` on, one for each term. The runs must be finished, and be in the order of arrival of their
   * rows.
   */
  constructor(runs: readonly SpilledReader[], terms: readonly OrderTerm[], keysFrom: number) {
    this.orders = terms.map(termOrder);
    this.keysFrom = keysFrom;
    runs.forEach((reader, number) => {
      const batch = reader.read();
      if (batch !== undefined) this.heads.push({ reader, number, batch, at: 0 });
    });
    for (let i = (this.heads.length >>> 1) - 1; i >= 0; i--) this.sink(i);
  }

  /** Returns the next rows, at most `count`, with their keys; undefined at the end. */
  next(count: number): Batch | undefined {
    const first = this.heads[0];
    if (first === undefined) return undefined;
    const columns: Datums[] = first.batch.columns.map(() => []);
    let taken = 0;
    for (; taken < count; taken++) {
      const head = this.heads[0];
      if (head === undefined) break;
      for (let c = 0; c < columns.length; c++) {
        (columns[c] as Datums).push((head.batch.columns[c] as Vector)[head.at] as Datum);
      }
      this.advance(head);
    }
    return { columns, selection: denseSelection, count: taken };
  }

  /** Moves `head`, which must be the first one, to its next row. */
  private advance(head: Head): void {
    head.at++;
    if (head.at === head.batch.count) {
      const batch = head.reader.read();
      if (batch === undefined) {
        const last = this.heads.pop() as Head;
        if (last === head) return;
        this.heads[0] = last;
      } else {
        head.batch = batch;
        head.at = 0;
      }
    }
    this.sink(0);
  }

  private sink(from: number): void {
    const { heads } = this;
    const moving = heads[from] as Head;
    let hole = from;
    for (;;) {
      let child = 2 * hole + 1;
      if (child >= heads.length) break;
      if (
        child + 1 < heads.length &&
        this.precedes(heads[child + 1] as Head, heads[child] as Head)
      ) {
        child++;
      }
      if (!this.precedes(heads[child] as Head, moving)) break;
      heads[hole] = heads[child] as Head;
      hole = child;
    }
    heads[hole] = moving;
  }

  private precedes(left: Head, right: Head): boolean {
    for (let t = 0; t < this.orders.length; t++) {
      const column = this.keysFrom + t;
      const a = (left.batch.columns[column] as Vector)[left.at] as Datum;
      const b = (right.batch.columns[column] as Vector)[right.at] as Datum;
      const order = (this.orders[t] as TermOrder)(a, b);
      if (order !== 0) return order < 0;
    }
    return left.number < right.number;
  }
}

function termOrder({ type, descending }: OrderTerm): TermOrder {
  const compare = valueComparatorOf(type) as TermOrder;
  const sign = descending ? -1 : 1;
  return (left, right) => {
    if (left === null || right === null) {
      return (Number(right === null) - Number(left === null)) * sign;
    }
    return compare(left, right) * sign;
  };
}
