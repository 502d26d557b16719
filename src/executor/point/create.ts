/** Compiles a create of one row that is part of the program, the form of nearly every insert. */

import type { Column, Table } from '#catalog';
import type { MutationStatementPlan } from '#planner';
import type { Datum, Int64, Row } from '#value';
import { arrayBytes, slotBytes } from '../batch/memory-costs.ts';
import { valueSource } from '../mutate/defaults.ts';
import { isIncrement, markAfter, markOf, writeMark } from '../mutate/increment.ts';
import type { MutationContext } from '../mutate/mutation-context.ts';
import { insertRow, type RowChange, rowChange } from '../mutate/row-change.ts';
import type { PointWrite, PointWritten } from './write.ts';

/** The source of the value of one column. */
interface Cell {
  readonly column: Column;
  /** Index of the input value for the column, or -1 if the input has none. */
  readonly columnIndex: number;
  readonly isIncrement: boolean;
}

export function compileCreate(plan: MutationStatementPlan): PointWrite | undefined {
  const { table, columnIndexes, query } = plan;
  const { root, bindings } = query;
  if (root.kind !== 'rows' || bindings.length > 0) return undefined;
  const change = { ...rowChange(table), policy: plan.policies?.after };
  const cells = table.columns.map((column, i) => {
    return { column, columnIndex: columnIndexes[i] as number, isIncrement: isIncrement(column) };
  });
  return (mutationContext) => {
    const rows = mutationContext.run.plan.parameters[root.parameter] as readonly Row[];
    return rows.length === 1
      ? createRow(mutationContext, change, cells, rows[0] as Row)
      : undefined;
  };
}

function createRow(
  mutationContext: MutationContext,
  change: RowChange,
  cells: readonly Cell[],
  input: Row,
): PointWritten | undefined {
  const { table } = change;
  const marks: Mark[] = [];
  const row = rowOf(mutationContext, table, cells, { input, marks });
  if (row === undefined) return undefined;
  // The values of the cells belong to the body of the request, whose memory is already accounted.
  mutationContext.hold(slotBytes + arrayBytes(row.length));
  const rest = insertRow(mutationContext, change, row);
  for (const { column, value } of marks) writeMark(mutationContext, table, column, value);
  return { rows: [row], rest };
}

/** The new high-water mark of an increment column, which is written with the row. */
interface Mark {
  readonly column: Column;
  readonly value: Int64;
}

interface Making {
  readonly input: Row;
  /** The marks to write; `rowOf` appends them. */
  readonly marks: Mark[];
}

function rowOf(
  mutationContext: MutationContext,
  table: Table,
  cells: readonly Cell[],
  { input, marks }: Making,
): Row | undefined {
  const row: Datum[] = new Array(cells.length);
  for (let c = 0; c < cells.length; c++) {
    const { column, columnIndex } = cells[c] as Cell;
    row[c] =
      columnIndex < 0
        ? valueSource(mutationContext, column.default)()
        : (input[columnIndex] as Datum);
  }
  for (let c = 0; c < cells.length; c++) {
    const { column, columnIndex, isIncrement } = cells[c] as Cell;
    if (!isIncrement) continue;
    const mark = markOf(mutationContext, table, column);
    if (mark instanceof Promise) return undefined;
    const value = columnIndex < 0 ? markAfter(mark, table, column) : (row[c] as Int64 | null);
    row[c] = value;
    if (value !== null && value > mark) marks.push({ column, value });
  }
  return row;
}
