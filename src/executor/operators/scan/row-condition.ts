/**
 * The condition of the filter above a scan. The scan evaluates the condition, so that the columns that the condition does not read are decoded
 * only for the rows that pass.
 */

import type { PlanExpression } from '#planner';
import { batchRowsMax, type Selection, type Vector } from '../../batch/vector.ts';
import { compile, type Frame } from '../../kernels/compile.ts';
import { type Select, selectTrue } from '../../kernels/kernel.ts';
import { columnIndexesIn } from '../expression-columns.ts';
import { rowsInOneGo } from '../expression-size.ts';

export class RowCondition {
  /** Indexes in the scan of the columns that the condition reads. */
  readonly columnIndexes: ReadonlySet<number>;
  private readonly passing: Select;

  private constructor(columnIndexes: ReadonlySet<number>, passing: Select) {
    this.columnIndexes = columnIndexes;
    this.passing = passing;
  }

  /**
   * Returns undefined if the condition saves nothing, since it reads all of the `width` columns or none. Also returns undefined if the predicate
   * can fail, because the filter has to raise the failure, or if it is too large to evaluate for a batch without a yield.
   */
  static of(predicate: PlanExpression, width: number, frame: Frame): RowCondition | undefined {
    const columnIndexes = columnIndexesIn([predicate]);
    if (columnIndexes.size === 0 || columnIndexes.size === width) return undefined;
    if (rowsInOneGo([predicate]) < batchRowsMax) return undefined;
    const kernel = compile(predicate, frame);
    return kernel.canFail ? undefined : new RowCondition(columnIndexes, selectTrue(kernel));
  }

  /** Writes to `out`, which may be `selection`, the selected rows that pass, and returns their number. Reads only columns in `columnIndexes`. */
  select(columns: readonly Vector[], selection: Selection, count: number, out: Selection): number {
    return this.passing(columns, selection, count, out);
  }
}
