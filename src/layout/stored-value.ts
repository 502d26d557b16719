/** Reads the value in a slot of a stored column in any encoding. */

import { ByteWriter } from '#base';
import type { Column } from '#catalog';
import { columnEncodings, readInt32, readLong, type StoredColumn } from '#storage';
import type { Scalar } from '#value';
import { cellValue } from './cell-code.ts';

/** Shared buffer, which is safe because reading never waits. */
const scratch = new ByteWriter(256);

/**
 * Returns the value of a slot that has one. The encoding depends on the bytes of the column and not on its type: texts may be stored like
 * integers.
 */
export function storedValue(column: Column, stored: StoredColumn, slot: number): Scalar {
  const { bytes, dataAt } = stored;
  switch (stored.encoding) {
    case columnEncodings.narrowEnds:
    case columnEncodings.wideEnds:
      return cellValue(column, bytes, stored.cellFrom(slot), stored.cellTo(slot), stored.isAscii);
    case columnEncodings.constant:
      return cellValue(column, bytes, dataAt, dataAt + stored.auxiliaryAt, stored.isAscii);
    case columnEncodings.dictionary: {
      const code = bytes[dataAt + slot] as number;
      // Only scans decode all entries.
      if (stored.entries !== undefined) return stored.entries[code] as Scalar;
      const to = stored.entryTo(code);
      return cellValue(column, bytes, stored.entryFrom(code), to, stored.isAscii);
    }
    case columnEncodings.eight:
      return cellValue(column, bytes, dataAt + 8 * slot, dataAt + 8 * slot + 8, stored.isAscii);
    default:
      return column.type === 'int64' ? intAt(stored, slot) : joinedAt(column, stored, slot);
  }
}

/** Reads an integer of one of the encodings of integers. */
function intAt(stored: StoredColumn, slot: number): number | bigint {
  const { bytes, dataAt, base } = stored;
  switch (stored.encoding) {
    case columnEncodings.offset8:
      return base + (bytes[dataAt + slot] as number);
    case columnEncodings.offset16: {
      const at = dataAt + 2 * slot;
      return base + ((bytes[at] as number) | ((bytes[at + 1] as number) << 8));
    }
    case columnEncodings.offset32:
      return base + (readInt32(bytes, dataAt + 4 * slot) >>> 0);
    default:
      return readLong(bytes, dataAt + 8 * slot);
  }
}

function joinedAt(column: Column, stored: StoredColumn, slot: number): Scalar {
  scratch.clear();
  stored.appendCell(slot, scratch);
  return cellValue(column, scratch.bytes, 0, scratch.length, stored.isAscii);
}
