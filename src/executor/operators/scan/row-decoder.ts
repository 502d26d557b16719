/** From stored rows to cells of a batch: only the columns that the plan reads. */

import type { Column, Table } from '#catalog';
import { type RowReader, SlotKeys, tableLayout } from '#layout';
import type { EntryRun } from '#storage';
import type { Datums } from '../../batch/vector.ts';

const nothing = new Uint8Array(0);

export class RowDecoder {
  private readonly reader: RowReader;
  private readonly ordinals: readonly number[];
  private readonly readsKey: boolean;
  private readonly keys = new SlotKeys();
  /** Where a block leaves the body of a slot. */
  private readonly body = { value: nothing, valueFrom: 0, valueTo: 0 };

  constructor(table: Table, columns: readonly Column[]) {
    const layout = tableLayout(table);
    this.reader = layout.reader();
    this.ordinals = ordinalsOf(table, columns);
    this.readsKey = layout.keyOrdinals.some((ordinal) => this.ordinals.includes(ordinal));
  }

  /** Writes the row's columns at position `at`. */
  decode(entry: StoredRow, columns: readonly Datums[], at: number): void {
    const { reader, ordinals } = this;
    if (ordinals.length === 0) return;
    reader.open(entry.key, entry.keyFrom, entry.keyTo, entry.value, entry.valueFrom, entry.valueTo);
    for (let c = 0; c < ordinals.length; c++) {
      (columns[c] as Datums)[at] = reader.cell(ordinals[c] as number);
    }
  }

  /** As `decode`, for a row that was fetched by its key. */
  decodeFetched(key: Uint8Array, value: Uint8Array, columns: readonly Datums[], at: number): void {
    const { reader, ordinals } = this;
    if (ordinals.length === 0) return;
    reader.open(key, 0, key.length, value, 0, value.length);
    for (let c = 0; c < ordinals.length; c++) {
      (columns[c] as Datums)[at] = reader.cell(ordinals[c] as number);
    }
  }

  /** As `decode`, for the rows of a run, from position `at` on. Returns the bytes of their bodies, 0 when none was looked at. */
  decodeRun({ block, from, to }: EntryRun, columns: readonly Datums[], at: number): number {
    const { reader, ordinals, body, keys, readsKey } = this;
    if (ordinals.length === 0) return 0;
    let bytes = 0;
    if (readsKey) keys.start(block);
    for (let slot = from; slot < to; slot++) {
      block.values.join(slot, body);
      bytes += body.valueTo - body.valueFrom;
      const length = readsKey ? keys.take(block, slot) : 0;
      reader.open(keys.key, 0, length, body.value, body.valueFrom, body.valueTo);
      const position = at + slot - from;
      for (let c = 0; c < ordinals.length; c++) {
        (columns[c] as Datums)[position] = reader.cell(ordinals[c] as number);
      }
    }
    return bytes;
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
