/** Limits the work of moving predicates. Moving them is pointless if it takes longer than testing them in place. */

import type { BoundExpression } from '../bind/bound.ts';
import { sizeOf } from './substitute.ts';

/** Maximum number of expression parts that are moved past an operator, summed over the statement. */
const budgetMax = 100_000;

export class RewriteBudget {
  private left = budgetMax;
  private readonly sizes = new WeakMap<BoundExpression, number>();

  /** Reserves the work of moving the conjuncts. Returns false if it exceeds the rest of the budget; the conjuncts then stay in place. */
  spend(conjuncts: readonly BoundExpression[]): boolean {
    let size = 0;
    for (const conjunct of conjuncts) size += this.sizeOf(conjunct);
    if (size > this.left) return false;
    this.left -= size;
    return true;
  }

  private sizeOf(expression: BoundExpression): number {
    let size = this.sizes.get(expression);
    if (size === undefined) {
      size = sizeOf(expression);
      this.sizes.set(expression, size);
    }
    return size;
  }
}
