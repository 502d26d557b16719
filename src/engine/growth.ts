/** Whether a plan is kept that was made for tables of another size, before somebody looked at them, from estimates that were wrong, or for tables that are now nearer or farther away. */

import type { Clock } from '#base';
import type { Table } from '#catalog';
import type { ProgramPlan } from '#planner';
import type { Experience, Statistics } from '#statistics';

/** Between two looks at the tables of one plan. */
const lookMs = 1_000;
/** A table that has become so many times as large, or as small, may need another plan. */
const factor = 4;
/** Plans are the same for all tables below. */
const rowsMin = 1_000;
/** Fewer pieces to fetch are as good as none: caches lose and get some all the time. */
const coldMin = 4;

export class Growth {
  private readonly statistics: Statistics;
  private readonly experience: Experience;
  private readonly clock: Clock;
  private looks = new WeakMap<ProgramPlan, number>();

  constructor(statistics: Statistics, experience: Experience, clock: Clock) {
    this.experience = experience;
    this.statistics = statistics;
    this.clock = clock;
  }

  /** Something new is known: each plan is looked at again when it is asked for. */
  lookAgain(): void {
    this.looks = new WeakMap();
  }

  isOutgrown(plan: ProgramPlan): boolean {
    if (plan.planned.length === 0) return false;
    const now = this.clock.monotonicMs();
    const last = this.looks.get(plan);
    if (last !== undefined && now - last < lookMs) return false;
    this.looks.set(plan, now);
    return this.isCorrected(plan) || this.hasOtherTables(plan);
  }

  /** Its estimates were wrong, and it was made before that was known. */
  private isCorrected({ statements }: ProgramPlan): boolean {
    return statements.some((statement) => {
      if (statement.kind === 'catalog') return false;
      const { family, correction = 0 } = statement.query;
      const known = family === undefined ? 0 : this.experience.correctionOf(family);
      return known !== 0 && known !== correction;
    });
  }

  private hasOtherTables(plan: ProgramPlan): boolean {
    return plan.planned.some(({ table, rows, survey, remote }) => {
      if (this.statistics.surveyOf(table) !== survey) return true;
      if (remote.some((part) => this.isOtherPlace(table, part))) return true;
      const found = Math.max(rowsMin, this.statistics.rowsOf(table));
      return isOther(found, rows);
    });
  }

  /** Much more, or much less, would be fetched from a remote place than when the plan was made, or each fetch takes another time. */
  private isOtherPlace(table: Table, { index, reads }: PlannedPlace): boolean {
    const now = this.statistics.remoteReads?.(table, index);
    const [cold, coldThen] = [
      Math.max(coldMin, now?.cold ?? 0),
      Math.max(coldMin, reads?.cold ?? 0),
    ];
    if (isOther(cold, coldThen)) return true;
    return cold > coldMin && coldThen > coldMin && now?.micros !== reads?.micros;
  }
}

type PlannedPlace = ProgramPlan['planned'][number]['remote'][number];

function isOther(now: number, then: number): boolean {
  return now > then * factor || now * factor < then;
}
