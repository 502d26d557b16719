/**
 * Rows in the order of their keys, for rows that exceed the share of an operator. The first key of each stretch of rows is in memory, so that
 * finding a key reads one stretch, and further ones as long as they continue the key.
 */

import { firstIndex, type Pending } from '#base';
import type { SpoolPlan } from '#planner';
import { type Datum, type ScalarType, valueComparatorOf } from '#value';
import type { Batch } from '../../batch/batch.ts';
import { type ChunkedColumn, valueAt } from '../../batch/chunked-column.ts';
import { RowStore } from '../../batch/row-store.ts';
import { batchRowsMax, denseSelection, type Vector } from '../../batch/vector.ts';
import { compileAll } from '../../kernels/compile.ts';
import { evaluateBatch, type Kernel } from '../../kernels/kernel.ts';
import type { MemoryReservation } from '../../memory.ts';
import { OperatorProfile } from '../../operator-profile.ts';
import type { RowList, RowReader } from '../../spill/row-list.ts';
import type { Operator, QueryRun } from '../operator.ts';
import { Sort } from '../sort/sort.ts';
import { statementList } from '../statement-list.ts';

type Compare = (left: Datum, right: Datum) => number;

const one = denseSelection.subarray(0, 1);

/** A batch of rows with their keys. */
interface Keyed {
  readonly batch: Batch;
  readonly keys: readonly Vector[];
}

export class SortedRows {
  private readonly run: QueryRun;
  private readonly site: OperatorProfile;
  private readonly sort: Sort;
  private readonly keys: readonly Kernel[];
  private readonly compares: readonly Compare[];
  private readonly reservation: MemoryReservation;
  private readonly rows: RowList;
  /** The first key of each stretch. */
  private readonly firsts: RowStore;
  /** Position of the first row of each stretch. */
  private readonly starts: number[] = [];
  private readonly pause = (rows: number) => this.run.budget.pause(rows);
  /** The key of the current run, or undefined after the last row with it. */
  private sought: readonly Datum[] | undefined;
  private reader: RowReader | undefined;
  /** The stretch that was read last, with its number: consecutive runs often have near keys. */
  private last:
    | { readonly number: number; readonly keyed: Keyed; readonly end: number }
    | undefined;
  private number = 0;

  /** `input` is open. */
  constructor(plan: SpoolPlan, input: Operator, run: QueryRun) {
    this.run = run;
    this.site = new OperatorProfile('spool', plan.id);
    this.keys = compileAll(plan.keys, run.frame);
    const types = plan.keys.map((key) => key.type.kind as ScalarType);
    this.compares = types.map((type) => valueComparatorOf(type) as Compare);
    const terms = plan.keys.map((expression, k) => {
      return { expression, type: types[k] as ScalarType, descending: false };
    });
    const { id, output, estimatedRows } = plan;
    this.sort = new Sort(
      { kind: 'sort', id, output, estimatedRows, input: plan.input, terms, limit: undefined },
      input,
      run,
      this.site,
    );
    this.reservation = run.memory.reservation(this.site);
    this.rows = statementList(
      output.map((column) => column.type),
      run,
      this.site,
    );
    this.firsts = new RowStore(plan.keys.map((key) => key.type));
    this.sort.open();
  }

  /** Sorts the rows. After a wait, call it again. */
  fill(): Pending | undefined {
    for (;;) {
      const wait = this.rows.settle(this.pause);
      if (wait !== undefined) return wait;
      const batch = this.sort.next(batchRowsMax);
      if (batch instanceof Promise) return batch;
      if (batch === undefined) break;
      const { keys } = this.keyed(batch);
      this.firsts.append({ columns: keys, selection: one, count: 1 });
      this.starts.push(this.rows.length);
      this.reservation.resize(this.firsts.bytes + this.starts.length * 8);
      this.rows.append(batch);
    }
    const wait = this.rows.flush();
    if (wait === undefined) this.sort.close();
    return wait;
  }

  /** Starts a run: `next` returns the rows with the key. A key with NULL has none. */
  find(key: readonly Datum[]): void {
    const first = this.starts.length;
    this.sought = key.includes(null) || first === 0 ? undefined : key;
    if (this.sought === undefined) return;
    // A stretch before the first one that begins with the key may end with it.
    const at = firstIndex(0, first, (i) => this.order(this.firsts.columns, i, key) >= 0);
    this.number = Math.max(0, at - 1);
    this.reader = undefined;
  }

  /** Returns the next rows of the run; undefined at the end. */
  next(): Batch | undefined {
    while (this.sought !== undefined) {
      const key = this.sought;
      const keyed = this.read();
      if (keyed === undefined) break;
      const { batch, keys } = keyed;
      const columns = keys.map((column) => [column]) as unknown as ChunkedColumn[];
      const from = firstIndex(0, batch.count, (i) => this.order(columns, i, key) >= 0);
      const to = firstIndex(from, batch.count, (i) => this.order(columns, i, key) > 0);
      if (to < batch.count) this.sought = undefined;
      if (from < to)
        return { ...batch, selection: denseSelection.subarray(from, to), count: to - from };
    }
    this.sought = undefined;
    return undefined;
  }

  /** Returns the next rows to search. */
  private read(): Keyed | undefined {
    const { last, reader } = this;
    if (reader === undefined && last?.number === this.number) {
      this.reader = this.rows.reader(last.end);
      return last.keyed;
    }
    const from = this.reader ?? this.rows.reader(this.starts[this.number]);
    this.reader = from;
    const batch = from.read(batchRowsMax);
    if (batch === undefined) return undefined;
    const keyed = this.keyed(batch);
    if (reader !== undefined) return keyed;
    // The next evaluation overwrites the keys.
    const keys = keyed.keys.map((column) => column.slice(0, batch.count));
    this.last = { number: this.number, keyed: { batch, keys }, end: from.at };
    return keyed;
  }

  private keyed(batch: Batch): Keyed {
    this.run.current = this.site;
    return { batch, keys: this.keys.map((key) => evaluateBatch(key, batch)) };
  }

  /** Compares the key of a row with `key`. NULL sorts first. */
  private order(columns: readonly ChunkedColumn[], row: number, key: readonly Datum[]): number {
    for (let k = 0; k < key.length; k++) {
      const value = valueAt(columns[k] as ChunkedColumn, row) as Datum;
      if (value === null) return -1;
      const order = (this.compares[k] as Compare)(value, key[k] as Datum);
      if (order !== 0) return order;
    }
    return 0;
  }
}
