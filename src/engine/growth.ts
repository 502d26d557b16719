/** Whether a plan is kept that was made for tables of another size, or before somebody looked at them. */

import type { Clock } from '#base';
import type { ProgramPlan } from '#planner';
import type { Statistics } from '#statistics';

/** Between two looks at the tables of one plan. */
const lookMs = 1_000;
/** A table that has become so many times as large, or as small, may need another plan. */
const factor = 4;
/** Plans are the same for all tables below. */
const rowsMin = 1_000;

export class Growth {
  private readonly statistics: Statistics;
  private readonly clock: Clock;
  private readonly looks = new WeakMap<ProgramPlan, number>();

  constructor(statistics: Statistics, clock: Clock) {
    this.statistics = statistics;
    this.clock = clock;
  }

  isOutgrown(plan: ProgramPlan): boolean {
    if (plan.planned.length === 0) return false;
    const now = this.clock.monotonicMs();
    const last = this.looks.get(plan);
    if (last !== undefined && now - last < lookMs) return false;
    this.looks.set(plan, now);
    return plan.planned.some(({ table, rows, survey }) => {
      if (this.statistics.surveyOf(table) !== survey) return true;
      const found = Math.max(rowsMin, this.statistics.rowsOf(table));
      return found > rows * factor || found * factor < rows;
    });
  }
}
