/** What binding a relation starts from, and what comes of it. */

import type { BoundRelation } from './bound.ts';
import type { Enclosing, Scope } from './scope.ts';
import type { Pins } from './unique-proof.ts';

/** What a relation sees and may do where it stands. */
export interface Place {
  readonly enclosing: Enclosing | undefined;
  /** Where the relation is that may not read the frontier of a recursion; undefined where it may. */
  readonly frontierRefusal: string | undefined;
}

export interface Bound {
  readonly relation: BoundRelation;
  /** Visible to the consumer, which may add to it. */
  readonly scopes: Map<string, Scope>;
  /** Kept along a chain of filters, orders and slices over a scan. */
  readonly pins: Pins | undefined;
}
