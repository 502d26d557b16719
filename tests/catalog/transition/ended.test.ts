/** Transitions that have ended are remembered by id, up to a limit; then the oldest ones are forgotten. */

import { expect, test } from 'bun:test';
import { type Catalog, emptyCatalog, endedTransitionsMax } from '#catalog';
import { ended } from '../../../src/catalog/transition/move.ts';

function remembering(ids: readonly number[]): Catalog {
  return ids.reduce<Catalog>((catalog, id) => ended(catalog, { id, state: 'ready' }), emptyCatalog);
}

const idsOf = ({ endedTransitions = [] }: Catalog) => endedTransitions.map(({ id }) => id);

test('are kept in the order of their ids, whichever ended first', () => {
  expect(idsOf(remembering([3, 1, 2]))).toEqual([1, 2, 3]);
});

test('beyond the limit the oldest one is forgotten', () => {
  const many = Array.from({ length: endedTransitionsMax }, (_, i) => i + 1);
  const full = remembering(many);
  expect(idsOf(full)).toEqual(many);
  const next = ended(full, { id: endedTransitionsMax + 1, state: 'failed' });
  expect(idsOf(next)).toEqual([...many.slice(1), endedTransitionsMax + 1]);
});
