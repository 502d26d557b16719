/** The first row of each identity class, as rows arrive. */

import type { Pending } from '#base';
import type { DistinctPlan } from '#planner';
import type { DatumType } from '#value';
import type { Batch } from '../batch/batch.ts';
import { KeyTable } from '../batch/key-table.ts';
import { batchRowsMax, Scratch } from '../batch/vector.ts';
import type { Holding } from '../memory.ts';
import type { Site } from '../site.ts';
import type { Operator, QueryRun } from './operator.ts';

export class Distinct implements Operator {
  readonly site: Site;
  private readonly input: Operator;
  private readonly types: readonly DatumType[];
  private readonly holding: Holding;
  private readonly scratch = new Scratch();
  private readonly numbers = new Int32Array(batchRowsMax);
  private seen: KeyTable;

  constructor(plan: DistinctPlan, input: Operator, run: QueryRun, site: Site) {
    this.site = site;
    this.input = input;
    this.types = plan.output.map((column) => column.type);
    this.holding = run.memory.holding(site);
    this.seen = new KeyTable(this.types, true);
  }

  open(): void {
    this.input.open();
    this.forget();
  }

  next(_wanted: number): Batch | undefined | Pending {
    this.site.calls++;
    for (;;) {
      const batch = this.input.next(batchRowsMax);
      if (batch === undefined || batch instanceof Promise) return batch;
      const selection = this.scratch.take(batch.count);
      const count = selectNew(this.seen, batch, this.numbers, selection);
      this.holding.resize(this.seen.bytes);
      if (count === 0) continue;
      this.site.rowsOut += count;
      return { columns: batch.columns, selection, count, sources: batch.sources };
    }
  }

  close(): void {
    this.input.close();
    this.forget();
  }

  private forget(): void {
    if (this.seen.size === 0) return;
    this.seen = new KeyTable(this.types, true);
    this.holding.resize(0);
  }
}

/** Adds the rows of `batch` to `seen`; writes to `out` those that were not in it, and returns how many. */
export function selectNew(
  seen: KeyTable,
  batch: Batch,
  numbers: Int32Array,
  out: Uint32Array,
): number {
  let known = seen.size;
  seen.insert(batch.columns, batch.selection, batch.count, numbers, batch.sources);
  let kept = 0;
  for (let i = 0; i < batch.count; i++) {
    const row = batch.selection[i] as number;
    if ((numbers[row] as number) < known) continue;
    known++;
    out[kept++] = row;
  }
  return kept;
}
