/**
 * The mapping of rows and index entries to keys and values (docs/storage-format.md §Keys, §Rows). There is one layout per table or index,
 * compiled once and cached for the life of its immutable record.
 *
 * The key of a row is `space, physical id, primary-key tuple`. Its body contains the other columns by physical id, and also float64 key
 * columns, because keys turn -0 into +0. The key of an index entry is `space, physical id, index tuple`, followed by the primary-key tuple
 * unless the index is unique and no member is NULL. In that case the value is the primary-key tuple; otherwise it is empty.
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
  /** Append the key or the body of a row in catalog order. */
  appendKey(writer: ByteWriter, row: Row): void;
  appendBody(writer: ByteWriter, row: Row): void;
  /** Returns the key of a row in catalog order. */
  keyOfRow(row: Row): Uint8Array;
  /** Returns the key for primary-key values in key order, none of which may be NULL. */
  keyOfValues(values: readonly Scalar[]): Uint8Array;
  bodyOfRow(row: Row): Uint8Array;
  /** Returns a new reader of the cells of one stored row at a time. */
  reader(): RowReader;
}

export interface RowReader {
  /** Opens a stored row. Its bytes must not change until the next call. */
  open(
    key: Uint8Array,
    keyFrom: number,
    keyTo: number,
    body: Uint8Array,
    bodyFrom: number,
    bodyTo: number,
  ): void;
  /** Returns the datum of a column by catalog ordinal. If the row is older than the column, returns the column's missing value. */
  cell(ordinal: number): Scalar;
}

export interface IndexLayout {
  readonly table: Table;
  readonly index: Index;
  readonly range: KeyRange;
  /** Ordinals (catalog order) of the indexed columns, in index order. */
  readonly ordinals: readonly number[];
  /** Returns the entry of a row in catalog order. `rowKey` must be its `keyOfRow`. */
  entry(row: Row, rowKey: Uint8Array): { readonly key: Uint8Array; readonly value: Uint8Array };
  /**
   * Appends the key and then the value of the entry of row `at` of `columns`, the columns of the index in index order. `rowKey[keyFrom,
   * keyTo)` is the key of the row. Returns the end of the entry's key in `writer`. Throws `invalid` if the index tuple is too long.
   */
  appendEntry(
    writer: ByteWriter,
    columns: readonly ArrayLike<Scalar>[],
    at: number,
    rowKey: Uint8Array,
    keyFrom: number,
    keyTo: number,
  ): number;
  /** Does the same as `appendEntry` for a row in catalog order. */
  appendEntryOfRow(
    writer: ByteWriter,
    row: Row,
    rowKey: Uint8Array,
    keyFrom: number,
    keyTo: number,
  ): number;
  /** Returns the only possible key of an entry of a unique index for a tuple without NULL. */
  uniqueKey(values: readonly Scalar[]): Uint8Array;
  /** Returns the key of the row to which an entry belongs. */
  rowKeyOfEntry(
    key: Uint8Array,
    keyFrom: number,
    keyTo: number,
    value: Uint8Array,
    valueFrom: number,
    valueTo: number,
  ): Uint8Array;
}

/** One end of an interval of values. */
export interface IntervalBound {
  readonly value: Scalar;
  readonly inclusive: boolean;
}

/**
 * Returns the range of keys of a table (by primary key) or of an index whose tuple starts with `prefix` and whose next member is between
 * the bounds. NULL in `prefix` means exactly NULL. If only one bound is given, the range excludes NULL, which is never inside a bounded
 * interval. Returns `undefined` if the interval is empty: lower above upper, or a NULL bound.
 */
export type EncodeInterval = (
  layout: TableLayout | IndexLayout,
  prefix: readonly Scalar[],
  lower: IntervalBound | undefined,
  upper: IntervalBound | undefined,
) => KeyRange | undefined;
