/** The rows that a hash join returns: values of the probe side together with those of build rows, which are referred to by number. */

import { type Batch, DenseBatch } from '../../batch/batch.ts';
import type { ChunkedColumn } from '../../batch/chunked-column.ts';
import type { RowStore } from '../../batch/row-store.ts';
import type { ValueSource } from '../../batch/value-source.ts';
import type { Selection, Vector } from '../../batch/vector.ts';
import { gatherBuildColumn, pairColumn } from './pairs.ts';

/** The column positions of the sides in the joined row. */
interface Starts {
  readonly width: number;
  /** Index of the first column of each side. */
  readonly probe: number;
  readonly held: number;
  readonly heldWidth: number;
}

export class JoinedRows {
  private readonly out: DenseBatch;
  private readonly starts: Starts;
  /** Build columns that an operator above reads, by their index on the build side. */
  private heldRead: readonly number[];

  constructor(starts: Starts) {
    this.out = new DenseBatch(starts.width);
    this.starts = starts;
    this.heldRead = Array.from({ length: starts.heldWidth }, (_, c) => c);
  }

  /** Sets the columns that the operators above read; build columns outside of them are not copied. */
  narrowTo(columnIndexes: ReadonlySet<number>): void {
    this.heldRead = this.heldRead.filter((c) => columnIndexes.has(this.starts.held + c));
  }

  /** Returns the unchanged probe columns together with the build rows `heldRows[row]`, with NULL where the number is -1. */
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
      gatherBuildColumn(held.columns[c] as ChunkedColumn, heldRows, selection, count, to);
    }
    return {
      columns,
      selection,
      count,
      sources: this.sourcesBeside(batch.sources, held, heldRows),
    };
  }

  /** Returns copies of the first `count` pairs: the probe row `pairProbe[i]` and the build row `pairHeld[i]`. */
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
      gatherBuildColumn(held.columns[c] as ChunkedColumn, pairHeld, out.selection, count, to);
    }
    out.count = count;
    return out;
  }

  /** Returns the value sources: the values of a build column are numbered by the build rows. */
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
