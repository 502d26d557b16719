/** Stored entries by slot: what a cursor hands on where a whole stretch of a block is shown as it lies. */

import type { ByteWriter } from '#base';

/** Where `join` leaves a body; cursors and lookups are such targets. */
export interface ValueTarget {
  value: Uint8Array;
  valueFrom: number;
  valueTo: number;
}

/** The answer of a point read, where it lies. Valid until the next read of the view, and never written. */
export interface FoundValue {
  /** Where the value lies as columns: the values of its block, and its slot there. Undefined: it is `value[valueFrom, valueTo)`. */
  readonly block: BlockValues | undefined;
  readonly slot: number;
  readonly value: Uint8Array;
  readonly valueFrom: number;
  readonly valueTo: number;
}

/** The values of one opened block. */
export interface BlockValues {
  /** Points `target` at the body of `slot`. The body is valid until the next `join` into the same target. */
  join(slot: number, target: ValueTarget): void;
  /**
   * Where values lie as columns: that of a physical id, undefined when no slot has a cell of it. Absent: they do not. Position `near` is
   * looked at first.
   */
  column?(id: number, near?: number): StoredColumn | undefined;
  /** The length of the block, where values lie as columns. */
  readonly blockBytes?: number;
  /** Memory of what readers may leave with the block, its bytes not counted. */
  readonly heldBytes?: number;
}

/** A column of a block, by slot: where it lies, in which encoding (docs/storage-format.md, "Columns"), and its cells as bytes. */
export interface StoredColumn {
  /** The block. */
  readonly bytes: Uint8Array;
  /** Its place among the columns of the block. */
  readonly position: number;
  readonly encoding: number;
  /** Every byte of every cell is below 0x80. */
  readonly isAscii: boolean;
  /** Bitmaps of the slots that are NULL, or have no cell; 0 when none is. */
  readonly nullsAt: number;
  readonly absentAt: number;
  readonly dataAt: number;
  readonly auxiliaryAt: number;
  readonly base: number;
  /** What a reader has made of the entries of the dictionary: a column has one type for ever. */
  entries: readonly unknown[] | undefined;
  /** The cells of the dictionary, by code. */
  readonly entryCount: number;
  entryFrom(code: number): number;
  entryTo(code: number): number;
  /** Of cells that lie one after the other. */
  cellFrom(slot: number): number;
  cellTo(slot: number): number;
  isNull(slot: number): boolean;
  isAbsent(slot: number): boolean;
  /** Appends the cell of `slot`, which has a value. */
  appendCell(slot: number, out: ByteWriter): void;
}

/**
 * What rows of interest have in a column; other rows may be left out. Read at each block: the owner may draw a bound closer while a scan is
 * under way.
 */
export type ZoneBound = NumberBound | TextBound | ContentBound;

/** A number within [min, max]; NULL lies within where neither is an end. */
export interface NumberBound {
  readonly kind: 'number';
  /** Physical id. */
  readonly column: number;
  /** The column is a float64, else an int64. */
  readonly isFloat: boolean;
  readonly min: number;
  readonly max: number;
}

/** A text within [least, greatest], as UTF-8, of which the first `textZoneBytes` are enough; undefined: without that end. NULL lies within where there is none. */
export interface TextBound {
  readonly kind: 'text';
  readonly column: number;
  readonly least: Uint8Array | undefined;
  readonly greatest: Uint8Array | undefined;
}

/** NULL, or anything else. */
interface ContentBound {
  readonly kind: 'null' | 'value';
  readonly column: number;
}

/** A block in memory, which may be kept and is never written; the key of a slot is the prefix, then the slot's suffix. */
export interface StoredBlock {
  readonly bytes: Uint8Array;
  /** Slots. */
  readonly rows: number;
  readonly prefixAt: number;
  readonly prefixLength: number;
  /** The length of each suffix, which then lie one after the other from `suffixesAt` on; 0 when they differ. */
  readonly stride: number;
  readonly suffixesAt: number;
  /** Where the suffix of `slot` lies in `bytes`. */
  suffixFrom(slot: number): number;
  suffixTo(slot: number): number;
  readonly values: BlockValues;
}

/** The slots [from, to) of a block, at least one: entries that follow one another in key order, each the one that its key shows. */
export interface EntryRun {
  readonly block: StoredBlock;
  readonly from: number;
  readonly to: number;
}
