/** Rows that a hash join gives: values of the streaming side beside those of held rows, which are known by their numbers. */

import { type Batch, DenseBatch } from '../../batch/batch.ts';
import type { Pieces } from '../../batch/pieces.ts';
import type { RowStore } from '../../batch/row-store.ts';
import type { ValueSource } from '../../batch/value-source.ts';
import type { Selection, Vector } from '../../batch/vector.ts';
import { pairColumn, pairHeldColumn } from './pairs.ts';

/** Where the columns of the sides stand in the joined row. */
interface Starts {
  readonly width: number;
  /** Where the columns of each side begin. */
  readonly probe: number;
  readonly held: number;
  readonly heldWidth: number;
}

export class JoinedRows {
  private readonly out: DenseBatch;
  private readonly starts: Starts;
  /** Held columns that somebody reads, by their positions on the held side. */
  private heldRead: readonly number[];

  constructor(starts: Starts) {
    this.out = new DenseBatch(starts.width);
    this.starts = starts;
    this.heldRead = Array.from({ length: starts.heldWidth }, (_, c) => c);
  }

  /** Of the held side only these columns are read by anybody. */
  narrowTo(columnIndexes: ReadonlySet<number>): void {
    this.heldRead = this.heldRead.filter((c) => columnIndexes.has(this.starts.held + c));
  }

  /** The streaming columns as they are, beside the held rows `heldRows[row]`; NULL where that is -1. */
  beside(
    batch: Batch,
    held: RowStore,
    heldRows: Int32Array,
    selection: Selection,
    count: number,
  ): Batch {
    const { starts } = this;
    const columns: Vector[] = [...this.out.columns];
    for (let c = 0; c < batch.columns.length; c++) {
      columns[starts.probe + c] = batch.columns[c] as Vector;
    }
    for (const c of this.heldRead) {
      const to = columns[starts.held + c] as Vector;
      pairHeldColumn(held.columns[c] as Pieces, heldRows, selection, count, to);
    }
    return {
      columns,
      selection,
      count,
      sources: this.sourcesBeside(batch.sources, held, heldRows),
    };
  }

  /** Copies of the first `count` pairs: the streaming row `pairProbe[i]` and the held row `pairHeld[i]`. */
  pairs(
    batch: Batch,
    held: RowStore,
    pairProbe: Uint32Array,
    pairHeld: Int32Array,
    count: number,
  ): Batch {
    const { out, starts } = this;
    for (let c = 0; c < batch.columns.length; c++) {
      const to = out.columns[starts.probe + c] as Vector;
      pairColumn(batch.columns[c] as Vector, pairProbe, out.selection, count, to);
    }
    for (const c of this.heldRead) {
      const to = out.columns[starts.held + c] as Vector;
      pairHeldColumn(held.columns[c] as Pieces, pairHeld, out.selection, count, to);
    }
    out.count = count;
    return out;
  }

  /** Held columns have as many values as there are held rows, known by their numbers. */
  private sourcesBeside(
    probed: Batch['sources'],
    rows: RowStore,
    heldRows: Int32Array,
  ): (ValueSource | undefined)[] {
    const { starts } = this;
    const held = { identity: rows, numbers: heldRows, count: rows.length };
    const sources: (ValueSource | undefined)[] = [];
    for (let c = 0; c < starts.width; c++) {
      const at = c - starts.held;
      const isHeld = at >= 0 && at < starts.heldWidth;
      sources.push(isHeld ? held : probed?.[c - starts.probe]);
    }
    return sources;
  }
}
