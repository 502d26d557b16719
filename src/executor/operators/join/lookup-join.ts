/** For every left row the right plan runs anew, with registers set from the row. */

import type { Pending } from '#base';
import type { LookupJoinPlan, RegisterBinding } from '#planner';
import type { Datum } from '#value';
import type { Batch } from '../../batch/batch.ts';
import { batchRowsMax, type Vector } from '../../batch/vector.ts';
import { compile } from '../../kernels/compile.ts';
import { type Select, selectTrue } from '../../kernels/kernel.ts';
import type { Site } from '../../site.ts';
import { rowsInOneGo } from '../expression-size.ts';
import type { Operator, QueryRun } from '../operator.ts';
import { portioned } from '../portions.ts';
import { JoinOutput } from './join-output.ts';

export class LookupJoin implements Operator {
  readonly site: Site;
  private readonly run: QueryRun;
  private readonly plan: LookupJoinPlan;
  private readonly left: Operator;
  private readonly right: Operator;
  private readonly residual: Select | undefined;
  /** Rows that pass the residual in one go. */
  private readonly rowsMax: number;
  private readonly out: JoinOutput;
  private batch: Batch | undefined;
  /** Index of the current left row in the selection of `batch`. */
  private at = 0;
  /** Whether the right plan runs for the current row, and whether a pair was kept of it. */
  private isRunning = false;
  private isMatched = false;
  /** A right batch that has no room in the output yet. */
  private waiting: Batch | undefined;

  constructor(plan: LookupJoinPlan, inputs: readonly Operator[], run: QueryRun, site: Site) {
    this.site = site;
    this.run = run;
    this.plan = plan;
    this.left = inputs[0] as Operator;
    const residuals = plan.residual === undefined ? [] : [plan.residual];
    this.rowsMax = rowsInOneGo(residuals);
    this.right = portioned(inputs[1] as Operator, plan.right, residuals, run);
    this.residual =
      plan.residual === undefined ? undefined : selectTrue(compile(plan.residual, run.frame));
    this.out = new JoinOutput(plan.output.length, plan.left.output.length, this.rowsMax);
  }

  open(): void {
    this.left.open();
    this.batch = undefined;
    this.isRunning = false;
    this.waiting = undefined;
    this.out.clear();
  }

  next(wanted: number): Batch | undefined | Pending {
    this.site.calls++;
    const target = Math.min(wanted, batchRowsMax);
    for (;;) {
      if (this.batch === undefined) {
        const wait = this.read(target);
        if (wait !== undefined) return wait;
        if (this.batch === undefined) return this.emit();
      }
      const wait = this.joinRows(this.batch as Batch, target);
      if (wait !== undefined) return wait;
      if (this.out.kept >= target || this.waiting !== undefined || !this.out.hasRoom(1)) {
        const result = this.emit();
        if (result !== undefined) return result;
      }
    }
  }

  close(): void {
    this.left.close();
    this.right.close();
  }

  private emit(): Batch | undefined {
    const result = this.out.take();
    if (result !== undefined) this.site.rowsOut += result.count;
    return result;
  }

  private read(target: number): Pending | undefined {
    const batch = this.left.next(target);
    if (batch === undefined || batch instanceof Promise) return batch;
    this.batch = batch;
    this.at = 0;
    return undefined;
  }

  /** Goes through left rows until the output has enough, or no room. */
  private joinRows(left: Batch, target: number): Pending | undefined {
    for (; this.at < left.count; this.at++) {
      const row = left.selection[this.at] as number;
      const wait = this.joinRow(left, row);
      if (wait !== undefined) return wait;
      if (this.waiting !== undefined) return undefined;
      if (!this.isMatched && this.plan.join === 'left') {
        if (!this.out.hasRoom(1)) return undefined;
        this.out.addUnmatched(left, row);
      }
      this.isRunning = false;
      if (this.out.kept >= target || !this.out.hasRoom(1)) {
        this.at++;
        break;
      }
    }
    if (this.at >= left.count) this.batch = undefined;
    return undefined;
  }

  private joinRow(left: Batch, row: number): Pending | undefined {
    if (!this.isRunning) this.start(left, row);
    for (;;) {
      const batch = this.waiting ?? this.right.next(batchRowsMax);
      this.waiting = undefined;
      if (batch instanceof Promise) return batch;
      if (batch === undefined) break;
      if (!this.out.hasRoom(batch.count)) {
        this.waiting = batch;
        return undefined;
      }
      this.run.current = this.site;
      if (this.out.add(left, row, batch, this.residual) > 0) this.isMatched = true;
    }
    return undefined;
  }

  private start(left: Batch, row: number): void {
    setRegisters(this.plan.registers, left, row, this.run.registers);
    this.right.open();
    this.isRunning = true;
    this.isMatched = false;
  }
}

export function setRegisters(
  bindings: readonly RegisterBinding[],
  batch: Batch,
  row: number,
  registers: Datum[],
): void {
  for (let i = 0; i < bindings.length; i++) {
    const { register, slot } = bindings[i] as RegisterBinding;
    registers[register] = (batch.columns[slot] as Vector)[row] as Datum;
  }
}
