/** The rows that a hash join returns: values of the probe side together with those of build rows, which are referred to by number. */

import { type Batch, DenseBatch } from '../../batch/batch.ts';
import type { ChunkedColumn } from '../../batch/chunked-column.ts';
import { gatherRows, gatherStoredRows } from '../../batch/gather-rows.ts';
import type { RowStore } from '../../batch/row-store.ts';
import type { ValueSource } from '../../batch/value-source.ts';
import type { Selection, Vector } from '../../batch/vector.ts';

/** The column positions of the sides in the joined row. */
interface Starts {
  readonly width: number;
  /** Index of the first column of each side. */
  readonly probe: number;
  readonly held: number;
  readonly heldWidth: number;
}

type Sources = NonNullable<Batch['sources']>;

export class JoinedRows {
  private readonly out: DenseBatch;
  private readonly starts: Starts;
  /** Build columns that an operator above reads, by their index on the build side. */
  private heldRead: readonly number[];
  /** Those of `heldRead` that are copied; of the others, only their sources are read. */
  private heldCopied: readonly number[];
  /** The last result of `sourcesOf`, valid until the build rows change. */
  private latest:
    | { readonly rows: RowStore; readonly numbers: Int32Array; count: number; sources: Sources }
    | undefined;

  constructor(starts: Starts) {
    this.out = new DenseBatch(starts.width);
    this.starts = starts;
    this.heldRead = Array.from({ length: starts.heldWidth }, (_, c) => c);
    this.heldCopied = this.heldRead;
  }

  /** Sets the columns that the operators above read, and those of which they need only sources (`Operator.narrowTo`). */
  narrowTo(columnIndexes: ReadonlySet<number>, numbered: ReadonlySet<number> | undefined): void {
    const { held } = this.starts;
    this.heldRead = this.heldRead.filter((c) => columnIndexes.has(held + c));
    this.heldCopied = this.heldRead.filter((c) => numbered?.has(held + c) !== true);
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
    this.copyHeld(held, heldRows, selection, count, columns);
    const sources = this.sourcesOf(held, heldRows);
    const { sources: probed } = batch;
    return {
      columns,
      selection,
      count,
      sources: probed === undefined ? sources : this.withProbed(sources, probed),
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
    const { columns, selection } = out;
    for (let c = 0; c < batch.columns.length; c++) {
      const to = columns[starts.probe + c] as Vector;
      gatherRows(batch.columns[c] as Vector, pairProbe, selection, count, to);
    }
    this.copyHeld(held, pairHeld, selection, count, columns);
    return { columns, selection, count, sources: this.sourcesOf(held, pairHeld) };
  }

  private copyHeld(
    held: RowStore,
    heldRows: Int32Array,
    selection: Selection,
    count: number,
    columns: readonly Vector[],
  ): void {
    for (const c of this.heldCopied) {
      const to = columns[this.starts.held + c] as Vector;
      gatherStoredRows(held.columns[c] as ChunkedColumn, heldRows, selection, count, to);
    }
  }

  /** Returns the value sources: the values of a build column are numbered by the build rows. */
  private sourcesOf(rows: RowStore, numbers: Int32Array): Sources {
    const { latest, starts } = this;
    if (latest?.rows === rows && latest.numbers === numbers && latest.count === rows.length) {
      return latest.sources;
    }
    const sources: ValueSource[] = new Array(starts.width).fill(undefined);
    for (const c of this.heldRead) {
      const values = rows.columns[c] as ChunkedColumn;
      sources[starts.held + c] = { identity: values, numbers, count: rows.length, values };
    }
    this.latest = { rows, numbers, count: rows.length, sources };
    return sources;
  }

  private withProbed(sources: Sources, probed: Sources): Sources {
    const all = [...sources];
    for (let c = 0; c < probed.length; c++) all[this.starts.probe + c] = probed[c];
    return all;
  }
}
