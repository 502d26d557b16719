/** The statements of an open transaction with digests of their answers, by which they can run again after a lost race. */

import type { ProgramPlan } from '#planner';
import { retainedSize } from '../prepared/retained-size.ts';

interface ReplayLimits {
  readonly statementsMax: number;
  /** Maximum memory of the parameters, in bytes, and maximum length of the answers. */
  readonly bytesMax: number;
  /** Maximum CPU time of the statements in milliseconds. */
  readonly workMsMax: number;
}

const replayLimits: ReplayLimits = {
  statementsMax: 1_000,
  bytesMax: 8 << 20,
  workMsMax: 250,
};

interface LoggedStatement {
  /** The plan with the parameters of the statement. */
  readonly plan: ProgramPlan;
  readonly digest: string;
}

const nothingShared: ReadonlySet<string> = new Set();

export class ReplayLog {
  private readonly limits: ReplayLimits;
  private statements: LoggedStatement[] | undefined = [];
  private bytes = 0;
  private workMs = 0;

  constructor(limits: ReplayLimits = replayLimits) {
    this.limits = limits;
  }

  /** The statements in order; `undefined` if they cannot run again. */
  get logged(): readonly LoggedStatement[] | undefined {
    return this.statements;
  }

  /** Memory of the log in bytes. */
  get retainedBytes(): number {
    return this.statements === undefined ? 0 : this.bytes;
  }

  /** Adds a statement whose answer has `length` characters and which took `workMs` of CPU time. */
  add(statement: LoggedStatement, { length, workMs }: { length: number; workMs: number }): void {
    if (this.statements === undefined) return;
    this.bytes += length + retainedSize(statement.plan.parameters, nothingShared);
    this.workMs += workMs;
    this.statements.push(statement);
    const { statementsMax, bytesMax, workMsMax } = this.limits;
    const isWithin =
      this.statements.length <= statementsMax && this.bytes <= bytesMax && this.workMs <= workMsMax;
    if (!isWithin || statement.plan.catalogAfter !== statement.plan.catalog) this.drop();
  }

  /** Gives up: a lost race is then reported to the client. */
  drop(): void {
    this.statements = undefined;
  }
}
