/** Whether a plan that was made before is still the plan: its tables are the same, of about the same size and as near, and its estimates were not found wrong. */

import type { Table } from '#catalog';
import type { ProgramPlan } from '#planner';
import type { Database } from '../database.ts';
import type { PreparedProgram } from './prepared-program.ts';

/** Between two looks at the tables of one plan. */
const lookMs = 1_000;
/** A table that has become so many times as large, or as small, may need another plan. */
const factor = 4;
/** Plans are the same for all tables below. */
const rowsMin = 1_000;
/** Fewer pieces to fetch are as good as none: caches lose and get some all the time. */
const coldMin = 4;

type Grounds = Pick<Database, 'statistics' | 'experience' | 'world' | 'isCurrent'>;

export class Validity {
  private readonly database: Grounds;
  /** What was looked at up to then is looked at again. */
  private lookAgainMs = Number.NEGATIVE_INFINITY;

  constructor(database: Grounds) {
    this.database = database;
  }

  /** Whether a plan that is made now would be the same, as far as is known without making it. */
  holds(program: PreparedProgram): boolean {
    return this.database.isCurrent(program.plan) && !this.isOutgrown(program);
  }

  /** Something new is known: each plan is looked at again when it is asked for. */
  lookAgain(): void {
    this.lookAgainMs = this.database.world.clock.monotonicMs();
  }

  private isOutgrown(program: PreparedProgram): boolean {
    const { plan, lookedAtMs } = program;
    if (plan.tableEstimates.length === 0) return false;
    const now = this.database.world.clock.monotonicMs();
    if (lookedAtMs > this.lookAgainMs && now - lookedAtMs < lookMs) return false;
    program.lookedAtMs = now;
    return this.isCorrected(plan) || this.hasOtherTables(plan);
  }

  /** Its estimates were wrong, and it was made before that was known. */
  private isCorrected({ statements }: ProgramPlan): boolean {
    return statements.some((statement) => {
      if (statement.kind === 'catalog') return false;
      const { family, correction = 0 } = statement.query;
      const known = family === undefined ? 0 : this.database.experience.correctionOf(family);
      return known !== 0 && known !== correction;
    });
  }

  private hasOtherTables(plan: ProgramPlan): boolean {
    return plan.tableEstimates.some(({ table, rows, survey, remote }) => {
      if (this.database.statistics.surveyOf(table) !== survey) return true;
      if (remote.some((part) => this.isOtherPlace(table, part))) return true;
      const found = Math.max(rowsMin, this.database.statistics.rowsOf(table));
      return isOther(found, rows);
    });
  }

  /** Much more, or much less, would be fetched from a remote place than when the plan was made, or each fetch takes another time. */
  private isOtherPlace(table: Table, { index, reads }: RemoteEstimate): boolean {
    const now = this.database.statistics.remoteReads?.(table, index);
    const [cold, coldThen] = [
      Math.max(coldMin, now?.cold ?? 0),
      Math.max(coldMin, reads?.cold ?? 0),
    ];
    if (isOther(cold, coldThen)) return true;
    return cold > coldMin && coldThen > coldMin && now?.micros !== reads?.micros;
  }
}

type RemoteEstimate = ProgramPlan['tableEstimates'][number]['remote'][number];

function isOther(now: number, then: number): boolean {
  return now > then * factor || now * factor < then;
}
