/** From a row that lies as columns in its block to single cells: no row is put together for them. */

import { type Column, type Table, tupleFrom } from '#catalog';
import type { BlockValues } from '#storage';
import { decodeKeyMember, type Scalar, skipKeyMember } from '#value';
import { isStoredInBody } from './row-writer.ts';
import type { SlotGroup } from './slot-group.ts';
import { storedValue } from './stored-value.ts';

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
    return storedValue(column, stored, slot);
  }

  /** As `cell`, for all rows of a group: into `out`, at their positions. */
  cells(which: number, group: SlotGroup, out: Scalar[]): void {
    const column = this.columns[which] as Column;
    const member = this.members[which] as number;
    const { slots, keys, positions, count } = group;
    if (member >= 0) {
      for (let i = 0; i < count; i++) {
        out[positions[i] as number] = keyMember(column, keys[i] as Uint8Array, member);
      }
      return;
    }
    const stored = group.block?.column?.(column.physicalId, this.near[which] as number);
    if (stored === undefined) {
      for (let i = 0; i < count; i++) out[positions[i] as number] = column.missing;
      return;
    }
    this.near[which] = stored.position;
    const hasGaps = stored.absentAt !== 0 || stored.nullsAt !== 0;
    for (let i = 0; i < count; i++) {
      const slot = slots[i] as number;
      let value: Scalar;
      if (hasGaps && stored.isAbsent(slot)) value = column.missing;
      else if (hasGaps && stored.isNull(slot)) value = null;
      else value = storedValue(column, stored, slot);
      out[positions[i] as number] = value;
    }
  }
}

function keyMember({ type, identifierFormat }: Column, key: Uint8Array, member: number): Scalar {
  let at = tupleFrom;
  for (let i = 0; i < member; i++) at = skipKeyMember(key, at);
  return decodeKeyMember(key, at, type, identifierFormat);
}
