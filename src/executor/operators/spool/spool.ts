/**
 * Materializes its input once for the whole statement, and returns in each run the rows of one key, or all rows if it has no key. Rows that
 * exceed the share of an operator are on the local disk.
 */

import type { Pending } from '#base';
import type { SpoolPlan } from '#planner';
import type { Batch } from '../../batch/batch.ts';
import { batchRowsMax } from '../../batch/vector.ts';
import type { OperatorProfile } from '../../operator-profile.ts';
import { withSmallBatches } from '../batch-splitter.ts';
import type { Operator, QueryRun } from '../operator.ts';
import { AllRows } from './all-rows.ts';
import type { SpoolContents } from './contents.ts';
import { RowsByKey } from './rows-by-key.ts';

export class Spool implements Operator {
  readonly site: OperatorProfile;
  private readonly run: QueryRun;
  private readonly input: Operator;
  private readonly contents: SpoolContents;
  private state: 'new' | 'filling' | 'filled' = 'new';
  private isStarted = false;

  constructor(plan: SpoolPlan, input: Operator, run: QueryRun, site: OperatorProfile) {
    this.site = site;
    this.run = run;
    this.input = withSmallBatches(input, plan.input, plan.keys, run);
    this.contents =
      plan.keys.length === 0
        ? new AllRows(plan, this.input, run, site)
        : new RowsByKey(plan, this.input, run, site);
  }

  open(): void {
    this.isStarted = false;
  }

  next(wanted: number): Batch | undefined | Pending {
    this.site.calls++;
    const fill = this.state === 'filled' ? undefined : this.fill();
    const wait = fill ?? this.run.budget.pause(this.contents.work);
    if (wait !== undefined) return wait;
    if (!this.isStarted) {
      this.run.current = this.site;
      this.contents.restart();
      this.isStarted = true;
    }
    const batch = this.contents.next(Math.min(wanted, batchRowsMax));
    if (batch !== undefined) this.site.rowsOut += batch.count;
    return batch;
  }

  close(): void {
    if (this.state === 'filling') this.input.close();
  }

  private fill(): Pending | undefined {
    if (this.state === 'new') this.input.open();
    this.state = 'filling';
    const wait = this.contents.fill();
    if (wait !== undefined) return wait;
    this.input.close();
    this.state = 'filled';
    return undefined;
  }
}
