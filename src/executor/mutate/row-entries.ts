/** Keys and bodies of new rows, of which there may be millions: collected, checked to be new, and written in the order of the keys. */

import { afterKey, type Steps } from '#base';
import { type Column, type Table, writeProtocol } from '#catalog';
import { fail } from '#failure';
import { checkRowKey, type TableLayout, tableLayout } from '#layout';
import type { Row } from '#value';
import type { Sequence } from '../batch/long-list.ts';
import { EntryBuffer } from './entry-buffer.ts';
import { shadowed } from './shadows.ts';
import type { Writing } from './writing.ts';

/** Writes rows in catalog order, by a key that none has yet; returns their keys by number. */
export function* putNewRows(
  writing: Writing,
  table: Table,
  rows: Sequence<Row>,
): Steps<EntryBuffer> {
  const run = yield* entriesOf(writing, table, rows);
  const order = yield* checkPrimaryKeys(writing, table, rows, run);
  yield* putRun(writing, table, rows, { run, order });
  return run;
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

/** The refusal of a primary key that is taken. `inputRow`: see `Failure`. */
export function existing({ name: table }: Table, inputRow: number): Error {
  const detail = `table "${table}" has a row with this primary key already`;
  return fail('constraint_violation', detail, { execution: { table }, inputRow });
}
