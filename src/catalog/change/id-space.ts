/** Schema ids: specified by the user, or one above the highest id ever used. An id is never used twice, not even after deletion (docs/schema.md). */

import { fail } from '#failure';
import type { IdRange } from '../table.ts';

export interface IdSpace {
  readonly max: number;
  readonly gaps: readonly IdRange[];
}

const schemaIdMax = 2_147_483_647;

/** Returns the space after `id` was used; `undefined` if it was used before. */
export function reserveId(space: IdSpace, id: number): IdSpace | undefined {
  if (id > space.max) {
    const skipped: IdRange[] = id === space.max + 1 ? [] : [[space.max + 1, id - 1]];
    return { max: id, gaps: [...space.gaps, ...skipped] };
  }
  const gap = space.gaps.find(([from, to]) => from <= id && id <= to);
  if (gap === undefined) return undefined;
  return {
    max: space.max,
    gaps: space.gaps.flatMap((other) => (other === gap ? split(gap, id) : [other])),
  };
}

/** Reserves an id that the user specified, and throws `invalid` if it is not available. `what` names the object: `table` or `column`. */
export function takeId(space: IdSpace, id: number, what: string): IdSpace {
  requireSchemaId(id, what);
  const reserved = reserveId(space, id);
  if (reserved !== undefined) return reserved;
  throw fail(
    'invalid',
    `${what} id ${id} is already used; an id is never reused, even after deletion${nextFree(space)}`,
  );
}

function nextFree({ max }: IdSpace): string {
  return max < schemaIdMax ? `; the next free one is ${max + 1}` : '';
}

export function requireSchemaId(id: number, what: string): void {
  if (Number.isInteger(id) && id >= 1 && id <= schemaIdMax) return;
  throw fail('invalid', `${what} id ${id} is not between 1 and ${schemaIdMax}`);
}

export function nextId(space: IdSpace, what: string): number {
  if (space.max < schemaIdMax) return space.max + 1;
  throw fail(
    'invalid',
    `no ${what} id is left above ${schemaIdMax}; specify one that was never used`,
  );
}

function split([from, to]: IdRange, id: number): IdRange[] {
  const parts: IdRange[] = [];
  if (from < id) parts.push([from, id - 1]);
  if (id < to) parts.push([id + 1, to]);
  return parts;
}
