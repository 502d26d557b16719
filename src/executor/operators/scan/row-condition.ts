/** The condition of the filter above a scan, so that columns it does not read are decoded only for the rows that pass. */

import type { PlanExpression } from '#planner';
import { batchRowsMax, type Selection, type Vector } from '../../batch/vector.ts';
import { compile, type Frame } from '../../kernels/compile.ts';
import { type Select, selectTrue } from '../../kernels/kernel.ts';
import { columnIndexesIn } from '../expression-columns.ts';
import { rowsInOneGo } from '../expression-size.ts';

export class RowCondition {
  /** The columns that it reads, by their positions in the scan. */
  readonly columnIndexes: ReadonlySet<number>;
  private readonly passing: Select;

  private constructor(columnIndexes: ReadonlySet<number>, passing: Select) {
    this.columnIndexes = columnIndexes;
    this.passing = passing;
  }

  /**
   * Undefined when nothing is won by it, with `width` columns read: it reads all of them, or none. Also of a predicate that can fail, whose failure
   * is the filter's to tell, or that is too large to be evaluated for a batch in one go.
   */
  static of(predicate: PlanExpression, width: number, frame: Frame): RowCondition | undefined {
    const columnIndexes = columnIndexesIn([predicate]);
    if (columnIndexes.size === 0 || columnIndexes.size === width) return undefined;
    if (rowsInOneGo([predicate]) < batchRowsMax) return undefined;
    const kernel = compile(predicate, frame);
    return kernel.canFail ? undefined : new RowCondition(columnIndexes, selectTrue(kernel));
  }

  /** Writes to `out`, which may be `selection`, the selected rows that pass, and returns how many. Only columns in `columnIndexes` are read. */
  select(columns: readonly Vector[], selection: Selection, count: number, out: Selection): number {
    return this.passing(columns, selection, count, out);
  }
}
