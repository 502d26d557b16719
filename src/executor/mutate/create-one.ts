/**
 * create, for one row that came with the program, as nearly every insert has it: in plain calls. Steps, operators and columns of values would cost such a
 * row more than its own work.
 */

import { type Column, type Table, writeProtocol } from '#catalog';
import { checkIndexEntry, checkRowKey, type IndexLayout, indexLayout, tableLayout } from '#layout';
import type { StatementPlan } from '#planner';
import type { Datum, Int64, Row } from '#value';
import { arrayBytes, slotBytes } from '../batch/prices.ts';
import { valueSource } from './defaults.ts';
import { isIncrement, markAfter, markOf, writeMark } from './increment.ts';
import { duplicate, type Entry } from './index-entries.ts';
import { existing } from './primary-keys.ts';
import { inFormat, nullRefused, takesNull } from './values.ts';
import type { Writing } from './writing.ts';

type MutationPlan = Extract<StatementPlan, { kind: 'create' | 'update' | 'delete' }>;

/** How the value of one column comes about. */
interface Cell {
  readonly column: Column;
  /** Which value of the input supplies it, or -1. */
  readonly slot: number;
  readonly takesNull: boolean;
  readonly isIncrement: boolean;
}

interface OneWay {
  readonly cells: readonly Cell[];
  readonly indexes: readonly IndexLayout[];
}

/** By statement; null for what is not done here. */
const ways = new WeakMap<MutationPlan, OneWay | null>();

/** The rows of a create to which they came with the program, as they are. */
export function literalRows(
  { kind, query }: MutationPlan,
  parameters: readonly unknown[],
): readonly Row[] | undefined {
  const { root, bindings } = query;
  if (kind !== 'create' || root.kind !== 'rows' || bindings.length > 0) return undefined;
  return parameters[root.parameter] as readonly Row[];
}

/**
 * The row in catalog order, written but for its foreign keys, which are the caller's to check; undefined, with nothing written, for what is not done here,
 * and when something that is read has to be waited for.
 */
export function createOne(writing: Writing, plan: MutationPlan, input: Row): Row | undefined {
  const way = wayOf(plan);
  if (way === undefined) return undefined;
  const { table } = plan;
  const marks: Mark[] = [];
  const row = rowOf(writing, table, way.cells, { input, marks });
  if (row === undefined) return undefined;
  const layout = tableLayout(table);
  const key = layout.keyOfRow(row);
  checkRowKey(layout, key.length);
  // What its cells lead to belongs to the body of the request, which is in account.
  writing.hold(slotBytes + arrayBytes(row.length));
  writing.holdKey(key);
  const present = writing.transaction.get(key);
  if (present instanceof Promise) return undefined;
  if (present !== undefined) throw existing(table, 0);
  const entries = newEntries(writing, way.indexes, row, key);
  if (entries === undefined) return undefined;
  for (const { column, value } of marks) writeMark(writing, table, column, value);
  writing.put(key, layout.bodyOfRow(row));
  for (const entry of entries) writing.put(entry.key, entry.value);
  writing.account();
  return row;
}

/** Tables under a transition are written to step by step. */
function wayOf(plan: MutationPlan): OneWay | undefined {
  let way = ways.get(plan);
  if (way === undefined) {
    const { building, shadows } = writeProtocol(plan.table);
    way = building.length === 0 && shadows.length === 0 ? compile(plan) : null;
    ways.set(plan, way);
  }
  return way ?? undefined;
}

function compile({ table, slots }: MutationPlan): OneWay {
  return {
    cells: table.columns.map((column, i) => ({
      column,
      slot: slots[i] as number,
      takesNull: takesNull(table, column),
      isIncrement: isIncrement(column),
    })),
    indexes: table.indexes.map((index) => indexLayout(table, index)),
  };
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
  cells: OneWay['cells'],
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
