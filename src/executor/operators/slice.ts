/** Skips `offset` rows and returns at most `limit`, either of all rows or of each of several runs. With a limit of 0, it never opens its input. */

import type { Pending } from '#base';
import { countAt, type SlicePlan } from '#planner';
import type { Batch } from '../batch/batch.ts';
import { batchRowsMax } from '../batch/vector.ts';
import type { OperatorProfile } from '../operator-profile.ts';
import type { Operator } from './operator.ts';

export class Slice implements Operator {
  readonly site: OperatorProfile;
  private readonly input: Operator;
  /** Number of rows of the input to skip. */
  private readonly offset: number;
  private readonly limit: number;
  private toSkip = 0;
  private toPass = 0;
  /** The run of each row, by row position. Undefined if all rows are one run. */
  private runOf: Uint16Array | undefined;
  /** Number of rows of each run that have arrived. */
  private arrived = new Uint32Array(0);

  constructor(
    plan: SlicePlan,
    input: Operator,
    parameters: readonly unknown[],
    site: OperatorProfile,
  ) {
    this.site = site;
    this.input = input;
    const offset = countAt(plan.offset, parameters);
    this.offset = offset > 0 && input.leaveOut?.(offset) === true ? 0 : offset;
    this.limit = countAt(plan.limit ?? Number.POSITIVE_INFINITY, parameters);
  }

  /** Divides the rows into `runs` runs from the next `open` on; each run is cut separately. With undefined, all rows are one run. */
  divide(runOf: Uint16Array | undefined, runs: number): void {
    this.runOf = runOf;
    this.arrived = new Uint32Array(runs);
  }

  /** Returns whether no further row of a run can be returned. */
  isFull(run: number): boolean {
    return (this.arrived[run] as number) >= this.offset + this.limit;
  }

  open(): void {
    this.toSkip = this.offset;
    this.toPass = this.limit;
    if (this.limit > 0) this.input.open();
  }

  next(wanted: number): Batch | undefined | Pending {
    this.site.calls++;
    if (this.runOf !== undefined) return this.nextOfRuns(this.runOf);
    while (this.toPass > 0) {
      const useful = this.toSkip + Math.min(this.toPass, wanted);
      const batch = this.input.next(Math.min(useful, batchRowsMax));
      if (batch === undefined || batch instanceof Promise) return batch;
      if (batch.count <= this.toSkip) {
        this.toSkip -= batch.count;
      } else {
        return this.pass(batch);
      }
    }
    return undefined;
  }

  close(): void {
    this.input.close();
  }

  private nextOfRuns(runOf: Uint16Array): Batch | undefined | Pending {
    const { offset, arrived } = this;
    const end = offset + this.limit;
    for (;;) {
      const batch = this.limit === 0 ? undefined : this.input.next(batchRowsMax);
      if (batch === undefined || batch instanceof Promise) return batch;
      const selection = new Uint32Array(batch.count);
      let count = 0;
      for (let i = 0; i < batch.count; i++) {
        const row = batch.selection[i] as number;
        const run = runOf[row] as number;
        const before = arrived[run] as number;
        arrived[run] = before + 1;
        if (before >= offset && before < end) selection[count++] = row;
      }
      if (count === 0) continue;
      this.site.rowsOut += count;
      return { columns: batch.columns, selection, count, sources: batch.sources };
    }
  }

  private pass(batch: Batch): Batch {
    const from = this.toSkip;
    const to = Math.min(batch.count, from + this.toPass);
    this.toSkip = 0;
    this.toPass -= to - from;
    this.site.rowsOut += to - from;
    return {
      columns: batch.columns,
      selection: from === 0 ? batch.selection : batch.selection.slice(from, to),
      count: to - from,
      sources: batch.sources,
    };
  }
}
