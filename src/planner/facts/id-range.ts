/**
 * Column ids as ranges, which replace sets of ids. Binding numbers the columns of a relation and of all its parts consecutively. Every id between the
 * lowest and the highest one that is made within a relation therefore belongs to that relation.
 */

import type { BoundRelation } from '../bind/bound.ts';

export interface IdRange {
  readonly low: number;
  readonly high: number;
}

/** Returns the id range of the columns that the relation exposes. */
export function idRangeOf({ columns }: Pick<BoundRelation, 'columns'>): IdRange {
  let low = Infinity;
  let high = -Infinity;
  for (let i = 0; i < columns.length; i++) {
    const { id } = columns[i] as BoundRelation['columns'][number];
    if (id < low) low = id;
    if (id > high) high = id;
  }
  return { low, high };
}

export function isWithin(id: number, { low, high }: IdRange): boolean {
  return id >= low && id <= high;
}

export function areWithin(ids: ReadonlySet<number>, range: IdRange): boolean {
  for (const id of ids) if (!isWithin(id, range)) return false;
  return true;
}

export function areOutside(ids: ReadonlySet<number>, range: IdRange): boolean {
  for (const id of ids) if (isWithin(id, range)) return false;
  return true;
}
