/** Columns and keys of the rows that a cursor passes. Rows that are stored as columns are read as runs of blocks. */

import type { Column, Table } from '#catalog';
import { type RowReader, RunReader, SlotKeys, tableLayout } from '#layout';
import type { BlockSpan, EntryCursor, StoredBlock } from '#storage';
import type { Scalar } from '#value';

const nothing = new Uint8Array(0);

export class KeyedColumns {
  /** The values of the current rows, by index of the wanted column; valid until the next `read`. */
  columns: readonly ArrayLike<Scalar>[] = [];
  /** Number of current rows. */
  count = 0;
  /** The key of a row, after `takeKey`. */
  key: Uint8Array = nothing;
  keyFrom = 0;
  keyTo = 0;
  private readonly ordinals: readonly number[];
  private readonly runs: RunReader;
  private readonly bodies: RowReader;
  private readonly keys = new SlotKeys();
  /** The block of the current rows; undefined for a single row at the cursor. */
  private block: StoredBlock | undefined;
  private from = 0;

  constructor(table: Table, columns: readonly Column[]) {
    this.ordinals = columns.map((column) => table.columns.indexOf(column));
    this.runs = new RunReader(table, columns);
    this.bodies = tableLayout(table).reader();
  }

  /** Reads the row at the cursor, and up to `max` rows including those of its run. */
  read(cursor: EntryCursor, max: number): void {
    const run = cursor.takeRun?.(max);
    this.block = run?.block;
    if (run === undefined) this.readOne(cursor);
    else if (run.block.values.column === undefined) this.readBodies(run);
    else this.readColumns(run);
  }

  /** Sets `key` to the key of current row `i`. */
  takeKey(i: number): void {
    if (this.block === undefined) return;
    this.keyTo = this.keys.take(this.block, this.from + i);
    this.key = this.keys.key;
  }

  private readColumns(run: BlockSpan): void {
    this.begin(run);
    this.columns = this.ordinals.map((_, c) => this.runs.column(c, run));
  }

  private readBodies(run: BlockSpan): void {
    this.begin(run);
    const { block, from, to } = run;
    const body = { value: nothing, valueFrom: 0, valueTo: 0 };
    const columns = this.ordinals.map((): Scalar[] => []);
    for (let slot = from; slot < to; slot++) {
      block.values.join(slot, body);
      const length = this.keys.take(block, slot);
      this.bodies.open(this.keys.key, 0, length, body.value, body.valueFrom, body.valueTo);
      this.addOpened(columns);
    }
    this.columns = columns;
  }

  private readOne({ key, keyFrom, keyTo, value, valueFrom, valueTo }: EntryCursor): void {
    const columns = this.ordinals.map((): Scalar[] => []);
    this.bodies.open(key, keyFrom, keyTo, value, valueFrom, valueTo);
    this.addOpened(columns);
    this.columns = columns;
    this.count = 1;
    this.key = key;
    this.keyFrom = keyFrom;
    this.keyTo = keyTo;
  }

  private begin({ block, from, to }: BlockSpan): void {
    this.count = to - from;
    this.from = from;
    this.keyFrom = 0;
    this.keys.start(block);
  }

  private addOpened(columns: readonly Scalar[][]): void {
    for (let c = 0; c < columns.length; c++) {
      (columns[c] as Scalar[]).push(this.bodies.cell(this.ordinals[c] as number));
    }
  }
}
