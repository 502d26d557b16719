/** From a slot of a stored column to its value, in whichever encoding the column lies. */

import { ByteWriter } from '#base';
import type { Column } from '#catalog';
import { columnEncodings, readInt32, readLong, type StoredColumn } from '#storage';
import type { Scalar } from '#value';
import { cellValue } from './cell-code.ts';

/** Shared: reading never waits. */
const scratch = new ByteWriter(256);

/** The value of a slot that has one. How a column lies follows from its bytes and not from its type: texts may lie as integers do. */
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
      // All entries are made for a scan only.
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

/** Of the encodings of integers. */
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
