/** The unit of exchange between operators: up to 1,024 rows as columns, with a selection of the row positions that count. */

import type { ValueSource } from './value-source.ts';
import {
  batchRowsMax,
  type Datums,
  denseSelection,
  type Selection,
  type Vector,
} from './vector.ts';

/** Rows that are valid until the next call to the operator that returned them. The receiver must not modify them. */
export interface Batch {
  readonly columns: readonly Vector[];
  readonly selection: Selection;
  /** Number of selected rows; at least 1 in a batch that an operator returns. */
  readonly count: number;
  /** The source of the values of each column, if there is one. */
  readonly sources?: readonly (ValueSource | undefined)[] | undefined;
  /** Whether every row satisfies the bound that the scan was narrowed to; the filter above then need not evaluate it. */
  readonly isNarrowed?: boolean;
}

/** A dense batch under construction, reused by its owner. */
export class DenseBatch implements Batch {
  columns: Datums[];
  readonly selection: Selection = denseSelection;
  count = 0;

  constructor(width: number) {
    this.columns = [];
    for (let c = 0; c < width; c++) this.columns.push([]);
  }

  get isFull(): boolean {
    return this.count === batchRowsMax;
  }
}
