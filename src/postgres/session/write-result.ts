/** Writes the rows of a result to the client. */

import type { ShapedRows } from '#engine';
import { type SqlColumn, sqlError, type TextSetting } from '#sql';
import type { Row } from '#value';
import { rowDescription } from '../codec/backend.ts';
import { MessageWriter } from '../codec/message-writer.ts';
import { formatsOf, rowWriterOf } from '../format/write-row.ts';
import type { ResultRows } from './outcome.ts';
import type { SessionContext } from './session-context.ts';

/** Bytes that are gathered before they are sent. */
const gatheredBytes = 256 << 10;
/** Number of rows between two checks of the gathered bytes. */
const rowsAtOnce = 64;

/** Returns one format per column. Throws `08P01` if the client has given another number of formats. */
export function columnFormats(
  columns: readonly SqlColumn[],
  formats: readonly number[],
): readonly number[] {
  const found = formatsOf(formats, columns.length);
  if (found !== undefined) return found;
  const message = `bind message has ${formats.length} result formats but query has ${columns.length} columns`;
  throw sqlError('08P01', message);
}

export function describeRows(
  to: MessageWriter,
  columns: readonly SqlColumn[],
  formats: readonly number[],
): void {
  rowDescription(
    to,
    columns.map(({ name, type, tableId = 0, columnId = 0 }, i) => ({
      name,
      type,
      tableId,
      columnId,
      format: formats[i] ?? 0,
    })),
  );
}

/** Writes the rows from `from` to `to`. Returns a wait while the client is far behind. */
export function writeRows(
  session: SessionContext,
  { columns, output, rows }: ResultRows,
  formats: readonly number[],
  from: number,
  to: number,
): Promise<void> | undefined {
  if (from >= to) return undefined;
  const { outlet, textSetting } = session;
  const { writer } = outlet;
  const write = rowWriterOf(columns, output, formats, textSetting);
  for (let at = from; at < to; ) {
    const end = Math.min(to, at + rowsAtOnce);
    for (; at < end; at++) write(writer, rows[at] as Row);
    if (writer.length < gatheredBytes) continue;
    const wait = outlet.send();
    if (wait !== undefined) {
      return wait.then(() => writeRows(session, { columns, output, rows }, formats, at, to));
    }
  }
  return undefined;
}

/** Returns a function that throws if a row of a result cannot be written, so that a change is not committed whose rows cannot be shown. */
export function checkWritable(
  columns: readonly SqlColumn[],
  formats: readonly number[],
  setting: TextSetting,
): (result: ShapedRows) => undefined {
  return ({ columns: output, rows }) => {
    const write = rowWriterOf(columns, output, columnFormats(columns, formats), setting);
    const scratch = new MessageWriter();
    for (const row of rows) {
      scratch.length = 0;
      write(scratch, row);
    }
    scratch.clear();
  };
}
