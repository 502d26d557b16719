/** What operators hand each other: up to 1,024 rows as columns, and which of the positions count. */

import type { ValueSource } from './value-source.ts';
import {
  batchRowsMax,
  type Datums,
  denseSelection,
  type Selection,
  type Vector,
} from './vector.ts';

/** Valid until the next call to the operator that returned it. The receiver writes none of it. */
export interface Batch {
  readonly columns: readonly Vector[];
  readonly selection: Selection;
  /** Selected rows; at least 1 in a batch that an operator returns. */
  readonly count: number;
  /** By column, where that is known: the few values that its values are. */
  readonly sources?: readonly (ValueSource | undefined)[] | undefined;
  /** Every row passes what the scan was narrowed to, and the filter above need not look. */
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
