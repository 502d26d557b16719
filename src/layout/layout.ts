/**
 * How rows and index entries become keys and values (docs/storage-format.md §Keys, §Rows). One layout a table or index,
 * compiled once and kept for the life of the immutable record that it was made for.
 *
 * A row's key is `space, physical id, primary-key tuple`; its body holds the other columns by physical id (and float64 key columns, because
 * keys fold -0 into +0). An index entry's key is `space, physical id, index tuple`, followed by the primary-key tuple unless the index is
 * unique and no member is NULL; its value is the primary-key tuple in that case and empty otherwise.
 */

import type { ByteWriter } from '#base';
import type { Index, Table } from '#catalog';
import type { KeyRange } from '#storage';
import type { Row, Scalar } from '#value';

export interface TableLayout {
  readonly table: Table;
  /** The key range of all rows. */
  readonly range: KeyRange;
  /** Ordinals (catalog order) of the primary-key columns, in key order. */
  readonly keyOrdinals: readonly number[];
  /** Append the key, or the body, of a row given in catalog order. */
  appendKey(writer: ByteWriter, row: Row): void;
  appendBody(writer: ByteWriter, row: Row): void;
  /** The key of a row given in catalog order. */
  keyOfRow(row: Row): Uint8Array;
  /** The key for primary-key values in key order; none may be NULL. */
  keyOfValues(values: readonly Scalar[]): Uint8Array;
  bodyOfRow(row: Row): Uint8Array;
  /** A fresh reader: a cursor over the cells of one stored row at a time. */
  reader(): RowReader;
}

export interface RowReader {
  /** Stands on a stored row; the bytes must stay unchanged until the next call. */
  open(
    key: Uint8Array,
    keyFrom: number,
    keyTo: number,
    body: Uint8Array,
    bodyFrom: number,
    bodyTo: number,
  ): void;
  /** The datum of a column by catalog ordinal. A column younger than the row reads its missing value. */
  cell(ordinal: number): Scalar;
}

export interface IndexLayout {
  readonly table: Table;
  readonly index: Index;
  readonly range: KeyRange;
  /** Ordinals (catalog order) of the indexed columns, in index order. */
  readonly ordinals: readonly number[];
  /** The entry of a row given in catalog order; `rowKey` is its `keyOfRow`. */
  entry(row: Row, rowKey: Uint8Array): { readonly key: Uint8Array; readonly value: Uint8Array };
  /**
   * Appends the key of the entry of row `at` of `columns`, which are those of the index in its order, and then its value; `rowKey[keyFrom, keyTo)` is the key of the
   * row. Returns where the key of the entry ends in `writer`. Throws `invalid` when its tuple is too long.
   */
  appendEntry(
    writer: ByteWriter,
    columns: readonly ArrayLike<Scalar>[],
    at: number,
    rowKey: Uint8Array,
    keyFrom: number,
    keyTo: number,
  ): number;
  /** The same of a row given in catalog order. */
  appendEntryOfRow(
    writer: ByteWriter,
    row: Row,
    rowKey: Uint8Array,
    keyFrom: number,
    keyTo: number,
  ): number;
  /** For a unique index and a tuple without NULL: the one key under which its entry stands. */
  uniqueKey(values: readonly Scalar[]): Uint8Array;
  /** The key of the row that an entry stands for. */
  rowKeyOfEntry(
    key: Uint8Array,
    keyFrom: number,
    keyTo: number,
    value: Uint8Array,
    valueFrom: number,
    valueTo: number,
  ): Uint8Array;
}

/** One end of an interval, in data. */
export interface Bound {
  readonly value: Scalar;
  readonly inclusive: boolean;
}

/**
 * The keys of a table (by primary key) or of an index whose tuple starts with `prefix` and whose next member lies between the bounds.
 * NULL in `prefix` means exactly NULL. With one bound given, a missing other bound stops at NULL: NULL is never inside a bounded interval.
 * Undefined when the interval is empty (lower above upper, or a NULL bound).
 */
export type EncodeInterval = (
  layout: TableLayout | IndexLayout,
  prefix: readonly Scalar[],
  lower: Bound | undefined,
  upper: Bound | undefined,
) => KeyRange | undefined;
