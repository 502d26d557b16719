/** From stored rows to cells of a batch: only the columns that the plan reads. */

import type { Column, Table } from '#catalog';
import { type RowReader, tableLayout } from '#layout';
import type { Vector } from '../../batch/vector.ts';

export class RowDecoder {
  private readonly reader: RowReader;
  private readonly ordinals: readonly number[];

  constructor(table: Table, columns: readonly Column[]) {
    this.reader = tableLayout(table).reader();
    this.ordinals = ordinalsOf(table, columns);
  }

  /** Writes the row's columns at position `at`. */
  decode(entry: StoredRow, columns: readonly Vector[], at: number): void {
    const { reader, ordinals } = this;
    if (ordinals.length === 0) return;
    reader.open(entry.key, entry.keyFrom, entry.keyTo, entry.value, entry.valueFrom, entry.valueTo);
    for (let c = 0; c < ordinals.length; c++) {
      (columns[c] as Vector)[at] = reader.cell(ordinals[c] as number);
    }
  }

  /** As `decode`, for a row that was fetched by its key. */
  decodeFetched(key: Uint8Array, value: Uint8Array, columns: readonly Vector[], at: number): void {
    const { reader, ordinals } = this;
    if (ordinals.length === 0) return;
    reader.open(key, 0, key.length, value, 0, value.length);
    for (let c = 0; c < ordinals.length; c++) {
      (columns[c] as Vector)[at] = reader.cell(ordinals[c] as number);
    }
  }
}

/** An entry under a cursor. */
interface StoredRow {
  readonly key: Uint8Array;
  readonly keyFrom: number;
  readonly keyTo: number;
  readonly value: Uint8Array;
  readonly valueFrom: number;
  readonly valueTo: number;
}

/** Positions of columns in catalog order, by the columns of a plan, which are about one table. */
const known = new WeakMap<readonly Column[], readonly number[]>();

function ordinalsOf(table: Table, columns: readonly Column[]): readonly number[] {
  let ordinals = known.get(columns);
  if (ordinals === undefined) {
    ordinals = columns.map(({ id }) => table.columns.findIndex((column) => column.id === id));
    known.set(columns, ordinals);
  }
  return ordinals;
}
