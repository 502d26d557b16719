/** create of one row that came with the program, as nearly every insert has it. */

import type { Column, Table } from '#catalog';
import type { MutationStatementPlan } from '#planner';
import type { Datum, Int64, Row } from '#value';
import { arrayBytes, slotBytes } from '../batch/prices.ts';
import { valueSource } from '../mutate/defaults.ts';
import { isIncrement, markAfter, markOf, writeMark } from '../mutate/increment.ts';
import { insertRow, type RowChange, rowChange } from '../mutate/row-change.ts';
import type { Writing } from '../mutate/writing.ts';
import type { PointWrite, PointWritten } from './write.ts';

/** How the value of one column comes about. */
interface Cell {
  readonly column: Column;
  /** Which value of the input supplies it, or -1. */
  readonly columnIndex: number;
  readonly isIncrement: boolean;
}

export function compileCreate(plan: MutationStatementPlan): PointWrite | undefined {
  const { table, columnIndexes, query } = plan;
  const { root, bindings } = query;
  if (root.kind !== 'rows' || bindings.length > 0) return undefined;
  const change = rowChange(table);
  const cells = table.columns.map((column, i) => {
    return { column, columnIndex: columnIndexes[i] as number, isIncrement: isIncrement(column) };
  });
  return (writing) => {
    const rows = writing.run.plan.parameters[root.parameter] as readonly Row[];
    return rows.length === 1 ? createRow(writing, change, cells, rows[0] as Row) : undefined;
  };
}

function createRow(
  writing: Writing,
  change: RowChange,
  cells: readonly Cell[],
  input: Row,
): PointWritten | undefined {
  const { table } = change;
  const marks: Mark[] = [];
  const row = rowOf(writing, table, cells, { input, marks });
  if (row === undefined) return undefined;
  // What its cells lead to belongs to the body of the request, which is in account.
  writing.hold(slotBytes + arrayBytes(row.length));
  const rest = insertRow(writing, change, row);
  for (const { column, value } of marks) writeMark(writing, table, column, value);
  return { rows: [row], rest };
}

/** The mark of a column, which goes up with the row. */
interface Mark {
  readonly column: Column;
  readonly value: Int64;
}

interface Making {
  readonly input: Row;
  /** Filled. */
  readonly marks: Mark[];
}

function rowOf(
  writing: Writing,
  table: Table,
  cells: readonly Cell[],
  { input, marks }: Making,
): Row | undefined {
  const row: Datum[] = new Array(cells.length);
  for (let c = 0; c < cells.length; c++) {
    const { column, columnIndex } = cells[c] as Cell;
    row[c] =
      columnIndex < 0 ? valueSource(writing, column.default)() : (input[columnIndex] as Datum);
  }
  for (let c = 0; c < cells.length; c++) {
    const { column, columnIndex, isIncrement } = cells[c] as Cell;
    if (!isIncrement) continue;
    const mark = markOf(writing, table, column);
    if (mark instanceof Promise) return undefined;
    const value = columnIndex < 0 ? markAfter(mark, table, column) : (row[c] as Int64 | null);
    row[c] = value;
    if (value !== null && value > mark) marks.push({ column, value });
  }
  return row;
}
