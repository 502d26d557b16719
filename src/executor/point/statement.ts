/**
 * Runs statements on one row by its key, the form of nearly all small statements. They are compiled once per plan and run as plain calls, because
 * operators and batches would cost more than finding the row.
 *
 * Operators take over if a row has to be waited for, and they report values that cannot be computed. Rows are found and written by the same code
 * as for operators: in `mutate/targets.ts` and `mutate/row-change.ts`.
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

/** Returns the compiled read of a query; `undefined` if operators have to run the query. */
export function pointRead(plan: StatementPlan, run: ProgramRun): PointRead | undefined {
  return needsOperators(run) ? undefined : statementOf(plan).read;
}

/**
 * Returns the compiled write of a mutation; `undefined` if operators have to supply its rows. A create of rows that are part of the program has no
 * operators to report, whatever the trace.
 */
export function pointWrite(plan: StatementPlan, run: ProgramRun): PointWrite | undefined {
  return plan.kind !== 'create' && needsOperators(run) ? undefined : statementOf(plan).write;
}

/**
 * Returns whether operators have to run the program: estimates are compared with the row counts of operators, and a detailed trace describes
 * operators.
 */
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
