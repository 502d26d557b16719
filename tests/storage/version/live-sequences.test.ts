/** Which sequences are read, and who is told when nobody reads below one any more. */

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { LiveSequences } from '../../../src/storage/version/live-sequences.ts';

test('answers like a plain list, in whatever order views end', () => {
  const anyStep = fc.record({ add: fc.boolean(), by: fc.nat(3), at: fc.nat(20) });
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 60 }), (steps) => {
      const live = new LiveSequences();
      const places: ReturnType<LiveSequences['add']>[] = [];
      let newest = 0;
      for (const { add, by, at } of steps) {
        if (add) {
          newest += by;
          places.push(live.add(newest));
        } else if (places.length > 0) {
          const [gone] = places.splice(at % places.length, 1);
          live.remove(gone as (typeof places)[number]);
        }
        const sequences = places.map(({ sequence }) => sequence);
        expect(live.count).toBe(sequences.length);
        expect(live.oldest).toBe(sequences[0]);
        expect(live.distinct()).toEqual([...new Set(sequences)]);
      }
    }),
  );
});

test('who waits until nobody reads below a sequence is told then, once, and at once if that is so', () => {
  const live = new LiveSequences();
  const told: string[] = [];
  live.whenPast(5, () => told.push('nobody'));
  expect(told).toEqual(['nobody']);
  const [three, four, five] = [live.add(3), live.add(4), live.add(5)];
  live.whenPast(5, () => told.push('past 5'));
  expect(told).toHaveLength(1);
  live.remove(four);
  expect(told).toHaveLength(1);
  live.remove(three);
  expect(told).toEqual(['nobody', 'past 5']);
  live.remove(five);
  expect(told).toHaveLength(2);
});

test('each callback waits for its own sequence, the last one that it named', () => {
  const live = new LiveSequences();
  const [three, four] = [live.add(3), live.add(4)];
  const told: string[] = [];
  const [early, late] = [() => told.push('early'), () => told.push('late')];
  live.whenPast(4, late);
  live.whenPast(4, early);
  live.whenPast(5, late);
  live.remove(three);
  expect(told).toEqual(['early']);
  live.remove(four);
  expect(told).toEqual(['early', 'late']);
});
