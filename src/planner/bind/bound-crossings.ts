/** The crossings of a query once they are bound. */

import type { Crossing } from '#lir';
import type { BoundRelation } from './bound.ts';

/** What the crossings of a query are about, by their expressions: bound before the expression that they stand in, or why they cannot be. */
export type BoundCrossings = Map<Crossing, CrossingOutcome>;

export type CrossingOutcome =
  | {
      readonly kind: 'bound';
      readonly relation: BoundRelation;
      readonly outer: ReadonlySet<number>;
    }
  | { readonly kind: 'refused'; readonly error: unknown };
