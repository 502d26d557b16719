/** Writes rows of a result as messages. */

import { readText, type SqlColumn, type TextSetting } from '#sql';
import { type Datum, encodeResult, type OutputColumn, type Row } from '#value';
import type { MessageWriter } from '../codec/message-writer.ts';
import { type CellWriter, cellWriterOf } from './write-cell.ts';

type RowWriter = (to: MessageWriter, row: Row) => void;

/** Returns a writer of the shown columns, which are the first ones of `output`. Formats are 0 for text and 1 for binary. */
export function rowWriterOf(
  columns: readonly SqlColumn[],
  output: readonly OutputColumn[],
  formats: readonly number[],
  setting: TextSetting,
): RowWriter {
  const writers = columns.map((column, i) =>
    columnWriterOf(column, output[i] as OutputColumn, formats[i] === 1, setting),
  );
  return (to, row) => {
    const from = to.length;
    try {
      to.begin('D');
      to.int16(writers.length);
      for (let i = 0; i < writers.length; i++) {
        const value = row[i] as Datum;
        if (value === null) to.int32(-1);
        else (writers[i] as CellWriter)(to, value);
      }
      to.end();
    } catch (error) {
      to.length = from;
      throw error;
    }
  };
}

function columnWriterOf(
  { type, shape }: SqlColumn,
  output: OutputColumn,
  isBinary: boolean,
  setting: TextSetting,
): CellWriter {
  const write = cellWriterOf(type, isBinary, setting);
  switch (shape.kind) {
    case 'scalar':
      if (type.element === undefined) return write;
      // A program computes an array as its text.
      return isBinary
        ? (to, value) => write(to, readText(type, value as string, setting) as Datum)
        : (to, value) => to.sizedText(value as string);
    case 'json':
      return (to, value) => write(to, jsonOf(output, value));
    case 'array':
      return (to, value) =>
        write(
          to,
          (value as readonly Row[]).map((row) => row[0] as Datum),
        );
  }
}

/** Returns nested rows as JSON text. A single value is shown without its row. */
function jsonOf(column: OutputColumn, value: Datum): string {
  return encodeResult([column], [[value]], 'scalar');
}

/** Returns the format of each column. No format: all are text. One: it applies to all. */
export function formatsOf(given: readonly number[], count: number): readonly number[] | undefined {
  if (given.length === count) return given;
  if (given.length <= 1) return new Array<number>(count).fill(given[0] ?? 0);
  return undefined;
}
