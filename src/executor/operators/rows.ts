/** Returns the rows of a `rows` node, which are part of the program. */

import type { Pending } from '#base';
import type { RowsPlan } from '#planner';
import type { Datum, Row } from '#value';
import { type Batch, DenseBatch } from '../batch/batch.ts';
import { windowEnd } from '../batch/row-store.ts';
import type { Vector } from '../batch/vector.ts';
import type { OperatorProfile } from '../operator-profile.ts';
import type { Operator, QueryRun } from './operator.ts';

export class Rows implements Operator {
  readonly isRepeatable = true;
  readonly site: OperatorProfile;
  private readonly run: QueryRun;
  private readonly rows: readonly Row[];
  private readonly out: DenseBatch;
  private at = 0;

  constructor(plan: RowsPlan, run: QueryRun, site: OperatorProfile) {
    this.site = site;
    this.run = run;
    this.rows = run.frame.parameters[plan.parameter] as readonly Row[];
    this.out = new DenseBatch(plan.output.length);
  }

  open(): void {
    this.at = 0;
  }

  next(wanted: number): Batch | undefined | Pending {
    this.site.calls++;
    const from = this.at;
    const to = windowEnd(from, this.rows.length, wanted);
    if (from === to) return undefined;
    const wait = this.run.budget.pause(to - from);
    if (wait !== undefined) return wait;
    const { columns } = this.out;
    for (let c = 0; c < columns.length; c++) {
      const column = columns[c] as Vector;
      for (let i = from; i < to; i++) column[i - from] = (this.rows[i] as Row)[c] as Datum;
    }
    this.at = to;
    this.out.count = to - from;
    this.site.rowsOut += to - from;
    return this.out;
  }

  close(): void {}
}
