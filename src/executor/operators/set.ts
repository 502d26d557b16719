/** Computes intersect and except: the right side is counted in memory, and the result rows come from the left side. */

import type { Pending } from '#base';
import type { SetPlan } from '#planner';
import type { Batch } from '../batch/batch.ts';
import { KeyTable } from '../batch/key-table.ts';
import { slotBytes } from '../batch/memory-costs.ts';
import { batchRowsMax, Scratch } from '../batch/vector.ts';
import type { MemoryReservation } from '../memory.ts';
import type { OperatorProfile } from '../operator-profile.ts';
import type { Operator, QueryRun } from './operator.ts';

export class SetOperation implements Operator {
  readonly site: OperatorProfile;
  private readonly plan: SetPlan;
  private readonly left: Operator;
  private readonly right: Operator;
  private readonly reservation: MemoryReservation;
  private readonly scratch = new Scratch();
  private readonly numbers = new Int32Array(batchRowsMax);
  private keys: KeyTable;
  /**
   * The state of each key, by its number. For `all`: the number of right rows that are not used up yet. For `distinct`: 1 if a left row of this
   * key may still be returned.
   */
  private counts: number[] = [];
  private isCounted = false;

  constructor(plan: SetPlan, inputs: readonly Operator[], run: QueryRun, site: OperatorProfile) {
    this.site = site;
    this.plan = plan;
    this.left = inputs[0] as Operator;
    this.right = inputs[1] as Operator;
    this.reservation = run.memory.reservation(site);
    this.keys = new KeyTable(typesOf(plan), true);
  }

  open(): void {
    this.left.open();
    this.right.open();
    this.forget();
  }

  next(_wanted: number): Batch | undefined | Pending {
    this.site.calls++;
    const wait = this.isCounted ? undefined : this.countRight();
    if (wait !== undefined) return wait;
    for (;;) {
      const batch = this.left.next(batchRowsMax);
      if (batch === undefined || batch instanceof Promise) return batch;
      const selection = this.scratch.take(batch.count);
      const count = this.select(batch, selection);
      if (count === 0) continue;
      this.site.rowsOut += count;
      return { columns: batch.columns, selection, count };
    }
  }

  close(): void {
    this.left.close();
    this.right.close();
    this.forget();
  }

  private forget(): void {
    this.keys = new KeyTable(typesOf(this.plan), true);
    this.counts = [];
    this.isCounted = false;
    this.reservation.resize(0);
  }

  private countRight(): Pending | undefined {
    const { counts, numbers } = this;
    const isAll = this.plan.quantifier === 'all';
    const once = this.plan.kind === 'intersect' ? 1 : 0;
    for (;;) {
      const batch = this.right.next(batchRowsMax);
      if (batch instanceof Promise) return batch;
      if (batch === undefined) break;
      this.keys.insert(batch.columns, batch.selection, batch.count, numbers);
      for (let i = 0; i < batch.count; i++) {
        const key = numbers[batch.selection[i] as number] as number;
        counts[key] = isAll ? (counts[key] ?? 0) + 1 : once;
      }
      this.reservation.resize(this.keys.bytes + counts.length * slotBytes);
    }
    this.right.close();
    this.isCounted = true;
    return undefined;
  }

  private select(batch: Batch, out: Uint32Array): number {
    // Only `except distinct` remembers left rows that the right side does not have.
    if (this.plan.kind === 'except' && this.plan.quantifier === 'distinct') {
      this.keys.insert(batch.columns, batch.selection, batch.count, this.numbers);
      this.reservation.resize(this.keys.bytes + this.keys.size * slotBytes);
    } else {
      this.keys.find(batch.columns, batch.selection, batch.count, this.numbers);
    }
    let kept = 0;
    for (let i = 0; i < batch.count; i++) {
      const row = batch.selection[i] as number;
      if (this.passes(this.numbers[row] as number)) out[kept++] = row;
    }
    return kept;
  }

  /** Returns whether a left row with this key is in the result, and updates the counts. */
  private passes(key: number): boolean {
    const { counts, plan } = this;
    if (plan.kind === 'except' && plan.quantifier === 'distinct') {
      const isNew = key >= counts.length;
      if (isNew) counts[key] = 0;
      return isNew;
    }
    const left = key < 0 ? 0 : (counts[key] as number);
    if (left > 0) counts[key] = left - 1;
    return plan.kind === 'intersect' ? left > 0 : left === 0;
  }
}

function typesOf(plan: SetPlan) {
  return plan.left.output.map((column) => column.type);
}
