/**
 * Decides whether a cached plan is still valid: its tables are unchanged, have about the same size and the same share in
 * caches, and its estimates were not corrected.
 */

import type { Table } from '#catalog';
import type { ProgramPlan } from '#planner';
import type { Database } from '../database.ts';
import type { PreparedProgram } from './prepared-program.ts';

/** Time between two checks of the tables of one plan, in milliseconds. */
const checkIntervalMs = 1_000;
/** A table that has become this many times larger or smaller may need another plan. */
const factor = 4;
/** Tables with fewer rows than this count as having this many rows: their plans do not differ. */
const rowsMin = 1_000;
/** Fewer uncached parts than this count as this many, because caches gain and lose some all the time. */
const coldMin = 4;

type Grounds = Pick<Database, 'statistics' | 'experience' | 'world' | 'isCurrent'>;

export class Validity {
  private readonly database: Grounds;
  /** Plans that were checked up to this time are checked again. */
  private lookAgainMs = Number.NEGATIVE_INFINITY;

  constructor(database: Grounds) {
    this.database = database;
  }

  /** Returns whether a new plan would probably be the same, without making it. */
  holds(program: PreparedProgram): boolean {
    return this.database.isCurrent(program.plan) && !this.isStale(program);
  }

  /** Makes each plan be checked again at its next use, because new statistics are available. */
  lookAgain(): void {
    this.lookAgainMs = this.database.world.clock.monotonicMs();
  }

  private isStale(program: PreparedProgram): boolean {
    const { plan, lookedAtMs } = program;
    if (plan.tableEstimates.length === 0) return false;
    const now = this.database.world.clock.monotonicMs();
    if (lookedAtMs > this.lookAgainMs && now - lookedAtMs < checkIntervalMs) return false;
    program.lookedAtMs = now;
    return this.isCorrected(plan) || this.hasOtherTables(plan);
  }

  /** Returns whether the estimates of the plan were corrected after it was made. */
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

  /**
   * Returns whether much more or much less would be fetched from the bucket than when the plan was made, or whether the
   * time of a fetch has changed.
   */
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
