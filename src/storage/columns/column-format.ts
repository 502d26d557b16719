/** The columnar layout of a block of rows (docs/storage-format.md, "Columns"): the meaning of directory entries and sections. */

/** Stored in blocks: must not change. */
export const columnLayout = 1;

/** First byte of row keys. The four bytes of the table id follow this byte, and a block contains rows of one table only. */
export const rowSpace = 0x20;
export const tablePrefixBytes = 5;

/** Encodings of the cells of a column. Stored in blocks: must not change. */
export const columnEncodings = {
  /** Integers of eight bytes. */
  int64: 0,
  /** Integers as a base and an offset of 1, 2 or 4 bytes. */
  offset8: 1,
  offset16: 2,
  offset32: 3,
  /** Cells of eight bytes, verbatim. */
  eight: 4,
  /** Concatenated cells, with their ends as u16 or u32. */
  narrowEnds: 5,
  wideEnds: 6,
  /** A code of one byte for each slot; the dictionary entries are at the auxiliary offset. */
  dictionary: 7,
  /** One cell that all slots share. */
  constant: 8,
  /** Cells of one byte, 0 or 1, as bits. */
  bits: 9,
} as const;

/** Flag: every byte of every cell is below 0x80. */
export const asciiColumn = 1;
