/**
 * A recursive binding with semi-naive evaluation (docs/lir.md §9.2): each iteration runs the step over the rows that the previous one added. All rows
 * are in one store, and the frontier is its last part.
 */

import type { Pending } from '#base';
import { fail } from '#failure';
import type { BindingPlan } from '#planner';
import { batchRowsMax } from '../../batch/vector.ts';
import type { RowList } from '../../spill/row-list.ts';
import type { Materialized, Operator, QueryRun } from '../operator.ts';
import { FoundRows } from './found-rows.ts';

const iterationsMax = 10_000;
const rowsMax = 1_000_000;

type RecursivePlan = Extract<BindingPlan, { kind: 'recursive' }>;

export class RecursiveBinding implements Materialized {
  private readonly found: FoundRows;
  private readonly name: string;
  private readonly anchor: Operator;
  private readonly step: Operator;
  private readonly run: QueryRun;
  private state: 'new' | 'anchor' | 'step' | 'filled' = 'new';
  private iterations = 0;
  /** Position of the first row that the running iteration adds. */
  private addedFrom = 0;

  constructor(plan: RecursivePlan, inputs: readonly [Operator, Operator], run: QueryRun) {
    this.name = plan.name;
    [this.anchor, this.step] = inputs;
    this.run = run;
    const types = plan.output.map((column) => column.type);
    this.found = new FoundRows(types, plan.accumulation === 'all', run, this.step.site);
  }

  get rows(): RowList {
    return this.found.rows;
  }

  fill(): Pending | undefined {
    if (this.state === 'filled') return undefined;
    if (this.state === 'new') {
      this.anchor.open();
      this.state = 'anchor';
    }
    if (this.state === 'anchor') {
      const wait = this.drain(this.anchor);
      if (wait !== undefined) return wait;
      this.anchor.close();
      this.advance();
    }
    return this.iterate();
  }

  private iterate(): Pending | undefined {
    while (this.state === 'step') {
      const wait = this.drain(this.step) ?? this.run.budget.pause(16);
      if (wait !== undefined) return wait;
      this.advance();
    }
    return undefined;
  }

  /** Makes the added rows the frontier of the next iteration. If none were added, the recursion is finished. */
  private advance(): void {
    const from = this.addedFrom;
    const to = this.rows.length;
    this.addedFrom = to;
    if (from === to) {
      this.finish();
      return;
    }
    if (this.iterations++ === iterationsMax) {
      throw this.limit(`more than ${iterationsMax} iterations`);
    }
    this.run.frontiers.set(this.name, { rows: this.rows, from, to });
    this.step.open();
    this.state = 'step';
  }

  private finish(): void {
    this.state = 'filled';
    this.run.frontiers.delete(this.name);
    this.step.close();
  }

  /** Adds all rows of the operator. Afterwards the rows can be read. */
  private drain(operator: Operator): Pending | undefined {
    for (;;) {
      const wait = this.found.settle();
      if (wait !== undefined) return wait;
      this.checkRows();
      const batch = operator.next(batchRowsMax);
      if (batch instanceof Promise) return batch;
      if (batch === undefined) break;
      this.found.add(batch);
    }
    const wait = this.found.finish();
    if (wait === undefined) this.checkRows();
    return wait;
  }

  private checkRows(): void {
    if (this.state === 'step' && this.rows.length > rowsMax) {
      throw this.limit(`more than ${rowsMax} rows`);
    }
  }

  private limit(what: string): Error {
    return fail('recursion_limit', `recursive binding "${this.name}" needs ${what}`, {
      execution: { binding: this.name },
    });
  }
}
