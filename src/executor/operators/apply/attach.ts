/** Appends one column per crossing (a correlated subquery) to each outer row: crossing by crossing, row by row. */

import type { Pending } from '#base';
import type { ApplyPlan } from '#planner';
import type { Datum } from '#value';
import type { Batch } from '../../batch/batch.ts';
import type { Datums, Vector } from '../../batch/vector.ts';
import type { OperatorProfile } from '../../operator-profile.ts';
import type { Operator, QueryRun } from '../operator.ts';
import { Apply } from './apply.ts';
import { crossingOutput } from './output.ts';

interface Crossing {
  readonly apply: Apply<Datum>;
  /** Values by row position. */
  readonly values: Datums;
}

export class Attach implements Operator {
  readonly site: OperatorProfile;
  private readonly input: Operator;
  private readonly crossings: readonly Crossing[];
  private batch: Batch | undefined;
  private columns: Vector[] = [];
  /** The next crossing and the next selected row. */
  private crossing = 0;
  private at = 0;

  constructor(plan: ApplyPlan, inputs: readonly Operator[], run: QueryRun, site: OperatorProfile) {
    this.site = site;
    this.input = inputs[0] as Operator;
    const outerTypes = plan.input.output.map((column) => column.type);
    this.crossings = plan.crossings.map((crossing, i) => {
      const inner = { operator: inputs[i + 1] as Operator, outerTypes, run };
      return { apply: new Apply(crossing, inner, crossingOutput(crossing)), values: [] };
    });
  }

  open(): void {
    this.input.open();
    this.batch = undefined;
    for (const { apply } of this.crossings) apply.forget();
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
    for (const { apply } of this.crossings) apply.close();
  }

  private start(batch: Batch): void {
    this.batch = batch;
    this.columns = [...batch.columns];
    for (const { apply, values } of this.crossings) {
      apply.startBatch();
      this.columns.push(values);
    }
    this.crossing = 0;
    this.at = 0;
  }

  private attach(batch: Batch, { apply, values }: Crossing): Pending | undefined {
    for (; this.at < batch.count; this.at++) {
      const wait = apply.evaluate(batch, this.at);
      if (wait !== undefined) return wait;
      values[batch.selection[this.at] as number] = apply.value as Datum;
    }
    return undefined;
  }
}
