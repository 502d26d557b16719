/** Appends one column per crossing to each input row: crossing by crossing, row by row. */

import type { Pending } from '#base';
import type { AttachPlan } from '#planner';
import type { Batch } from '../../batch/batch.ts';
import type { Vector } from '../../batch/vector.ts';
import type { Site } from '../../site.ts';
import type { Operator, QueryRun } from '../operator.ts';
import { Crossing } from './crossing.ts';

export class Attach implements Operator {
  readonly site: Site;
  private readonly input: Operator;
  private readonly crossings: readonly Crossing[];
  private batch: Batch | undefined;
  private columns: Vector[] = [];
  /** The crossing and the selected row that come next. */
  private crossing = 0;
  private at = 0;

  constructor(plan: AttachPlan, inputs: readonly Operator[], run: QueryRun, site: Site) {
    this.site = site;
    this.input = inputs[0] as Operator;
    const types = plan.input.output.map((column) => column.type);
    this.crossings = plan.crossings.map(
      (crossing, i) => new Crossing(crossing, inputs[i + 1] as Operator, types, run),
    );
  }

  open(): void {
    this.input.open();
    this.batch = undefined;
    for (const crossing of this.crossings) crossing.forget();
  }

  next(wanted: number): Batch | undefined | Pending {
    this.site.calls++;
    if (this.batch === undefined) {
      const batch = this.input.next(wanted);
      if (batch === undefined || batch instanceof Promise) return batch;
      this.start(batch);
    }
    const batch = this.batch as unknown as Batch;
    for (; this.crossing < this.crossings.length; this.crossing++) {
      const wait = this.attach(batch, this.crossings[this.crossing] as Crossing);
      if (wait !== undefined) return wait;
      this.at = 0;
    }
    this.batch = undefined;
    this.site.rowsOut += batch.count;
    return { columns: this.columns, selection: batch.selection, count: batch.count };
  }

  close(): void {
    this.input.close();
    for (const crossing of this.crossings) crossing.close();
  }

  private start(batch: Batch): void {
    this.batch = batch;
    this.columns = [...batch.columns];
    for (const crossing of this.crossings) {
      crossing.startBatch();
      this.columns.push(crossing.values);
    }
    this.crossing = 0;
    this.at = 0;
  }

  private attach(batch: Batch, crossing: Crossing): Pending | undefined {
    for (; this.at < batch.count; this.at++) {
      const wait = crossing.evaluate(batch, this.at);
      if (wait !== undefined) return wait;
    }
    return undefined;
  }
}
