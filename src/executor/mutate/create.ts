/** create: derive all rows, check them, write them, then check what they need and what must be unique. */

import { afterKey, type Steps } from '#base';
import { type Column, type Table, writeProtocol } from '#catalog';
import { fail } from '#failure';
import { checkRowKey, type TableLayout, tableLayout } from '#layout';
import type { Datum, Row } from '#value';
import { LongList, type Sequence } from '../batch/long-list.ts';
import { type Pieces, valueAt } from '../batch/pieces.ts';
import type { RowStore } from '../batch/row-store.ts';
import { defaultValues } from './defaults.ts';
import { EntryBuffer } from './entry-buffer.ts';
import { allocate, isIncrement, raiseMark } from './increment.ts';
import { indexRows } from './indexes.ts';
import { existing } from './primary-keys.ts';
import { checkReferences } from './references.ts';
import { shadowed } from './shadows.ts';
import { nullRefused, storedValues, takesNull } from './values.ts';
import type { Writing } from './writing.ts';

/** `slots` says, for each column in catalog order, which column of `input` supplies it, or -1. Returns the rows in catalog order. */
export function* createRows(
  writing: Writing,
  table: Table,
  slots: readonly number[],
  input: RowStore,
): Steps<Sequence<Row>> {
  const vectors = yield* deriveColumns(writing, table, slots, input);
  return yield* putRows(writing, table, yield* rowsOf(writing, vectors, input.length));
}

/** Writes rows in catalog order, whose cells are fit for their columns; returns them. */
export function* putRows(
  writing: Writing,
  table: Table,
  rows: Sequence<Row>,
): Steps<Sequence<Row>> {
  const run = yield* entriesOf(writing, table, rows);
  const order = yield* checkPrimaryKeys(writing, table, rows, run);
  yield* putRun(writing, table, rows, { run, order });
  writing.account();
  yield* indexRows(writing, table, { run, rows });
  for (const key of writeProtocol(table).foreignKeys) {
    yield* checkReferences(writing, table, key, rows);
  }
  return rows;
}

interface OrderedRun {
  /** By number of the row. */
  readonly run: EntryBuffer;
  /** The numbers in the order of the keys. */
  readonly order: Uint32Array;
}

/** Keys and bodies of rows. Keys alone where columns are being replaced: they are checked before anything is converted. */
function* entriesOf(writing: Writing, table: Table, rows: Sequence<Row>): Steps<EntryBuffer> {
  const layout = tableLayout(table);
  const hasBodies = writeProtocol(table).shadows.length === 0;
  const run = new EntryBuffer(layout.range.from.length, undefined, rows.length);
  let held = 0;
  let bytes = 0;
  for (let i = 0; i < rows.length; i++) {
    const pause = writing.pause(1, bytes);
    if (pause !== undefined) yield pause;
    const row = rows.at(i) as Row;
    const { writer } = run;
    const from = writer.length;
    layout.appendKey(writer, row);
    const keyTo = writer.length;
    checkRowKey(layout, keyTo - from);
    if (hasBodies) layout.appendBody(writer, row);
    bytes = writer.length - from;
    run.added(keyTo);
    writing.hold(run.heldBytes - held);
    held = run.heldBytes;
  }
  return run;
}

/** Writes in the order of the keys, so that each finds its place at the end. */
function* putRun(
  writing: Writing,
  table: Table,
  rows: Sequence<Row>,
  { run, order }: OrderedRun,
): Steps<void> {
  const layout = tableLayout(table);
  const hasBodies = writeProtocol(table).shadows.length === 0;
  const held = run.heldBytes;
  run.handOver(writing);
  // The run counts as what is written from here on, but for keys that have no bodies.
  if (hasBodies) writing.release(held);
  for (let i = 0; i < order.length; i++) {
    const pause = writing.pause();
    if (pause !== undefined) yield pause;
    const at = order[i] as number;
    if (hasBodies) run.put(at, writing);
    else
      writing.put(
        run.key(at),
        layout.bodyOfRow(shadowed(table, rows.at(at) as Row, undefined, at)),
      );
  }
}

/**
 * The rows that came with the program, when they are those of the table as they stand: every column is supplied, in catalog order, and nothing is
 * put on its values. Columns of values, and rows made of them again, would be two copies of all. Undefined for others.
 */
export function givenRows(
  table: Table,
  slots: readonly number[],
  rows: readonly Row[],
): readonly Row[] | undefined {
  const { columns } = table;
  for (let c = 0; c < columns.length; c++) {
    const column = columns[c] as Column;
    if (slots[c] !== c || column.type === 'bytes' || isIncrement(column)) return undefined;
  }
  if (rows.length > 0 && (rows[0] as Row).length !== columns.length) return undefined;
  return rows;
}

