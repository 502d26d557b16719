/** The rows of a stretch of a table as columns of values, however they lie. */

import type { Column, Table } from '#catalog';
import { type RowReader, RunReader, SlotKeys, tableLayout } from '#layout';
import type { EntryCursor, EntryRun } from '#storage';
import type { Scalar } from '#value';
import type { Values } from './column-survey.ts';

/** Rows of one stretch at most. */
export const stretchRows = 256;

/** Takes a stretch; the values are valid until it returns. */
type TakeStretch = (columns: readonly Values[], count: number) => void;

const nothing = new Uint8Array(0);

export class PieceReader {
  /** Bytes of what was read, about. */
  bytes = 0;
  private readonly ordinals: readonly number[];
  private readonly runs: RunReader;
  private readonly bodies: RowReader;
  private readonly gathered: Scalar[][];
  private filled = 0;
  private readonly take: TakeStretch;

  constructor(table: Table, columns: readonly Column[], take: TakeStretch) {
    this.ordinals = columns.map((column) => table.columns.indexOf(column));
    this.runs = new RunReader(table, columns);
    this.bodies = tableLayout(table).reader();
    this.gathered = columns.map(() => []);
    this.take = take;
  }

  /** The row that the cursor stands on, and up to `max` of those behind it; returns how many they were. */
  read(cursor: EntryCursor, max: number): number {
    const run = cursor.takeRun?.(Math.min(max, stretchRows));
    if (run === undefined) {
      this.gather(cursor);
      return 1;
    }
    const count = run.to - run.from;
    if (run.block.values.column === undefined) {
      this.gatherRun(run);
      return count;
    }
    this.flush();
    this.bytes += Math.ceil((run.block.bytes.length * count) / run.block.rows);
    this.take(
      this.ordinals.map((_, c) => this.runs.column(c, run)),
      count,
    );
    return count;
  }

  /** Hands on what single rows have gathered. */
  flush(): void {
    if (this.filled === 0) return;
    const count = this.filled;
    this.filled = 0;
    this.take(this.gathered, count);
  }

  private gather(cursor: EntryCursor): void {
    const { key, keyFrom, keyTo, value, valueFrom, valueTo } = cursor;
    this.bodies.open(key, keyFrom, keyTo, value, valueFrom, valueTo);
    this.bytes += keyTo - keyFrom + valueTo - valueFrom;
    this.addOpened();
  }

  private gatherRun({ block, from, to }: EntryRun): void {
    const keys = new SlotKeys();
    const body = { value: nothing, valueFrom: 0, valueTo: 0 };
    keys.start(block);
    for (let slot = from; slot < to; slot++) {
      block.values.join(slot, body);
      const length = keys.take(block, slot);
      this.bytes += length + body.valueTo - body.valueFrom;
      this.bodies.open(keys.key, 0, length, body.value, body.valueFrom, body.valueTo);
      this.addOpened();
    }
  }

  private addOpened(): void {
    const at = this.filled++;
    this.ordinals.forEach((ordinal, c) => {
      (this.gathered[c] as Scalar[])[at] = this.bodies.cell(ordinal);
    });
    if (this.filled === stretchRows) this.flush();
  }
}
