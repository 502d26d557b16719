/**
 * Statements about one row by its key, as nearly all small ones are: compiled once a plan, and run in plain calls. Operators and batches would cost such a row
 * more than finding it. Operators do what is not done here, such as to wait for a row, and report values that cannot be computed. Rows are found and written where those of operators
 * are: in `mutate/targets.ts` and `mutate/row-change.ts`.
 */

import { unreachable } from '#base';
import type { StatementPlan } from '#planner';
import type { ProgramRun } from '../program-run.ts';
import { compileCreate } from './create.ts';
import { compileDelete } from './delete.ts';
import { compileRead, type PointRead } from './read.ts';
import { compileUpdate } from './update.ts';
import type { PointWrite } from './write.ts';

interface PointStatement {
  readonly read?: PointRead | undefined;
  readonly write?: PointWrite | undefined;
}

const compiled = new WeakMap<StatementPlan, PointStatement>();

/** Undefined for queries that operators run. */
export function pointRead(plan: StatementPlan, run: ProgramRun): PointRead | undefined {
  return needsOperators(run) ? undefined : statementOf(plan).read;
}

/** Undefined for mutations that operators feed. A create of rows that came with the program has no operators that anybody could ask about. */
export function pointWrite(plan: StatementPlan, run: ProgramRun): PointWrite | undefined {
  return plan.kind !== 'create' && needsOperators(run) ? undefined : statementOf(plan).write;
}

/** Where something is estimated, what operators count is compared with it; and operators are what a detailed trace tells of. */
function needsOperators({ plan, context }: ProgramRun): boolean {
  return plan.tableEstimates.length > 0 || context.trace?.isDetailed === true;
}

function statementOf(plan: StatementPlan): PointStatement {
  let statement = compiled.get(plan);
  if (statement === undefined) {
    statement = compile(plan);
    compiled.set(plan, statement);
  }
  return statement;
}

function compile(plan: StatementPlan): PointStatement {
  switch (plan.kind) {
    case 'query':
      return { read: compileRead(plan.query) };
    case 'create':
      return { write: compileCreate(plan) };
    case 'update':
      return { write: compileUpdate(plan) };
    case 'delete':
      return { write: compileDelete(plan) };
    case 'catalog':
      return {};
    default:
      return unreachable(plan);
  }
}
