/** The layout of a table, cached for each record. */

import { ByteWriter } from '#base';
import type { Table } from '#catalog';
import {
  appendPrefix,
  columnOrdinal,
  columnsOf,
  keyPrefix,
  keySpaces,
  prefixRange,
  startKey,
} from '#catalog';
import { appendKeyMember, type Row, type Scalar, type ScalarType } from '#value';
import type { TableLayout } from './layout.ts';
import { RowPlaces, StoredRowReader } from './row-reader.ts';
import { bodyWriterOf } from './row-writer.ts';

const known = new WeakMap<Table, TableLayout>();
const startBytes = 4096;
/** A larger buffer is discarded after an unusually long row. */
const scratchBytesMax = 1 << 20;
/** Shared buffer, which is safe because encoding never waits, so it contains one row at a time. */
let scratch = new ByteWriter(startBytes);

export function tableLayout(table: Table): TableLayout {
  let layout = known.get(table);
  if (layout === undefined) {
    layout = compile(table);
    known.set(table, layout);
  }
  return layout;
}

function compile(table: Table): TableLayout {
  const prefix = keyPrefix(keySpaces.row, table.physicalId);
  const keyOrdinals = table.primaryKey.map((id) => columnOrdinal(table, id));
  const types = columnsOf(table, table.primaryKey).map((column) => column.type);
  const places = new RowPlaces(table);
  const appendBody = bodyWriterOf(table);
  const appendKey = (writer: ByteWriter, row: Row) => {
    appendPrefix(writer, prefix);
    for (let i = 0; i < types.length; i++) {
      const value = row[keyOrdinals[i] as number] as Scalar;
      appendKeyMember(writer, types[i] as ScalarType, value);
    }
  };
  return {
    table,
    range: prefixRange(prefix),
    keyOrdinals,
    appendKey,
    appendBody,
    keyOfRow: (row) => {
      scratch.clear();
      appendKey(scratch, row);
      return scratch.take();
    },
    keyOfValues: (values) => keyOfValues(prefix, types, values),
    bodyOfRow: (row) => {
      if (scratch.bytes.length > scratchBytesMax) scratch = new ByteWriter(startBytes);
      scratch.clear();
      appendBody(scratch, row);
      return scratch.take();
    },
    reader: () => new StoredRowReader(places),
  };
}

/** Returns the key that consists of `prefix` and one member per type. */
export function keyOfValues(
  prefix: Uint8Array,
  types: readonly ScalarType[],
  values: readonly Scalar[],
): Uint8Array {
  startKey(scratch, prefix);
  for (let i = 0; i < types.length; i++) {
    appendKeyMember(scratch, types[i] as ScalarType, values[i] as Scalar);
  }
  return scratch.take();
}
