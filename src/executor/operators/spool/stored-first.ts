/** Returns stored rows, and then those of another operator, which is open. Each piece of stored rows is released after its last row. */

import type { Pending } from '#base';
import type { Batch } from '../../batch/batch.ts';
import { type ChunkedColumn, pieceBits } from '../../batch/chunked-column.ts';
import { type RowStore, windowEnd } from '../../batch/row-store.ts';
import { batchRowsMax, denseSelection } from '../../batch/vector.ts';
import type { OperatorProfile } from '../../operator-profile.ts';
import type { Operator } from '../operator.ts';

export class StoredFirst implements Operator {
  readonly site: OperatorProfile;
  private readonly rows: RowStore;
  private readonly rest: Operator;
  /** Receives the bytes of the stored rows that are still in memory. */
  private readonly onRelease: (bytes: number) => void;
  private at = 0;
  /** Number of pieces of each column that were released. */
  private released = 0;

  constructor(rows: RowStore, rest: Operator, onRelease: (bytes: number) => void) {
    this.rows = rows;
    this.rest = rest;
    this.onRelease = onRelease;
    this.site = rest.site;
  }

  open(): void {}

  next(wanted: number): Batch | undefined | Pending {
    this.release();
    const from = this.at;
    const to = windowEnd(from, this.rows.length, Math.min(wanted, batchRowsMax));
    if (from === to) return this.rest.next(wanted);
    this.at = to;
    return { columns: this.rows.window(from, to), selection: denseSelection, count: to - from };
  }

  close(): void {}

  private release(): void {
    const { rows, at } = this;
    const isOver = at === rows.length;
    const pieces = isOver ? lengthOf(rows) : at >>> pieceBits;
    if (pieces === this.released) return;
    for (const column of rows.columns) {
      for (let p = this.released; p < pieces; p++) (column as ChunkedColumn)[p] = [];
    }
    this.released = pieces;
    this.onRelease(isOver ? 0 : rows.bytes * (1 - (pieces << pieceBits) / rows.length));
  }
}

function lengthOf({ columns }: RowStore): number {
  return columns[0]?.length ?? 0;
}
