/** Stored entries by slot: what a cursor hands on where a whole stretch of a block is shown as it lies. */

/** Where `join` leaves a body; cursors and lookups are such targets. */
export interface ValueTarget {
  value: Uint8Array;
  valueFrom: number;
  valueTo: number;
}

/** The values of one opened block. */
export interface BlockValues {
  /** Points `target` at the body of `slot`. The body is valid until the next `join` into the same target. */
  join(slot: number, target: ValueTarget): void;
}

/** A block in memory, which may be kept and is never written; the key of a slot is the prefix, then the slot's suffix. */
export interface StoredBlock {
  readonly bytes: Uint8Array;
  readonly prefixAt: number;
  readonly prefixLength: number;
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
