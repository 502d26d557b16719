/** A derived binding: its body is evaluated at most once, at the first request of a reader. */

import type { Pending } from '#base';
import type { BindingPlan } from '#planner';
import { batchRowsMax } from '../../batch/vector.ts';
import type { Pause, RowList } from '../../spill/row-list.ts';
import type { Materialized, Operator, QueryRun } from '../operator.ts';
import { statementList } from '../statement-list.ts';

export class DerivedBinding implements Materialized {
  readonly rows: RowList;
  private readonly body: Operator;
  private readonly pause: Pause;
  private state: 'new' | 'filling' | 'filled' = 'new';

  constructor({ plan }: Extract<BindingPlan, { kind: 'derived' }>, body: Operator, run: QueryRun) {
    const types = plan.output.map((column) => column.type);
    this.rows = statementList(types, run, body.site);
    this.body = body;
    this.pause = (work) => run.budget.pause(work);
  }

  fill(): Pending | undefined {
    if (this.state === 'filled') return undefined;
    if (this.state === 'new') this.body.open();
    this.state = 'filling';
    for (;;) {
      const wait = this.rows.settle(this.pause);
      if (wait !== undefined) return wait;
      const batch = this.body.next(batchRowsMax);
      if (batch instanceof Promise) return batch;
      if (batch === undefined) break;
      this.rows.append(batch);
    }
    const wait = this.rows.flush();
    if (wait !== undefined) return wait;
    this.state = 'filled';
    this.body.close();
    return undefined;
  }
}
