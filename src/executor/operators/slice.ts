/** Skips `offset` rows and passes at most `limit`; a limit of 0 never touches its input. */

import type { Pending } from '#base';
import type { SlicePlan } from '#planner';
import type { Batch } from '../batch/batch.ts';
import { batchRowsMax } from '../batch/vector.ts';
import type { Site } from '../site.ts';
import type { Operator } from './operator.ts';

export class Slice implements Operator {
  readonly site: Site;
  private readonly input: Operator;
  private readonly offset: number;
  private readonly limit: number;
  private toSkip = 0;
  private toPass = 0;

  constructor(plan: SlicePlan, input: Operator, site: Site) {
    this.site = site;
    this.input = input;
    this.offset = plan.offset;
    this.limit = plan.limit ?? Number.POSITIVE_INFINITY;
  }

  open(): void {
    this.toSkip = this.offset;
    this.toPass = this.limit;
    if (this.limit > 0) this.input.open();
  }

  next(wanted: number): Batch | undefined | Pending {
    this.site.calls++;
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
