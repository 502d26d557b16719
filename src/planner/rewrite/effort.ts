/** How much work moving predicates may take: moving them is worth nothing if it takes longer than testing them where they stand. */

import type { BoundExpression } from '../bind/bound.ts';
import { sizeOf } from './substitute.ts';

/** Parts of expressions that are moved past an operator, all together. */
const effortMax = 100_000;

export class Effort {
  private left = effortMax;
  private readonly sizes = new WeakMap<BoundExpression, number>();

  /** False when moving all of them would take too long; they stay where they are then. */
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