/** As `refuseNull`, column by column, with pauses. */
export function* refuseNulls(writing: Writing, table: Table, rows: readonly Row[]): Steps<void> {
  for (let c = 0; c < table.columns.length; c++) {
    const column = table.columns[c] as Column;
    if (takesNull(table, column)) continue;
    const pause = writing.pause(1 + (rows.length >>> nullShift));
    if (pause !== undefined) yield pause;
    for (let i = 0; i < rows.length; i++) {
      if ((rows[i] as Row)[c] === null) throw nullRefused(table, column, i);
    }
  }
}

/** So many times over a look for NULL goes into the handling of a row. */
const nullShift = 6;

function* rowsOf(
  writing: Writing,
  vectors: readonly Pieces[],
  count: number,
): Steps<Sequence<Row>> {
  writing.holdArrays(count, vectors.length);
  const rows = new LongList<Row>();
  for (let i = 0; i < count; i++) {
    const pause = writing.pause();
    if (pause !== undefined) yield pause;
    const row: Datum[] = new Array(vectors.length);
    for (let c = 0; c < vectors.length; c++) row[c] = valueAt(vectors[c] as Pieces, i);
    rows.push(row);
  }
  return rows;
}

/** One vector a column: what the input supplies, or the default. */
function* deriveColumns(
  writing: Writing,
  table: Table,
  slots: readonly number[],
  input: RowStore,
): Steps<Pieces[]> {
  const vectors: Pieces[] = [];
  for (let c = 0; c < table.columns.length; c++) {
    const slot = slots[c] as number;
    const column = table.columns[c] as Column;
    const supplied = slot < 0 ? undefined : (input.columns[slot] as Pieces);
    vectors.push(supplied ?? (yield* defaultValues(writing, column.default, input.length)));
  }
  const isAllocated = (ordinal: number) =>
    (slots[ordinal] as number) < 0 && isIncrement(table.columns[ordinal] as Column);
  for (let c = 0; c < vectors.length; c++) {
    if (isAllocated(c)) continue;
    const column = table.columns[c] as Column;
    const stored = storedValues(writing, table, column, vectors[c] as Pieces);
    vectors[c] = Array.isArray(stored) ? stored : yield* stored;
  }
  for (let c = 0; c < vectors.length; c++) {
    const column = table.columns[c] as Column;
    if (isAllocated(c)) yield* allocate(writing, table, c, vectors);
    else if (isIncrement(column)) yield* raiseMark(writing, table, column, vectors[c] as Pieces);
  }
  return vectors;
}

/** None of the keys may exist or appear twice; returns their order. */
function* checkPrimaryKeys(
  writing: Writing,
  table: Table,
  rows: Sequence<Row>,
  run: EntryBuffer,
): Steps<Uint32Array> {
  const order = yield* run.order(writing);
  if (areConsecutive(tableLayout(table), rows) && (yield* isGap(writing, run))) return order;
  for (let i = 1; i < order.length; i++) {
    const pause = writing.pause();
    if (pause !== undefined) yield pause;
    if (!run.isRepeated(order[i - 1] as number, order[i] as number)) continue;
    const detail = `two rows for table "${table.name}" have the same primary key`;
    const inputRow = order[i] as number;
    throw fail('constraint_violation', detail, { execution: { table: table.name }, inputRow });
  }
  yield* writing.readAll(run.keys, order, (at, value) => {
    if (value !== undefined) throw existing(table, at);
  });
  return order;
}

/**
 * Whether the keys are integers that follow each other without a gap, as those of loads mostly do. Then the interval from the first to the last holds
 * nothing else: to have looked at it says no more, and no less, than to have looked at each of them.
 */
function areConsecutive({ table, keyOrdinals }: TableLayout, rows: Sequence<Row>): boolean {
  const ordinal = keyOrdinals[0] as number;
  if (rows.length < consecutiveMin || keyOrdinals.length > 1) return false;
  if ((table.columns[ordinal] as Column).type !== 'int64') return false;
  const first = (rows.at(0) as Row)[ordinal];
  if (typeof first !== 'number') return false;
  for (let i = 1; i < rows.length; i++)
    if ((rows.at(i) as Row)[ordinal] !== first + i) return false;
  return true;
}

/** Fewer are looked up one by one: opening a scan takes as long as some reads. */
const consecutiveMin = 16;

/** Whether nothing stands at these keys, which are consecutive. */
function* isGap({ transaction }: Writing, run: EntryBuffer): Steps<boolean> {
  // Views of memory in which nothing changes any more.
  const range = { from: run.key(0), to: afterKey(run.key(run.count - 1)) };
  const cursor = transaction.scan(range, 'forward');
  try {
    for (let moved = cursor.next(); ; moved = cursor.next()) {
      if (moved instanceof Promise) yield moved;
      else return !moved;
    }
  } finally {
    cursor.close();
  }
}
