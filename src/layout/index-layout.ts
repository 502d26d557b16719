/** The layout of an index, cached for each pair of a table record and an index record. */

import { ByteWriter, invariant } from '#base';
import type { Index, Table } from '#catalog';
import {
  columnOrdinal,
  columnsOf,
  keyPrefix,
  keySpaces,
  prefixRange,
  startKey,
  tupleFrom,
} from '#catalog';
import { appendKeyMember, type Row, type Scalar, type ScalarType, skipKeyMembers } from '#value';
import type { IndexLayout } from './layout.ts';
import { keyOfValues } from './table-layout.ts';
import { checkIndexTuple } from './tuple-size.ts';

const known = new WeakMap<Table, WeakMap<Index, IndexLayout>>();
const scratch = new ByteWriter(256);
const nothing = new Uint8Array(0);

export function indexLayout(table: Table, index: Index): IndexLayout {
  let ofTable = known.get(table);
  if (ofTable === undefined) {
    ofTable = new WeakMap();
    known.set(table, ofTable);
  }
  let layout = ofTable.get(index);
  if (layout === undefined) {
    layout = compile(table, index);
    ofTable.set(index, layout);
  }
  return layout;
}

function compile(table: Table, index: Index): IndexLayout {
  const prefix = keyPrefix(keySpaces.index, index.physicalId);
  const rowPrefix = keyPrefix(keySpaces.row, table.physicalId);
  const ordinals = index.columns.map((id) => columnOrdinal(table, id));
  const types = columnsOf(table, index.columns).map((column) => column.type);
  /** Appends the row key to the index tuple of the entry that begins at `start`, and returns the end of the entry's key. */
  const appendRowKey = (
    writer: ByteWriter,
    start: number,
    hasNull: boolean,
    { rowKey, keyFrom, keyTo }: KeyPlace,
  ): number => {
    checkIndexTuple(layout, writer.length - start - tupleFrom);
    const tupleTo = writer.length;
    writer.append(rowKey, keyFrom + tupleFrom, keyTo);
    return index.unique && !hasNull ? tupleTo : writer.length;
  };
  const layout: IndexLayout = {
    table,
    index,
    range: prefixRange(prefix),
    ordinals,
    appendEntry: (writer, columns, at, rowKey, keyFrom, keyTo) => {
      const start = writer.length;
      writer.append(prefix);
      let hasNull = false;
      for (let i = 0; i < types.length; i++) {
        const value = (columns[i] as ArrayLike<Scalar>)[at] as Scalar;
        if (value === null) hasNull = true;
        appendKeyMember(writer, types[i] as ScalarType, value);
      }
      return appendRowKey(writer, start, hasNull, { rowKey, keyFrom, keyTo });
    },
    appendEntryOfRow: (writer, row, rowKey, keyFrom, keyTo) => {
      const start = writer.length;
      writer.append(prefix);
      const hasNull = appendTuple(writer, types, ordinals, row);
      return appendRowKey(writer, start, hasNull, { rowKey, keyFrom, keyTo });
    },
    entry: (row, rowKey) => {
      startKey(scratch, prefix);
      const hasNull = appendTuple(scratch, types, ordinals, row);
      if (index.unique && !hasNull) return { key: scratch.take(), value: rowKey.slice(tupleFrom) };
      scratch.append(rowKey, tupleFrom);
      return { key: scratch.take(), value: nothing };
    },
    uniqueKey: (values) => keyOfValues(prefix, types, values),
    rowKeyOfEntry: (key, keyFrom, keyTo, value, valueFrom, valueTo) => {
      if (valueTo > valueFrom) return join(rowPrefix, value, valueFrom, valueTo);
      const from = skipKeyMembers(key, keyFrom + tupleFrom, ordinals.length);
      return join(rowPrefix, key, from, keyTo);
    },
  };
  return layout;
}

interface KeyPlace {
  readonly rowKey: Uint8Array;
  readonly keyFrom: number;
  readonly keyTo: number;
}

/** Appends the members of the index tuple of a row. Returns true if one of them is NULL. */
function appendTuple(
  writer: ByteWriter,
  types: readonly ScalarType[],
  ordinals: readonly number[],
  row: Row,
): boolean {
  let hasNull = false;
  for (let i = 0; i < ordinals.length; i++) {
    const value = row[ordinals[i] as number] as Scalar;
    if (value === null) hasNull = true;
    appendKeyMember(writer, types[i] as ScalarType, value);
  }
  return hasNull;
}

function join(prefix: Uint8Array, tuple: Uint8Array, from: number, to: number): Uint8Array {
  invariant(from < to, 'an entry holds the primary key of its row');
  const key = new Uint8Array(tupleFrom + to - from);
  for (let i = 0; i < tupleFrom; i++) key[i] = prefix[i] as number;
  for (let i = from; i < to; i++) key[tupleFrom + i - from] = tuple[i] as number;
  return key;
}
