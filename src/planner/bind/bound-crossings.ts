/** The bound crossings of a query. */

import type { Crossing } from '#lir';
import type { BoundRelation } from './bound.ts';

/** The result of binding each crossing, by its expression: the bound relation or the error. Crossings are bound before the expression that contains them. */
export type BoundCrossings = Map<Crossing, CrossingOutcome>;

export type CrossingOutcome =
  | {
      readonly kind: 'bound';
      readonly relation: BoundRelation;
      readonly outer: ReadonlySet<number>;
    }
  | { readonly kind: 'refused'; readonly error: unknown };
