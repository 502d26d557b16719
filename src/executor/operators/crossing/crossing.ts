/** One crossing: runs its plan for a row, at most once for each set of register values that it remembers. */

import { type Pending, unreachable } from '#base';
import type { CrossingPlan } from '#planner';
import type { Datum, DatumType, Row } from '#value';
import type { Batch } from '../../batch/batch.ts';
import { datumBytes, rememberBytes, rowBytes } from '../../batch/datum-bytes.ts';
import { objectBytes, slotBytes } from '../../batch/prices.ts';
import { rowAt } from '../../batch/row-store.ts';
import { batchRowsMax, type Vector } from '../../batch/vector.ts';
import type { Holding } from '../../memory.ts';
import { setRegisters } from '../join/lookup-join.ts';
import type { Operator, QueryRun } from '../operator.ts';
import { CrossingAhead } from './crossing-ahead.ts';
import { Memo } from './memo.ts';

export class Crossing {
  /** By row position. */
  readonly values: Vector = [];
  private readonly plan: CrossingPlan;
  private readonly operator: Operator;
  private readonly run: QueryRun;
  private readonly holding: Holding;
  private readonly memo: Memo | undefined;
  private isRunning = false;
  /** The rows of an array so far, and their memory. */
  private rows: Row[] = [];
  private rowsBytes = 0;
  /** Memory of values of this batch that the memo does not hold. */
  private batchBytes = 0;
  /** Absent: each run reads for itself. */
  private readonly ahead: CrossingAhead | undefined;

  constructor(
    plan: CrossingPlan,
    operator: Operator,
    inputTypes: readonly DatumType[],
    run: QueryRun,
  ) {
    this.plan = plan;
    this.operator = operator;
    this.run = run;
    this.holding = run.memory.holding(operator.site);
    this.memo = Memo.of(plan.registers.map(({ slot }) => inputTypes[slot] as DatumType));
    this.ahead = plan.ahead && CrossingAhead.of(plan, plan.ahead, operator, run);
  }

  /** Called when enclosing rows may have changed. */
  forget(): void {
    this.isRunning = false;
    this.memo?.clear();
    this.ahead?.forget();
    this.rowsBytes = 0;
    this.batchBytes = 0;
    this.account();
  }

  /** Another batch of enclosing rows begins: the values of the one before have gone on. */
  startBatch(): void {
    this.batchBytes = 0;
    this.ahead?.forget();
  }

  /** Computes the value of the row that comes `at` in the selection, and maybe reads for those after it. */
  evaluate(batch: Batch, at: number): Pending | undefined {
    const row = batch.selection[at] as number;
    if (!this.isRunning) {
      const wait = this.ahead?.read(batch, at, this.memo);
      if (wait !== undefined) return wait;
      const together = this.ahead?.valueOf(at);
      if (together !== undefined) return this.take(batch, row, together);
      setRegisters(this.plan.registers, batch, row, this.run.registers);
      if (this.recall(row)) return undefined;
      this.operator.open();
      this.ahead?.begin(at);
      this.rows = [];
      this.rowsBytes = objectBytes;
      this.isRunning = true;
    }
    const value = this.compute();
    if (value instanceof Promise) return value;
    this.isRunning = false;
    this.keep(row, value);
    return undefined;
  }

  close(): void {
    this.operator.close();
    this.forget();
  }

  /** The value came out of a run for many rows. */
  private take(batch: Batch, row: number, value: Datum): undefined {
    const { memo } = this;
    if (memo !== undefined) {
      setRegisters(this.plan.registers, batch, row, this.run.registers);
      memo.recall(this.plan.registers, this.run.registers);
    }
    this.keep(row, value);
  }

  private keep(row: number, value: Datum): void {
    this.values[row] = value;
    this.rowsBytes = 0;
    this.batchBytes += this.memo === undefined ? datumBytes(value) : this.memo.remember(value);
    this.account();
  }

  private recall(row: number): boolean {
    const { memo } = this;
    if (memo === undefined) return false;
    const value = memo.recall(this.plan.registers, this.run.registers);
    if (value === undefined) return false;
    this.values[row] = value;
    return true;
  }

  private compute(): Datum | Pending {
    const { kind } = this.plan;
    switch (kind) {
      case 'exists': {
        const found = this.first();
        return found instanceof Promise ? found : found !== undefined;
      }
      case 'first': {
        const found = this.first();
        return found instanceof Promise ? found : (found ?? null);
      }
      case 'scalar': {
        const found = this.first();
        return found instanceof Promise ? found : ((found?.[0] ?? null) as Datum);
      }
      case 'array':
        return this.all();
      default:
        return unreachable(kind);
    }
  }

  /** The first row; the rest is not asked for. */
  private first(): Row | undefined | Pending {
    const batch = this.operator.next(1);
    if (batch === undefined || batch instanceof Promise) return batch;
    const row = rowAt(batch.columns, batch.selection[0] as number);
    this.operator.close();
    return row;
  }

  private all(): Datum | Pending {
    for (;;) {
      const batch = this.operator.next(batchRowsMax);
      if (batch instanceof Promise) return batch;
      if (batch === undefined) break;
      for (let i = 0; i < batch.count; i++) {
        const row = rowAt(batch.columns, batch.selection[i] as number);
        this.rowsBytes += slotBytes + rowBytes(row);
        this.rows.push(row);
      }
      this.account();
    }
    rememberBytes(this.rows, this.rowsBytes);
    return this.rows;
  }

  private account(): void {
    this.holding.resize(
      (this.memo?.bytes ?? 0) + (this.ahead?.bytes ?? 0) + this.batchBytes + this.rowsBytes,
    );
  }
}
