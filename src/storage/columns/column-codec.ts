/** The codec of rows: stores row bodies as columns. A block with any value that is not a row body is stored unchanged. */

import { afterPrefix } from '#base';
import type { BlockValues } from '../contract/stored-block.ts';
import type { BlockWriter } from '../table/block-writer.ts';
import { opaqueValues } from '../table/opaque-codec.ts';
import type { CodecRange, ValueCodec, ValueCodecs, ValueRows } from '../table/value-codec.ts';
import { BodyRows } from './body-rows.ts';
import { columnEncodings, columnLayout, rowSpace, tablePrefixBytes } from './column-format.ts';
import { ColumnValues } from './column-values.ts';
import { ColumnEncoder, writeBitmap } from './encode-column.ts';

const columnsMax = 0xfffe;

const columnCodec: ValueCodec = {
  layout: columnLayout,
  split: splitColumns,
  open: (bytes, columns): BlockValues => new ColumnValues(bytes, columns),
};

/** Stores rows of tables as columns and all other values unchanged. */
export const columnValues: ValueCodecs = {
  forKey: rangeOf,
  forLayout: (layout) => (layout === columnLayout ? columnCodec : opaqueValues.forLayout(layout)),
};

function rangeOf(key: Uint8Array): CodecRange {
  const { codec } = opaqueValues.forKey(key);
  const space = key[0] ?? 0;
  if (space < rowSpace) return { codec, to: Uint8Array.of(rowSpace) };
  if (space > rowSpace) return { codec, to: undefined };
  if (key.length < tablePrefixBytes) return { codec, to: afterKeyOf(key) };
  return { codec: columnCodec, to: afterPrefix(key.subarray(0, tablePrefixBytes)) };
}

/** Returns the key that follows `key` immediately. A key this short does not belong to a row, but the next key might. */
function afterKeyOf(key: Uint8Array): Uint8Array {
  const next = new Uint8Array(key.length + 1);
  next.set(key);
  return next;
}

/** Shared state, which is safe because splitting never waits. */
const rows = new BodyRows();
const encoder = new ColumnEncoder();

function splitColumns(values: ValueRows, writer: BlockWriter): number {
  if (!rows.open(values) || rows.emptyRows === values.count || rows.ids.length > columnsMax) {
    return opaqueValues.forKey(new Uint8Array(0)).codec.split(values, writer);
  }
  const { ids } = rows;
  writer.openDirectory(ids.length + 1);
  writeRows(values.count, writer);
  for (let i = 0; i < ids.length; i++) {
    const id = ids[i] as number;
    encoder.write(id, rows.column(id), i + 1, writer, rows.emptyRows);
  }
  return columnLayout;
}

/**
 * Writes the directory entry of the bodies themselves, under id 0, which no column has. Its absent bits mark slots without a body, which
 * are tombstones. Its data is a bitmap of the bodies marked as ASCII. If all bodies agree, the auxiliary value is 1 if they are ASCII, else
 * 0.
 */
function writeRows(count: number, writer: BlockWriter): void {
  const { isAscii, asciiRows, isEmpty, emptyRows } = rows;
  const absentAt = emptyRows === 0 ? 0 : writeBitmap(count, (slot) => isEmpty[slot] === 1, writer);
  const areAlike = asciiRows === 0 || asciiRows === count - emptyRows;
  if (areAlike) {
    const auxiliaryAt = asciiRows === 0 ? 0 : 1;
    writer.entry(0, { encoding: columnEncodings.constant, absentAt, dataAt: 0, auxiliaryAt });
    return;
  }
  const dataAt = writeBitmap(count, (slot) => isAscii[slot] === 1, writer);
  writer.entry(0, { encoding: columnEncodings.bits, absentAt, dataAt });
}
