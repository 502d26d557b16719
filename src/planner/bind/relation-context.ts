/** The input and the result of binding a relation. */

import type { BoundRelation } from './bound.ts';
import type { Enclosing, Scope } from './scope.ts';
import type { Pins } from './unique-proof.ts';

/** The context of a relation: its surroundings and its restrictions. */
export interface RelationContext {
  readonly enclosing: Enclosing | undefined;
  /** Position of the relation for error messages, if it may not read the frontier of a recursion; `undefined` if it may. */
  readonly frontierRefusal: string | undefined;
}

export interface BoundInScope {
  readonly relation: BoundRelation;
  /** The scopes that the consumer sees. The consumer may add to the map. */
  readonly scopes: Map<string, Scope>;
  /** The pins of a chain of filters, orders and slices over a scan; `undefined` for all other relations. */
  readonly pins: Pins | undefined;
}
