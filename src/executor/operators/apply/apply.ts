/**
 * Apply: runs an inner plan for the rows of outer batches. The value of an outer row comes from the memo, from one run for a window of outer rows, or
 * from a run of its own, which begins with rows that were read for the window.
 */

import type { Pending } from '#base';
import type { AppliedPlan } from '#planner';
import type { DatumType, IdentityKey } from '#value';
import type { Batch } from '../../batch/batch.ts';
import type { Holding } from '../../memory.ts';
import type { Operator, QueryRun } from '../operator.ts';
import { Memo } from './memo.ts';
import type { Output } from './output.ts';
import { setRegisters } from './registers.ts';
import { Window } from './window.ts';

/** An outer row is outside of the plan: by the types of its columns. */
interface Inner {
  readonly operator: Operator;
  readonly outerTypes: readonly DatumType[];
  readonly run: QueryRun;
}

export class Apply<V> {
  /** Of the outer row that `evaluate` was called for; valid until the next call unless the output says more. */
  value: V | undefined;
  /** The value has part of the inner rows: `evaluate` for the same outer row gives the next part. */
  isPart = false;
  private readonly plan: AppliedPlan;
  private readonly operator: Operator;
  private readonly output: Output<V>;
  private readonly run: QueryRun;
  private readonly holding: Holding;
  private readonly memo: Memo<V> | undefined;
  /** Undefined if each run reads for itself. */
  private readonly window: Window<V> | undefined;
  private isRunning = false;
  private key: IdentityKey = null;
  /** Memory of values in use that the memo does not hold. */
  private keptBytes = 0;

  constructor(plan: AppliedPlan, { operator, outerTypes, run }: Inner, output: Output<V>) {
    this.plan = plan;
    this.operator = operator;
    this.output = output;
    this.run = run;
    this.holding = run.memory.holding(operator.site);
    const types = plan.registers.map(({ columnIndex }) => outerTypes[columnIndex] as DatumType);
    this.memo = Memo.of(plan.registers, types, run.memory.shareBytes);
    const keep = this.keep.bind(this);
    this.window = Window.of(plan, operator, { run, output, memo: this.memo, keep });
  }

  /** Registers of rows further out may have changed. */
  forget(): void {
    this.isRunning = false;
    this.isPart = false;
    this.memo?.forget();
    this.startBatch();
    this.account(0);
  }

  /** Another batch of outer rows begins: values of the one before are in use no longer. */
  startBatch(): void {
    this.keptBytes = 0;
    this.window?.forget();
  }

  /** Computes the value of the row that comes `at` in the selection. After a wait to be called again. */
  evaluate(batch: Batch, at: number): Pending | undefined {
    if (!this.isRunning) {
      const { window, memo, run } = this;
      if (window !== undefined) {
        if (!this.output.isKept && !window.covers(at)) this.keptBytes = 0;
        const wait = window.read(batch, at);
        if (wait !== undefined) return wait;
        if (this.use(window.valueOf(at))) return undefined;
      }
      setRegisters(this.plan.registers, batch, batch.selection[at] as number, run.registers);
      if (memo !== undefined) {
        this.key = memo.keyOf(run.registers);
        if (this.use(memo.recall(this.key))) return undefined;
      }
      this.start(at);
    }
    return this.runOn();
  }

  close(): void {
    this.operator.close();
    this.forget();
  }

  private use(value: V | undefined): boolean {
    if (value === undefined) return false;
    this.value = value;
    return true;
  }

  private start(at: number): void {
    this.window?.give(at);
    this.operator.open();
    this.output.open();
    this.output.begin();
    this.isRunning = true;
  }

  /** Runs the plan for one row: to its end, or until the value is full. */
  private runOn(): Pending | undefined {
    const { operator, output } = this;
    if (this.isPart && output.isFull) {
      output.open();
      output.begin();
    }
    for (;;) {
      const batch = operator.next(output.wanted);
      if (batch instanceof Promise) return batch;
      if (batch === undefined) break;
      output.take(batch, 0, batch.count);
      this.account(output.bytes);
      if (output.wanted === 1) {
        operator.close();
        break;
      }
      if (output.isFull) {
        this.value = output.end();
        this.isPart = true;
        return undefined;
      }
    }
    this.isRunning = false;
    this.value = output.end();
    if (!this.isPart) this.keep(this.key, this.value, output.bytes);
    this.isPart = false;
    return undefined;
  }

  private keep(key: IdentityKey, value: V, bytes: number): void {
    if (!this.output.isKept && this.window === undefined) this.keptBytes = 0;
    this.keptBytes += this.memo === undefined ? bytes : this.memo.remember(key, value, bytes);
    this.account(0);
  }

  /** `open`: memory of a value that is being made. */
  private account(open: number): void {
    this.holding.resize((this.memo?.bytes ?? 0) + this.keptBytes + open);
  }
}
