/** The layout of a table, made once for each record. */

import { ByteWriter } from '#base';
import type { Table } from '#catalog';
import { columnOrdinal, columnsOf, keyPrefix, keySpaces, prefixRange, startKey } from '#catalog';
import { appendKeyMember, type Row, type Scalar, type ScalarType } from '#value';
import type { TableLayout } from './layout.ts';
import { RowPlaces, StoredRowReader } from './row-reader.ts';
import { bodyWriterOf } from './row-writer.ts';

const known = new WeakMap<Table, TableLayout>();
const scratch = new ByteWriter(256);

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
  return {
    table,
    range: prefixRange(prefix),
    keyOrdinals,
    keyOfRow: (row) => keyOfRow(prefix, types, keyOrdinals, row),
    keyOfValues: (values) => keyOfValues(prefix, types, values),
    bodyOfRow: bodyWriterOf(table),
    reader: () => new StoredRowReader(places),
  };
}

function keyOfRow(
  prefix: Uint8Array,
  types: readonly ScalarType[],
  ordinals: readonly number[],
  row: Row,
): Uint8Array {
  startKey(scratch, prefix);
  for (let i = 0; i < types.length; i++) {
    const value = row[ordinals[i] as number] as Scalar;
    appendKeyMember(scratch, types[i] as ScalarType, value);
  }
  return scratch.take();
}

/** The key that starts with `prefix` and goes on with one member a type. */
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
