/** Writes new rows, possibly millions: their keys and bodies are collected, checked to be new, and written in key order. */

import { afterKey, type Steps } from '#base';
import { type Column, type Table, writeProtocol } from '#catalog';
import { fail } from '#failure';
import { checkRowKey, type TableLayout, tableLayout } from '#layout';
import type { Row } from '#value';
import type { Sequence } from '../batch/long-list.ts';
import { EntryBuffer } from './entry-buffer.ts';
import type { MutationContext } from './mutation-context.ts';
import { shadowed } from './replacement-columns.ts';

/** Writes rows in catalog order, whose keys must not exist yet; returns their keys by row number. */
export function* putNewRows(
  mutationContext: MutationContext,
  table: Table,
  rows: Sequence<Row>,
): Steps<EntryBuffer> {
  const run = yield* entriesOf(mutationContext, table, rows);
  const order = yield* checkPrimaryKeys(mutationContext, table, rows, run);
  yield* putRun(mutationContext, table, rows, { run, order });
  return run;
}

interface OrderedRun {
  /** Entries by row number. */
  readonly run: EntryBuffer;
  /** The row numbers in key order. */
  readonly order: Uint32Array;
}

/**
 * Returns the keys and bodies of the rows. If columns are being replaced, it returns the keys alone: they are checked before any value is
 * converted.
 */
function* entriesOf(
  mutationContext: MutationContext,
  table: Table,
  rows: Sequence<Row>,
): Steps<EntryBuffer> {
  const layout = tableLayout(table);
  const hasBodies = writeProtocol(table).shadows.length === 0;
  const run = new EntryBuffer(layout.range.from.length, undefined, rows.length);
  let held = 0;
  let bytes = 0;
  for (let i = 0; i < rows.length; i++) {
    const pause = mutationContext.pause(1, bytes);
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
    mutationContext.hold(run.heldBytes - held);
    held = run.heldBytes;
  }
  return run;
}

/** Writes in key order, so that each entry is appended at the end. */
function* putRun(
  mutationContext: MutationContext,
  table: Table,
  rows: Sequence<Row>,
  { run, order }: OrderedRun,
): Steps<void> {
  const layout = tableLayout(table);
  const hasBodies = writeProtocol(table).shadows.length === 0;
  const held = run.heldBytes;
  run.handOver(mutationContext);
  // From here on, the memory of the run is accounted as written entries, except that of keys without bodies.
  if (hasBodies) {
    mutationContext.release(held);
    yield* run.putAll(order, mutationContext);
    return;
  }
  for (let i = 0; i < order.length; i++) {
    const pause = mutationContext.pause();
    if (pause !== undefined) yield pause;
    const at = order[i] as number;
    const body = layout.bodyOfRow(shadowed(table, rows.at(at) as Row, undefined, at));
    mutationContext.put(run.key(at), body);
  }
}

/** Checks that no key exists or occurs twice; returns the key order. */
function* checkPrimaryKeys(
  mutationContext: MutationContext,
  table: Table,
  rows: Sequence<Row>,
  run: EntryBuffer,
): Steps<Uint32Array> {
  const order = yield* run.order(mutationContext);
  if (areConsecutive(tableLayout(table), rows) && (yield* isGap(mutationContext, run)))
    return order;
  for (let i = 1; i < order.length; i++) {
    const pause = mutationContext.pause();
    if (pause !== undefined) yield pause;
    if (!run.isRepeated(order[i - 1] as number, order[i] as number)) continue;
    const detail = `two rows for table "${table.name}" have the same primary key`;
    const inputRow = order[i] as number;
    throw repeatedKey(table, detail, inputRow);
  }
  yield* mutationContext.eachKey(run.keys, order, (at, exists) => {
    if (exists) throw existing(table, at);
  });
  return order;
}

/**
 * Returns whether the keys are consecutive integers, as those of most loads are. The interval from the first to the last then contains no other
 * key, so that reading the interval is equivalent to looking up each key.
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

/** Fewer rows are looked up one by one: opening a scan takes as long as several reads. */
const consecutiveMin = 16;

/** Returns whether no row exists at these keys, which must be consecutive. */
function* isGap({ transaction }: MutationContext, run: EntryBuffer): Steps<boolean> {
  // These are views of memory that does not change any more.
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

/** Returns the failure of a primary key that exists already. For `inputRow`, see `Failure`. */
export function existing(table: Table, inputRow: number): Error {
  const detail = `table "${table.name}" has a row with this primary key already`;
  return repeatedKey(table, detail, inputRow);
}

function repeatedKey({ name: table }: Table, detail: string, inputRow: number): Error {
  const constraint = { kind: 'unique', table } as const;
  return fail('constraint_violation', detail, { execution: { table }, constraint, inputRow });
}
