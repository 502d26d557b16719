/** The rows of a spool without a key. */

import type { Pending } from '#base';
import type { SpoolPlan } from '#planner';
import type { Batch } from '../../batch/batch.ts';
import { batchRowsMax } from '../../batch/vector.ts';
import type { OperatorProfile } from '../../operator-profile.ts';
import type { RowList, RowReader } from '../../spill/row-list.ts';
import type { Operator, QueryRun } from '../operator.ts';
import { statementList } from '../statement-list.ts';
import type { SpoolContents } from './contents.ts';

export class AllRows implements SpoolContents {
  private readonly run: QueryRun;
  private readonly input: Operator;
  private readonly site: OperatorProfile;
  private readonly rows: RowList;
  private readonly pause = (rows: number) => this.run.budget.pause(rows);
  private reader: RowReader | undefined;

  /** `input` must be open before `fill`. */
  constructor(plan: SpoolPlan, input: Operator, run: QueryRun, site: OperatorProfile) {
    this.run = run;
    this.input = input;
    this.site = site;
    const types = plan.output.map((column) => column.type);
    this.rows = statementList(types, run, site);
  }

  get work(): number {
    return this.rows.isSpilled ? batchRowsMax : 8;
  }

  fill(): Pending | undefined {
    for (;;) {
      const wait = this.rows.settle(this.pause);
      if (wait !== undefined) return wait;
      const batch = this.input.next(batchRowsMax);
      if (batch instanceof Promise) return batch;
      if (batch === undefined) return this.rows.flush();
      this.run.current = this.site;
      this.rows.append(batch);
    }
  }

  restart(): void {
    this.reader = this.rows.reader();
  }

  next(wanted: number): Batch | undefined {
    return this.reader?.read(wanted);
  }
}
