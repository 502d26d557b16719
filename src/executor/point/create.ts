/** create of one row that came with the program, as nearly every insert has it. */

import type { Steps } from '#base';
import { type Column, type ForeignKey, type Table, writeProtocol } from '#catalog';
import {
  checkIndexEntry,
  checkRowKey,
  type IndexLayout,
  indexLayout,
  type TableLayout,
  tableLayout,
} from '#layout';
import type { MutationStatementPlan } from '#planner';
import type { Datum, Int64, Row } from '#value';
import { arrayBytes, slotBytes } from '../batch/prices.ts';
import { valueSource } from '../mutate/defaults.ts';
import { isIncrement, markAfter, markOf, writeMark } from '../mutate/increment.ts';
import { duplicate, type Entry } from '../mutate/index-entries.ts';
import { existing } from '../mutate/primary-keys.ts';
import { checkReferences } from '../mutate/references.ts';
import { inFormat, nullRefused, takesNull } from '../mutate/values.ts';
import type { Writing } from '../mutate/writing.ts';
import type { PointWrite, PointWritten } from './write.ts';

/** How the value of one column comes about. */
interface Cell {
  readonly column: Column;
  /** Which value of the input supplies it, or -1. */
  readonly slot: number;
  readonly takesNull: boolean;
  readonly isIncrement: boolean;
}

interface Create {
  readonly table: Table;
  readonly layout: TableLayout;
  readonly cells: readonly Cell[];
  readonly indexes: readonly IndexLayout[];
  readonly foreignKeys: readonly ForeignKey[];
}

/** Tables under a transition are written to step by step. */
export function compileCreate(plan: MutationStatementPlan): PointWrite | undefined {
  const { table, slots, query } = plan;
  const { root, bindings } = query;
  const { building, shadows, foreignKeys } = writeProtocol(table);
  if (root.kind !== 'rows' || bindings.length + building.length + shadows.length > 0) {
    return undefined;
  }
  const create = {
    table,
    layout: tableLayout(table),
    cells: table.columns.map((column, i) => ({
      column,
      slot: slots[i] as number,
      takesNull: takesNull(table, column),
      isIncrement: isIncrement(column),
    })),
    indexes: table.indexes.map((index) => indexLayout(table, index)),
    foreignKeys,
  };
  return (writing) => {
    const rows = writing.run.plan.parameters[root.parameter] as readonly Row[];
    return rows.length === 1 ? createRow(writing, create, rows[0] as Row) : undefined;
  };
}

function createRow(writing: Writing, create: Create, input: Row): PointWritten | undefined {
  const { table, layout, cells, indexes, foreignKeys } = create;
  const marks: Mark[] = [];
  const row = rowOf(writing, table, cells, { input, marks });
  if (row === undefined) return undefined;
  const key = layout.keyOfRow(row);
  checkRowKey(layout, key.length);
  // What its cells lead to belongs to the body of the request, which is in account.
  writing.hold(slotBytes + arrayBytes(row.length));
  writing.holdKey(key);
  const present = writing.transaction.get(key);
  if (present instanceof Promise) return undefined;
  if (present !== undefined) throw existing(table, 0);
  const entries = newEntries(writing, indexes, row, key);
  if (entries === undefined) return undefined;
  for (const { column, value } of marks) writeMark(writing, table, column, value);
  writing.put(key, layout.bodyOfRow(row));
  for (const entry of entries) writing.put(entry.key, entry.value);
  writing.account();
  const rows = [row];
  if (foreignKeys.length === 0) return { rows };
  return { rows, rest: checkAll(writing, create, rows) };
}

function* checkAll(
  writing: Writing,
  { table, foreignKeys }: Create,
  rows: readonly Row[],
): Steps<void> {
  for (const key of foreignKeys) yield* checkReferences(writing, table, key, rows);
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
    const { column, slot, takesNull } = cells[c] as Cell;
    const value = slot < 0 ? valueSource(writing, column.default)() : (input[slot] as Datum);
    const isAllocated = slot < 0 && (cells[c] as Cell).isIncrement;
    if (value === null && !takesNull && !isAllocated) throw nullRefused(table, column, 0);
    row[c] = column.type === 'bytes' ? inFormat(table, column, value, 0) : value;
  }
  for (let c = 0; c < cells.length; c++) {
    const { column, slot, isIncrement } = cells[c] as Cell;
    if (!isIncrement) continue;
    const mark = markOf(writing, table, column);
    if (mark instanceof Promise) return undefined;
    const value = slot < 0 ? markAfter(mark, table, column) : (row[c] as Int64 | null);
    row[c] = value;
    if (value !== null && value > mark) marks.push({ column, value });
  }
  return row;
}

const none: readonly Entry[] = [];

/** Undefined when one has to be waited for. */
function newEntries(
  { transaction }: Writing,
  indexes: readonly IndexLayout[],
  row: Row,
  rowKey: Uint8Array,
): readonly Entry[] | undefined {
  if (indexes.length === 0) return none;
  const entries: Entry[] = [];
  for (const layout of indexes) {
    const entry = layout.entry(row, rowKey);
    checkIndexEntry(layout, entry, rowKey);
    if (layout.index.unique && entry.value.length > 0) {
      const present = transaction.get(entry.key);
      if (present instanceof Promise) return undefined;
      if (present !== undefined) throw duplicate(layout.table, layout.index, 0);
    }
    entries.push(entry);
  }
  return entries;
}
