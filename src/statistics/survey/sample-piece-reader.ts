/** Reads the rows of a table in batches of column values, whatever their storage format. */

import type { Column, Table } from '#catalog';
import { type RowReader, RunReader, SlotKeys, tableLayout } from '#layout';
import type { BlockSpan, EntryCursor } from '#storage';
import type { Scalar } from '#value';
import type { Values } from './column-survey.ts';

/** Maximum number of rows of a batch. */
export const stretchRows = 256;

/** Takes a batch. The values are valid only during the call. */
type TakeStretch = (columns: readonly Values[], count: number) => void;

const nothing = new Uint8Array(0);

export class SamplePieceReader {
  /** Approximate number of bytes that were read. */
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

  /** Reads the current row of the cursor and at most `max` - 1 of the following rows. Returns the number of rows. */
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

  /** Passes on the rows that were collected one by one. */
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

  private gatherRun({ block, from, to }: BlockSpan): void {
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
