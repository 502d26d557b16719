/** Decodes stored rows to cells of a batch: only the columns that the plan reads. */

import type { Column, Table } from '#catalog';
import {
  type RowReader,
  type SlotGroup,
  SlotKeys,
  SlotReader,
  type TableLayout,
  tableLayout,
} from '#layout';
import type { BlockSpan, FoundValue } from '#storage';
import { ByteString, type Datum, type Row, type Scalar } from '#value';
import type { Datums } from '../../batch/vector.ts';

const nothing = new Uint8Array(0);

export class RowDecoder {
  private readonly layout: TableLayout;
  private readonly ordinals: readonly number[];
  private readonly readsKey: boolean;
  private readonly slots: SlotReader;
  /** Created when the first row that is stored as a body is read. */
  private bodies: RowReader | undefined;

  constructor(table: Table, columns: readonly Column[]) {
    const { ordinals, readsKey, slots } = choiceOf(table, columns);
    this.layout = tableLayout(table);
    this.ordinals = ordinals;
    this.readsKey = readsKey;
    this.slots = slots;
  }

  /** Decodes the row of `entry`, and writes its values to position `at` of `columns`. */
  decode(entry: StoredRow, columns: readonly Datums[], at: number): void {
    const { ordinals } = this;
    if (ordinals.length === 0) return;
    const reader = this.reader();
    reader.open(entry.key, entry.keyFrom, entry.keyTo, entry.value, entry.valueFrom, entry.valueTo);
    for (let c = 0; c < ordinals.length; c++) {
      (columns[c] as Datums)[at] = reader.cell(ordinals[c] as number);
    }
  }

  /** Like `decode`, for a row that was fetched by its key. Returns the number of bytes that were read. */
  decodeFetched(
    key: Uint8Array,
    found: FoundValue,
    columns: readonly Datums[],
    at: number,
  ): number {
    const { ordinals, slots } = this;
    const { block, slot } = found;
    if (block !== undefined) {
      let bytes = 0;
      for (let c = 0; c < ordinals.length; c++) {
        const value = slots.cell(c, key, block, slot);
        bytes += lengthOf(value);
        (columns[c] as Datums)[at] = value;
      }
      return bytes;
    }
    return this.decodeBody(key, found, columns, at);
  }

  /** Like `decodeFetched`, for a row that is not stored as columns. */
  decodeBody(key: Uint8Array, body: Body, columns: readonly Datums[], at: number): number {
    const { ordinals } = this;
    const length = body.valueTo - body.valueFrom;
    if (ordinals.length === 0) return length;
    const reader = this.reader();
    reader.open(key, 0, key.length, body.value, body.valueFrom, body.valueTo);
    for (let c = 0; c < ordinals.length; c++) {
      (columns[c] as Datums)[at] = reader.cell(ordinals[c] as number);
    }
    return length;
  }

  /** Writes the rows of a group at their positions. Returns the number of bytes that were read. */
  decodeGroup(group: SlotGroup, columns: readonly Datums[]): number {
    const { positions, count } = group;
    let bytes = 0;
    for (let c = 0; c < this.ordinals.length; c++) {
      const out = columns[c] as Scalar[];
      this.slots.cells(c, group, out);
      for (let i = 0; i < count; i++) bytes += lengthOf(out[positions[i] as number] as Scalar);
    }
    return bytes;
  }

  /** Returns a row that was fetched by its key. */
  rowOf(key: Uint8Array, found: FoundValue): Row {
    const { ordinals, slots } = this;
    const row: Datum[] = new Array(ordinals.length);
    const { block, slot } = found;
    if (block !== undefined) {
      for (let c = 0; c < ordinals.length; c++) row[c] = slots.cell(c, key, block, slot);
      return row;
    }
    return this.fill(row, key, found);
  }

  /** Returns a row whose body is stored separately, such as one that was read as a value. */
  rowOfBody(key: Uint8Array, value: Uint8Array): Row {
    const row: Datum[] = new Array(this.ordinals.length);
    return this.fill(row, key, { value, valueFrom: 0, valueTo: value.length });
  }

  private fill(row: Datum[], key: Uint8Array, { value, valueFrom, valueTo }: Body): Row {
    const { ordinals } = this;
    const reader = this.reader();
    reader.open(key, 0, key.length, value, valueFrom, valueTo);
    for (let c = 0; c < ordinals.length; c++) row[c] = reader.cell(ordinals[c] as number);
    return row;
  }

  /** Like `decode`, for the rows of a run, from position `at` on. Returns the bytes of their bodies, or 0 if none was read. */
  decodeRun({ block, from, to }: BlockSpan, columns: readonly Datums[], at: number): number {
    const { ordinals, readsKey } = this;
    if (ordinals.length === 0) return 0;
    const reader = this.reader();
    // Receives the body of each slot from the block.
    const body = { value: nothing, valueFrom: 0, valueTo: 0 };
    const keys = new SlotKeys();
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

  private reader(): RowReader {
    this.bodies ??= this.layout.reader();
    return this.bodies;
  }
}

interface Body {
  readonly value: Uint8Array;
  readonly valueFrom: number;
  readonly valueTo: number;
}

/** An entry at the position of a cursor. */
interface StoredRow extends Body {
  readonly key: Uint8Array;
  readonly keyFrom: number;
  readonly keyTo: number;
}

/** Returns the approximate number of bytes of a value. */
function lengthOf(value: Scalar): number {
  if (typeof value === 'string') return value.length;
  return value instanceof ByteString ? value.bytes.length : 8;
}

/** The values that are derived once from the columns of a plan, which belong to one table. */
interface Choice {
  /** Positions in catalog order. */
  readonly ordinals: readonly number[];
  /** Whether a column is part of the primary key. */
  readonly readsKey: boolean;
  readonly slots: SlotReader;
}

const known = new WeakMap<readonly Column[], Choice>();

function choiceOf(table: Table, columns: readonly Column[]): Choice {
  let choice = known.get(columns);
  if (choice === undefined) {
    const ordinals = columns.map(({ id }) => table.columns.findIndex((column) => column.id === id));
    const { keyOrdinals } = tableLayout(table);
    const readsKey = keyOrdinals.some((ordinal) => ordinals.includes(ordinal));
    choice = { ordinals, readsKey, slots: new SlotReader(table, columns) };
    known.set(columns, choice);
  }
  return choice;
}
