/** Compiles an update of one row by its key. The row is read once; the new values are part of the program or are computed from the row. */

import type { Column } from '#catalog';
import { DatabaseError } from '#failure';
import type { MutationStatementPlan, PlanExpression } from '#planner';
import { type Datum, EvaluationFailure, type Row } from '#value';
import { rowBytes } from '../batch/datum-bytes.ts';
import { slotBytes } from '../batch/memory-costs.ts';
import { isIncrement } from '../mutate/increment.ts';
import type { MutationContext } from '../mutate/mutation-context.ts';
import { type RowChange, replaceRow, rowChange } from '../mutate/row-change.ts';
import { RowValues } from './row-values.ts';
import { givenRow, pointTarget, type Target, targetOf } from './target.ts';
import type { PointWrite, PointWritten } from './write.ts';

interface Assigned {
  readonly ordinal: number;
  readonly column: Column;
  /** Index of the column of the relation that contains the new value. */
  readonly columnIndex: number;
}

interface Update {
  readonly target: Target;
  readonly assigned: readonly Assigned[];
  /** Returns the new values in the order of `assigned`. */
  readonly valuesOf: (before: Row, parameters: readonly unknown[]) => readonly Datum[];
  readonly change: RowChange;
}

const noRows: PointWritten = { rows: [] };

export function compileUpdate(plan: MutationStatementPlan): PointWrite | undefined {
  const { table } = plan;
  const target = targetOf(plan);
  const assigned = target && assignedBy(plan);
  if (assigned === undefined || target === undefined) return undefined;
  const columns = new Set(assigned.map(({ column }) => column.id));
  const change = { ...rowChange(table, columns), policy: plan.policies?.after };
  const update = { target, assigned, valuesOf: valuesOf(target, assigned), change };
  return (mutationContext) => updateRow(mutationContext, update);
}

function updateRow(mutationContext: MutationContext, update: Update): PointWritten | undefined {
  const found = pointTarget(mutationContext, update.target);
  if (found === undefined || found === null) return found === null ? noRows : undefined;
  const row = changedRow(update, found.row, mutationContext.run.plan.parameters);
  if (row === undefined) return undefined;
  mutationContext.hold(slotBytes + rowBytes(row));
  return { rows: [row], rest: replaceRow(mutationContext, update.change, found, row) };
}

/** Returns undefined if a value cannot be computed; operators then report the error. Internal errors of the server are thrown. */
function changedRow(
  { assigned, valuesOf }: Update,
  before: Row,
  parameters: readonly unknown[],
): Row | undefined {
  const row = before.slice();
  try {
    const values = valuesOf(before, parameters);
    for (let a = 0; a < assigned.length; a++) {
      row[(assigned[a] as Assigned).ordinal] = values[a] as Datum;
    }
  } catch (error) {
    if (error instanceof EvaluationFailure || error instanceof DatabaseError) return undefined;
    throw error;
  }
  return row;
}

/** Returns the supplied columns outside of the primary key; undefined if one of them is an increment column, whose mark would change. */
function assignedBy({
  table,
  columnIndexes,
}: MutationStatementPlan): readonly Assigned[] | undefined {
  const assigned = table.columns.flatMap((column, ordinal) => {
    const columnIndex = columnIndexes[ordinal] as number;
    if (columnIndex < 0 || table.primaryKey.includes(column.id)) return [];
    return { ordinal, column, columnIndex };
  });
  return assigned.some(({ column }) => isIncrement(column)) ? undefined : assigned;
}

function valuesOf(target: Target, assigned: readonly Assigned[]): Update['valuesOf'] {
  if (target.kind === 'given') {
    return (_, parameters) => {
      const row = givenRow(target, parameters) as Row;
      return assigned.map(({ columnIndex }) => row[columnIndex] as Datum);
    };
  }
  const { relation, ordinals } = target;
  const expressions = assigned.map(
    ({ columnIndex }) => relation.columns[columnIndex] as PlanExpression,
  );
  const values = new RowValues(expressions, ordinals);
  return (before, parameters) => values.of(before, parameters);
}
