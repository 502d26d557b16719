/** From a row that lies as columns in its block to single cells: no row is put together for them. */

import { ByteWriter } from '#base';
import { type Column, type Table, tupleFrom } from '#catalog';
import {
  type BlockValues,
  columnEncodings,
  readInt32,
  readLong,
  type StoredColumn,
} from '#storage';
import { decodeKeyMember, type Scalar, skipKeyMember } from '#value';
import { cellValue } from './cell-code.ts';
import { isStoredInBody } from './row-writer.ts';

/** Shared: reading never waits. */
const scratch = new ByteWriter(256);

/** For some columns of one table, which are called by their positions in `columns`. Holds nothing of a row: one serves all readers. */
export class SlotReader {
  private readonly columns: readonly Column[];
  /** The position in the primary key; -1 for columns that are cells. */
  private readonly members: readonly number[];
  /** Where a column stood in the block that was read last. */
  private readonly near: number[];

  constructor(table: Table, columns: readonly Column[]) {
    this.columns = columns;
    this.members = columns.map((column) =>
      isStoredInBody(table, column) ? -1 : table.primaryKey.indexOf(column.id),
    );
    this.near = columns.map(() => 0);
  }

  /** The datum of a column, of the row with `key` in `slot` of a block whose values lie as columns. */
  cell(which: number, key: Uint8Array, values: BlockValues, slot: number): Scalar {
    const column = this.columns[which] as Column;
    const member = this.members[which] as number;
    if (member >= 0) return keyMember(column, key, member);
    const stored = values.column?.(column.physicalId, this.near[which] as number);
    if (stored === undefined) return column.missing;
    this.near[which] = stored.position;
    if (stored.absentAt !== 0 && stored.isAbsent(slot)) return column.missing;
    if (stored.nullsAt !== 0 && stored.isNull(slot)) return null;
    return valueAt(column, stored, slot);
  }
}

function keyMember({ type, identifierFormat }: Column, key: Uint8Array, member: number): Scalar {
  let at = tupleFrom;
  for (let i = 0; i < member; i++) at = skipKeyMember(key, at);
  return decodeKeyMember(key, at, type, identifierFormat);
}

/** How a column lies follows from its bytes and not from its type: texts may lie as integers do. */
function valueAt(column: Column, stored: StoredColumn, slot: number): Scalar {
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
