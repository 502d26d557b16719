/** How a block of rows lies as columns (docs/storage-format.md, "Columns"): what directory entries and sections mean. */

/** Written into blocks for ever. */
export const columnLayout = 1;

/** Keys of rows start with this byte, and with the four bytes of their table: a block holds rows of one table. */
export const rowSpace = 0x20;
export const tablePrefixBytes = 5;

/** How the cells of a column lie. */
export const columnEncodings = {
  /** Integers as eight bytes. */
  int64: 0,
  /** Integers as a base and an offset of 1, 2 or 4 bytes. */
  offset8: 1,
  offset16: 2,
  offset32: 3,
  /** Cells of eight bytes, as they are. */
  eight: 4,
  /** Cells one after the other; their ends are u16 or u32. */
  narrowEnds: 5,
  wideEnds: 6,
  /** A code of one byte for each slot; the cells that it stands for lie at the auxiliary offset. */
  dictionary: 7,
  /** One cell, which every slot has. */
  constant: 8,
  /** Cells of one byte, 0 or 1. */
  bits: 9,
} as const;

/** Every byte of every cell is below 0x80. */
export const asciiColumn = 1;
