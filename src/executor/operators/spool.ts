/** Materializes its input once for the whole statement, and returns in each run the rows of one key. */

import type { Pending } from '#base';
import type { SpoolPlan } from '#planner';
import { type Batch, DenseBatch } from '../batch/batch.ts';
import type { ChunkedColumn } from '../batch/chunked-column.ts';
import { gatherStoredRows } from '../batch/gather-rows.ts';
import { batchRowsMax, denseSelection, type Vector } from '../batch/vector.ts';
import { compileAll } from '../kernels/compile.ts';
import { evaluateBatch, type Kernel } from '../kernels/kernel.ts';
import type { MemoryReservation } from '../memory.ts';
import type { OperatorProfile } from '../operator-profile.ts';
import { withSmallBatches } from './batch-splitter.ts';
import { HashTable } from './join/hash-table.ts';
import type { Operator, QueryRun } from './operator.ts';

/** Value of `at` before the first row of a run has been requested. */
const unasked = -2;

export class Spool implements Operator {
  readonly site: OperatorProfile;
  private readonly run: QueryRun;
  private readonly input: Operator;
  private readonly keys: readonly Kernel[];
  private readonly probe: readonly Kernel[];
  private readonly reservation: MemoryReservation;
  private readonly table: HashTable;
  private readonly out: DenseBatch;
  private readonly found = new Int32Array(1);
  private readonly rows = new Int32Array(batchRowsMax);
  private state: 'new' | 'filling' | 'filled' = 'new';
  private at = unasked;

  constructor(plan: SpoolPlan, input: Operator, run: QueryRun, site: OperatorProfile) {
    this.site = site;
    this.run = run;
    this.input = withSmallBatches(input, plan.input, plan.keys, run);
    this.keys = compileAll(plan.keys, run.frame);
    this.probe = compileAll(plan.probe, run.frame);
    this.reservation = run.memory.reservation(site);
    this.table = new HashTable(
      plan.output.map((column) => column.type),
      plan.keys.map((key) => key.type),
    );
    this.out = new DenseBatch(plan.output.length);
  }

  open(): void {
    this.at = unasked;
  }

  next(wanted: number): Batch | undefined | Pending {
    this.site.calls++;
    const wait = (this.state === 'filled' ? undefined : this.fill()) ?? this.run.budget.pause(8);
    if (wait !== undefined) return wait;
    if (this.at === unasked) this.at = this.find();
    const count = this.collect(Math.min(wanted, batchRowsMax));
    if (count === 0) return undefined;
    const { out } = this;
    for (let c = 0; c < out.columns.length; c++) {
      const from = this.table.rows.columns[c] as ChunkedColumn;
      gatherStoredRows(from, this.rows, denseSelection, count, out.columns[c] as Vector);
    }
    out.count = count;
    this.site.rowsOut += count;
    return out;
  }

  close(): void {
    if (this.state === 'filling') this.input.close();
  }

  private fill(): Pending | undefined {
    if (this.state === 'new') this.input.open();
    this.state = 'filling';
    for (;;) {
      const batch = this.input.next(batchRowsMax);
      if (batch instanceof Promise) return batch;
      if (batch === undefined) break;
      this.run.current = this.site;
      this.table.add(
        batch,
        this.keys.map((key) => evaluateBatch(key, batch)),
      );
      this.reservation.resize(this.table.bytes);
    }
    this.input.close();
    this.state = 'filled';
    return undefined;
  }

  /** Returns the first row of this run's key, or -1. */
  private find(): number {
    this.run.current = this.site;
    const one: Batch = { columns: [], selection: denseSelection, count: 1 };
    const keys = this.probe.map((key) => evaluateBatch(key, one));
    this.table.find(keys, one, this.found);
    return this.found[0] as number;
  }

  private collect(wanted: number): number {
    let count = 0;
    for (; count < wanted && this.at >= 0; count++) {
      this.rows[count] = this.at;
      this.at = this.table.after(this.at);
    }
    return count;
  }
}
