/** Decodes index entries to cells of a batch, if the entries contain all columns that the plan reads: the rows are not fetched. */

import { type Index, tupleFrom } from '#catalog';
import type { ScanPlan } from '#planner';
import type { EntryCursor } from '#storage';
import { decodeKeyMember, skipKeyMember } from '#value';
import type { Vector } from '../../batch/vector.ts';

interface Member {
  /** Index of the column that receives the value, or -1 if the member is skipped. */
  readonly columnIndex: number;
  readonly column: ScanPlan['columns'][number] | undefined;
}

export class EntryDecoder {
  private readonly members: readonly Member[];
  private readonly keyMembers: readonly Member[];

  constructor({ table, columns }: ScanPlan, index: Index) {
    const memberOf = (id: number): Member => {
      const columnIndex = columns.findIndex((column) => column.id === id);
      return { columnIndex, column: columns[columnIndex] };
    };
    // A column that is in both the index and the primary key is decoded once, from the index.
    const own = new Set(index.columns);
    this.members = index.columns.map(memberOf);
    this.keyMembers = table.primaryKey.map((id) =>
      own.has(id) ? { columnIndex: -1, column: undefined } : memberOf(id),
    );
  }

  decode(cursor: EntryCursor, columns: readonly Vector[], at: number): void {
    const { key, value, valueFrom, valueTo } = cursor;
    const behind = read(this.members, key, cursor.keyFrom + tupleFrom, columns, at);
    if (valueTo > valueFrom) read(this.keyMembers, value, valueFrom, columns, at);
    else read(this.keyMembers, key, behind, columns, at);
  }
}

/** Decodes the members; returns the position after them. */
function read(
  members: readonly Member[],
  bytes: Uint8Array,
  from: number,
  columns: readonly Vector[],
  at: number,
): number {
  let place = from;
  for (let i = 0; i < members.length; i++) {
    const { columnIndex, column } = members[i] as Member;
    if (column !== undefined) {
      (columns[columnIndex] as Vector)[at] = decodeKeyMember(
        bytes,
        place,
        column.type,
        column.identifierFormat,
      );
    }
    place = skipKeyMember(bytes, place);
  }
  return place;
}
