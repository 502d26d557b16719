/** The rows of a spool with a key: in a hash table, or sorted by their keys on the local disk if the table exceeds the share of an operator. */

import type { Pending } from '#base';
import type { SpoolPlan } from '#planner';
import { type Batch, DenseBatch } from '../../batch/batch.ts';
import type { ChunkedColumn } from '../../batch/chunked-column.ts';
import { gatherStoredRows } from '../../batch/gather-rows.ts';
import type { RowStore } from '../../batch/row-store.ts';
import { batchRowsMax, denseSelection, type Vector } from '../../batch/vector.ts';
import { compileAll } from '../../kernels/compile.ts';
import { evaluateBatch, type Kernel } from '../../kernels/kernel.ts';
import type { MemoryReservation } from '../../memory.ts';
import type { OperatorProfile } from '../../operator-profile.ts';
import { HashTable } from '../join/hash-table.ts';
import type { Operator, QueryRun } from '../operator.ts';
import type { SpoolContents } from './contents.ts';
import { SortedRows } from './sorted-rows.ts';
import { StoredFirst } from './stored-first.ts';

/** The hash table may take this many shares of an operator: a read of a spilled key takes about a hundred times as long. */
const partOfShare = 2;

export class RowsByKey implements SpoolContents {
  private readonly plan: SpoolPlan;
  private readonly run: QueryRun;
  private readonly input: Operator;
  private readonly site: OperatorProfile;
  private readonly keys: readonly Kernel[];
  private readonly probe: readonly Kernel[];
  private readonly reservation: MemoryReservation;
  private readonly out: DenseBatch;
  private readonly found = new Int32Array(1);
  private readonly rows = new Int32Array(batchRowsMax);
  /** All rows; undefined once they are sorted. */
  private table: HashTable | undefined;
  private sorted: SortedRows | undefined;
  /** The next row of the run, or -1. */
  private at = -1;

  /** `input` must be open before `fill`. */
  constructor(plan: SpoolPlan, input: Operator, run: QueryRun, site: OperatorProfile) {
    this.plan = plan;
    this.run = run;
    this.input = input;
    this.site = site;
    this.keys = compileAll(plan.keys, run.frame);
    this.probe = compileAll(plan.probe, run.frame);
    this.reservation = run.memory.reservation(site);
    this.table = new HashTable(
      plan.output.map((column) => column.type),
      plan.keys.map((key) => key.type),
    );
    this.out = new DenseBatch(plan.output.length);
  }

  get work(): number {
    return this.sorted === undefined ? 8 : batchRowsMax;
  }

  fill(): Pending | undefined {
    if (this.sorted === undefined && this.table !== undefined) {
      const wait = this.fillTable(this.table);
      if (wait !== undefined || this.sorted === undefined) return wait;
    }
    return this.sorted?.fill();
  }

  restart(): void {
    const one: Batch = { columns: [], selection: denseSelection, count: 1 };
    const keys = this.probe.map((key) => evaluateBatch(key, one));
    if (this.sorted !== undefined) {
      this.sorted.find(keys.map((key) => key[0] ?? null));
      return;
    }
    (this.table as HashTable).find(keys, one, this.found);
    this.at = this.found[0] as number;
  }

  next(wanted: number): Batch | undefined {
    return this.table === undefined ? this.sorted?.next() : this.nextOf(this.table, wanted);
  }

  /** Ends at the end of the input, or once the rows have to be sorted. */
  private fillTable(table: HashTable): Pending | undefined {
    for (;;) {
      const batch = this.input.next(batchRowsMax);
      if (batch === undefined || batch instanceof Promise) return batch;
      this.run.current = this.site;
      table.add(
        batch,
        this.keys.map((key) => evaluateBatch(key, batch)),
      );
      if (!this.reservation.fits(table.bytes, partOfShare)) {
        this.sortRows(table.rows);
        return undefined;
      }
    }
  }

  /** Releases the hash table at once, and the rows piece by piece during the sort. */
  private sortRows(rows: RowStore): void {
    this.table = undefined;
    this.reservation.resize(rows.bytes);
    const all = new StoredFirst(rows, this.input, (bytes) => this.reservation.resize(bytes));
    this.sorted = new SortedRows(this.plan, all, this.run);
  }

  private nextOf(table: HashTable, wanted: number): Batch | undefined {
    const { out, rows } = this;
    let count = 0;
    for (; count < wanted && this.at >= 0; count++) {
      rows[count] = this.at;
      this.at = table.after(this.at);
    }
    if (count === 0) return undefined;
    for (let c = 0; c < out.columns.length; c++) {
      const from = table.rows.columns[c] as ChunkedColumn;
      gatherStoredRows(from, rows, denseSelection, count, out.columns[c] as Vector);
    }
    out.count = count;
    return out;
  }
}
