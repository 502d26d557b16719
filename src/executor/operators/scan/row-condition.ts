/** The condition of the filter above a scan, so that columns it does not read are decoded only for the rows that pass. */

import type { PlanExpression } from '#planner';
import { batchRowsMax, type Selection, type Vector } from '../../batch/vector.ts';
import { compile, type Frame } from '../../kernels/compile.ts';
import { type Select, selectTrue } from '../../kernels/kernel.ts';
import { rowsInOneGo } from '../expression-size.ts';
import { slotsOf } from '../expression-slots.ts';

export class RowCondition {
  /** The columns that it reads, by their positions in the scan. */
  readonly slots: ReadonlySet<number>;
  private readonly passing: Select;

  private constructor(slots: ReadonlySet<number>, passing: Select) {
    this.slots = slots;
    this.passing = passing;
  }

  /**
   * Undefined when nothing is won by it, with `width` columns read: it reads all of them, or none. Also of a predicate that can fail, whose failure
   * is the filter's to tell, or that is too large to be evaluated for a batch in one go.
   */
  static of(predicate: PlanExpression, width: number, frame: Frame): RowCondition | undefined {
    const slots = slotsOf([predicate]);
    if (slots.size === 0 || slots.size === width) return undefined;
    if (rowsInOneGo([predicate]) < batchRowsMax) return undefined;
    const kernel = compile(predicate, frame);
    return kernel.canFail ? undefined : new RowCondition(slots, selectTrue(kernel));
  }

  /** Writes to `out`, which may be `selection`, the selected rows that pass, and returns how many. Only columns in `slots` are read. */
  select(columns: readonly Vector[], selection: Selection, count: number, out: Selection): number {
    return this.passing(columns, selection, count, out);
  }
}
