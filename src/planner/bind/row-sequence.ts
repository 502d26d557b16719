/** The sequence of the rows of an ordered create: an order, or that of literal rows. */

import type { BoundRelation } from './bound.ts';

/** Returns whether the rows have a sequence. Nodes that only pass rows on keep the sequence of their input. */
export function hasSequence(relation: BoundRelation): boolean {
  let at = relation;
  while (!at.ordered && at.rowsMax > 1) {
    if (at.kind !== 'filter' && at.kind !== 'project' && at.kind !== 'slice') break;
    at = at.input;
  }
  return at.ordered || at.rowsMax <= 1 || at.kind === 'rows';
}
