/** Reads single cells of rows in blocks with columnar layout, without assembling the row. */

import { type Column, type Table, tupleFrom } from '#catalog';
import { type BlockValues, columnEncodings, type StoredColumn } from '#storage';
import { decodeKeyMember, type Scalar, skipKeyMember } from '#value';
import { readText } from './cell-code.ts';
import { isStoredInBody } from './row-writer.ts';
import type { SlotGroup } from './slot-group.ts';
import { storedValue } from './stored-value.ts';

/**
 * A reader for some columns of one table, which are identified by their positions in `columns`. A reader contains no state of a row, so one
 * reader can serve all.
 */
export class SlotReader {
  private readonly columns: readonly Column[];
  /** Position in the primary key; -1 for columns that are stored as cells. */
  private readonly members: readonly number[];
  /** Position of each column in the last block that was read. */
  private readonly near: number[];

  constructor(table: Table, columns: readonly Column[]) {
    this.columns = columns;
    this.members = columns.map((column) =>
      isStoredInBody(table, column) ? -1 : table.primaryKey.indexOf(column.id),
    );
    this.near = columns.map(() => 0);
  }

  /** Returns the datum of a column of the row with `key`, which is in `slot` of a block with columnar layout. */
  cell(which: number, key: Uint8Array, values: BlockValues, slot: number): Scalar {
    const column = this.columns[which] as Column;
    const member = this.members[which] as number;
    if (member >= 0) return keyMember(column, key, member);
    const stored = values.column?.(column.physicalId, this.near[which] as number);
    if (stored === undefined) return column.missing;
    this.near[which] = stored.position;
    if (stored.absentAt !== 0 && stored.isAbsent(slot)) return column.missing;
    if (stored.nullsAt !== 0 && stored.isNull(slot)) return null;
    return storedValue(column, stored, slot);
  }

  /** Reads a column of all rows of a group into `out`, at their positions. */
  cells(which: number, group: SlotGroup, out: Scalar[]): void {
    const column = this.columns[which] as Column;
    const member = this.members[which] as number;
    const { keys, positions, count } = group;
    if (member >= 0) {
      for (let i = 0; i < count; i++) {
        out[positions[i] as number] = keyMember(column, keys[i] as Uint8Array, member);
      }
    } else if (column.type === 'text') {
      this.texts(which, group, out);
    } else {
      for (let block = 0; block < group.blockCount; block++) {
        blockCells(column, this.stored(which, group, block), group, block, out);
      }
    }
  }

  /**
   * Computes the positions of all texts and reads their first bytes before it creates a string. The CPU then waits for several memory reads
   * at a time.
   */
  private texts(which: number, group: SlotGroup, out: Scalar[]): void {
    const column = this.columns[which] as Column;
    if (bounds.length <= 2 * group.count) bounds = new Uint32Array(4 * group.count);
    for (let block = 0; block < group.blockCount; block++) {
      const stored = this.stored(which, group, block);
      const isPlain = stored !== undefined && hasPlainTexts(stored);
      plain[block] = isPlain ? stored : undefined;
      if (isPlain) findTexts(stored, group, block);
      else blockCells(column, stored, group, block, out);
    }
    for (let block = 0; block < group.blockCount; block++) {
      const stored = plain[block];
      if (stored !== undefined) touchTexts(stored, group, block);
    }
    for (let block = 0; block < group.blockCount; block++) {
      const stored = plain[block];
      if (stored !== undefined) readTexts(stored, group, block, out);
    }
    // A column keeps its block in memory.
    plain.length = 0;
  }

  private stored(which: number, group: SlotGroup, block: number): StoredColumn | undefined {
    const { physicalId } = this.columns[which] as Column;
    const values = group.blocks[block] as BlockValues;
    const stored = values.column?.(physicalId, this.near[which] as number);
    if (stored !== undefined) this.near[which] = stored.position;
    return stored;
  }
}

/** Reads the cells of the rows of one block of a group. */
function blockCells(
  column: Column,
  stored: StoredColumn | undefined,
  group: SlotGroup,
  block: number,
  out: Scalar[],
): void {
  const { slots, positions } = group;
  const end = group.endOf(block);
  for (let i = group.starts[block] as number; i < end; i++) {
    const slot = slots[i] as number;
    let value: Scalar;
    if (stored === undefined || stored.isAbsent(slot)) value = column.missing;
    else if (stored.isNull(slot)) value = null;
    else value = storedValue(column, stored, slot);
    out[positions[i] as number] = value;
  }
}

// Shared, because reading never waits: the begin and end of each text of a group, by row, and the columns that contain them, by block.
let bounds = new Uint32Array(256);
const plain: (StoredColumn | undefined)[] = [];

/** Returns whether every slot has a text and the texts are stored one after the other. */
function hasPlainTexts({ encoding, nullsAt, absentAt }: StoredColumn): boolean {
  if (nullsAt !== 0 || absentAt !== 0) return false;
  return encoding === columnEncodings.narrowEnds || encoding === columnEncodings.wideEnds;
}

function findTexts(stored: StoredColumn, group: SlotGroup, block: number): void {
  const { slots } = group;
  const end = group.endOf(block);
  for (let i = group.starts[block] as number; i < end; i++) {
    const slot = slots[i] as number;
    bounds[2 * i] = stored.cellFrom(slot);
    bounds[2 * i + 1] = stored.cellTo(slot);
  }
}

/** Reads the first byte of each text. The sum is stored, because a compiler removes an unused result. */
function touchTexts({ bytes }: StoredColumn, group: SlotGroup, block: number): void {
  const end = group.endOf(block);
  let sum = 0;
  for (let i = group.starts[block] as number; i < end; i++) {
    sum += bytes[bounds[2 * i] as number] as number;
  }
  bounds[2 * group.count] = sum;
}

function readTexts(
  { bytes, isAscii }: StoredColumn,
  group: SlotGroup,
  block: number,
  out: Scalar[],
): void {
  const { positions } = group;
  const end = group.endOf(block);
  for (let i = group.starts[block] as number; i < end; i++) {
    const from = bounds[2 * i] as number;
    out[positions[i] as number] = readText(bytes, from, bounds[2 * i + 1] as number, isAscii);
  }
}

function keyMember({ type, identifierFormat }: Column, key: Uint8Array, member: number): Scalar {
  let at = tupleFrom;
  for (let i = 0; i < member; i++) at = skipKeyMember(key, at);
  return decodeKeyMember(key, at, type, identifierFormat);
}
