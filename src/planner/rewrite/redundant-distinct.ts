/** Rows that differ anyway need not be compared. */

import { isScalarType } from '#value';
import type { BoundRelation } from '../bind/bound.ts';

/** Whether no two rows are alike, because a whole key of a table, or all groups of an aggregate, are among the columns. */
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
  // A key keeps its meaning on the way up, wherever it is kept.
  if (at.kind === 'scan') return true;
  return at.kind === 'aggregate' && at.groups.every(({ type }) => isScalarType(type));
}
