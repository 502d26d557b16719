/**
 * Stored entries by slot. A cursor returns a run of slots of a block without copying its entries.
 */

import type { ByteWriter } from '#base';

/** Receives the body that `join` assembles. Cursors and lookups are such targets. */
export interface ValueTarget {
  value: Uint8Array;
  valueFrom: number;
  valueTo: number;
}

/**
 * The result of a point read, left in its block: valid until the next read of the view, and
 * read-only.
 */
export interface FoundValue {
  /**
   * The values of the block if they are stored as columns; `slot` is the slot of the value. If
   * `undefined`, the value is `value[valueFrom, valueTo)`.
   */
  readonly block: BlockValues | undefined;
  readonly slot: number;
  readonly value: Uint8Array;
  readonly valueFrom: number;
  readonly valueTo: number;
}

/** The values of one opened block. */
export interface BlockValues {
  /**
   * Points `target` at the body of `slot`. The body is valid until the next `join` into the same
   * target.
   */
  join(slot: number, target: ValueTarget): void;
  /**
   * Returns the column with a physical id, or `undefined` if no slot has a cell of it. The search
   * begins at position `near`. The method is absent if values are not stored as columns.
   */
  column?(id: number, near?: number): StoredColumn | undefined;
  /** Memory in bytes that readers may attach to the block, without the bytes of the block. */
  readonly heldBytes?: number;
}

/**
 * A column of a block, by slot: its position, its encoding (docs/storage-format.md, "Columns"), and
 * its cells as bytes.
 */
export interface StoredColumn {
  /** The block that contains the column. */
  readonly bytes: Uint8Array;
  /** Index among the columns of the block. */
  readonly position: number;
  readonly encoding: number;
  /** Every byte of every cell is below 0x80. */
  readonly isAscii: boolean;
  /**
   * Offsets of the bitmaps of slots that are NULL and of slots that have no cell; 0 if there are
   * none.
   */
  readonly nullsAt: number;
  readonly absentAt: number;
  readonly dataAt: number;
  readonly auxiliaryAt: number;
  readonly base: number;
  /**
   * Values that a reader has decoded from the dictionary. They stay valid because a column never
   * changes its type.
   */
  entries: readonly unknown[] | undefined;
  /** Number of dictionary cells. `entryFrom` and `entryTo` return the bounds of the cell of a code. */
  readonly entryCount: number;
  entryFrom(code: number): number;
  entryTo(code: number): number;
  /** Bounds of the cell of a slot, if the cells are stored contiguously. */
  cellFrom(slot: number): number;
  cellTo(slot: number): number;
  isNull(slot: number): boolean;
  isAbsent(slot: number): boolean;
  /** Appends the cell of `slot`, which must have a value. */
  appendCell(slot: number, out: ByteWriter): void;
}

/**
 * A condition on a column that the wanted rows satisfy; other rows may be left out. Cursors read
 * the bound at each block, because its owner may narrow it during a scan.
 */
export type ZoneBound = NumberBound | TextBound | ContentBound;

/** A number within [min, max]. NULL matches if neither end is finite. */
export interface NumberBound {
  readonly kind: 'number';
  /** Physical id of the column. */
  readonly column: number;
  /** True for a float64 column, false for int64. */
  readonly isFloat: boolean;
  readonly min: number;
  readonly max: number;
}

/**
 * A text within [least, greatest], as UTF-8. The first `textZoneBytes` of an end suffice.
 * `undefined` means no bound at that end. NULL matches if there is no bound at either end.
 */
export interface TextBound {
  readonly kind: 'text';
  readonly column: number;
  readonly least: Uint8Array | undefined;
  readonly greatest: Uint8Array | undefined;
}

/** A condition on the presence of a value: the column is NULL (`null`), or it is not NULL (`value`). */
interface ContentBound {
  readonly kind: 'null' | 'value';
  readonly column: number;
}

/**
 * A block in memory, which must not be modified. The key of a slot is the prefix followed by the
 * suffix of the slot.
 */
export interface StoredBlock {
  readonly bytes: Uint8Array;
  /** Number of slots. */
  readonly rows: number;
  readonly prefixAt: number;
  readonly prefixLength: number;
  /**
   * The length of each suffix if all are equal; the suffixes then are contiguous from `suffixesAt`
   * on. 0 if the lengths differ.
   */
  readonly stride: number;
  readonly suffixesAt: number;
  /** Start of the suffix of `slot` in `bytes`. */
  suffixFrom(slot: number): number;
  suffixTo(slot: number): number;
  readonly values: BlockValues;
}

/**
 * The slots [from, to) of a block, at least one. The entries are consecutive in key order, and each
 * is the visible version of its key. The block is valid until the next call of `next` of the cursor
 * that returned the run: its memory may then contain another block.
 */
export interface BlockSpan {
  readonly block: StoredBlock;
  readonly from: number;
  readonly to: number;
}
