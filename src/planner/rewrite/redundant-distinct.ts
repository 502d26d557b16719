/** Finds distinct operators that remove no row. */

import { isScalarType } from '#value';
import type { BoundRelation } from '../bind/bound.ts';

/** Returns whether all rows differ, because the columns contain a whole key of a table or all groups of an aggregate. */
export function isDistinct(relation: BoundRelation): boolean {
  if (relation.key === undefined) return false;
  let at = relation;
  while (
    at.kind === 'filter' ||
    at.kind === 'order' ||
    at.kind === 'slice' ||
    at.kind === 'project'
  )
    at = at.input;
  // A key stays unique in every operator above that preserves it.
  if (at.kind === 'scan') return true;
  return at.kind === 'aggregate' && at.groups.every(({ type }) => isScalarType(type));
}
