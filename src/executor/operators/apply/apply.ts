/**
 * The apply operator: runs an inner plan for the rows of outer batches. The value of an outer row comes from the memo, from one run for a window
 * of outer rows, or from a separate run. A separate run may begin with rows that were read for the window.
 */

import type { Pending } from '#base';
import type { AppliedPlan } from '#planner';
import type { DatumType, IdentityKey } from '#value';
import type { Batch } from '../../batch/batch.ts';
import type { MemoryReservation } from '../../memory.ts';
import type { Operator, QueryRun } from '../operator.ts';
import { Memo } from './memo.ts';
import type { Output } from './output.ts';
import { setRegisters } from './registers.ts';
import { Window } from './window.ts';

/** The inner plan as operators. The outer row is not part of the plan; only the types of its columns are known. */
interface Inner {
  readonly operator: Operator;
  readonly outerTypes: readonly DatumType[];
  readonly run: QueryRun;
}

export class Apply<V> {
  /**
   * The value of the outer row for which `evaluate` was called. The value is valid until the next call, or until the next batch if
   * `Output.isKept`.
   */
  value: V | undefined;
  /** Whether `value` contains only a part of the inner rows: the next `evaluate` for the same outer row computes the next part. */
  isPart = false;
  private readonly plan: AppliedPlan;
  private readonly operator: Operator;
  private readonly output: Output<V>;
  private readonly run: QueryRun;
  private readonly reservation: MemoryReservation;
  private readonly memo: Memo<V> | undefined;
  /** The window of outer rows whose inner rows are prefetched; `undefined` if each run has to read its own rows. */
  private readonly window: Window<V> | undefined;
  private isRunning = false;
  private key: IdentityKey = null;
  /** Memory of values in use that are not in the memo. */
  private keptBytes = 0;

  constructor(plan: AppliedPlan, { operator, outerTypes, run }: Inner, output: Output<V>) {
    this.plan = plan;
    this.operator = operator;
    this.output = output;
    this.run = run;
    this.reservation = run.memory.reservation(operator.site);
    const types = plan.registers.map(({ columnIndex }) => outerTypes[columnIndex] as DatumType);
    this.memo = Memo.of(plan.registers, types, run.memory.shareBytes);
    const keep = this.keep.bind(this);
    this.window = Window.of(plan, operator, { run, output, memo: this.memo, keep });
  }

  /** Forgets all values: registers of enclosing rows may have changed. */
  forget(): void {
    this.isRunning = false;
    this.isPart = false;
    this.memo?.forget();
    this.startBatch();
    this.account(0);
  }

  /** Begins another batch of outer rows: values of the previous one are no longer in use. */
  startBatch(): void {
    this.keptBytes = 0;
    this.window?.forget();
  }

  /** Computes the value of the row with index `at` in the selection. After a wait, call it again. */
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

  /** Runs the plan for one row until it ends, or until the value is full. */
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

  /** `open` is the memory of the value that is being assembled. */
  private account(open: number): void {
    this.reservation.resize((this.memo?.bytes ?? 0) + this.keptBytes + open);
  }
}
