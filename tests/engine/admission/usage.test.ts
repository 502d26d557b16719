/** The processor time of principals fades: what was used ten seconds ago counts a third. */

import { expect, test } from 'bun:test';
import { Usage } from '../../../src/engine/admission/usage.ts';
import { manualWorld } from '../../support/manual-world.ts';

function usage() {
  const world = manualWorld();
  return { world, use: new Usage(world.clock) };
}

test('a principal has used nothing before it is charged, and then what it is charged', () => {
  const { use } = usage();
  expect(use.of('a')).toBe(0);
  use.charge('a', 30);
  use.charge('a', 12);
  use.charge('b', 5);
  expect([use.of('a'), use.of('b'), use.of('c')]).toEqual([42, 5, 0]);
});

test('use fades with time, and what comes then is added to the rest', () => {
  const { world, use } = usage();
  use.charge('a', 1000);
  world.advance(10_000);
  expect(use.of('a')).toBeCloseTo(1000 / Math.E);
  use.charge('a', 100);
  expect(use.of('a')).toBeCloseTo(1000 / Math.E + 100);
  world.advance(10_000);
  expect(use.of('a')).toBeCloseTo(1000 / Math.E ** 2 + 100 / Math.E);
});

const principals = (count: number, prefix = 'p') =>
  Array.from({ length: count }, (_, i) => `${prefix}${i}`);

test('ten thousand principals are known; then those whose use has faded are forgotten', () => {
  const { world, use } = usage();
  for (const name of principals(9_999)) use.charge(name, 1);
  use.charge('much', 1_000_000);
  world.advance(20_000);
  const before = use.of('much');
  expect(use.of('p0')).toBeGreaterThan(0);
  use.charge('new', 7);
  expect([use.of('p0'), use.of('p9998')]).toEqual([0, 0]);
  expect([use.of('much'), use.of('new')]).toEqual([before, 7]);
});

test('where nobody has faded, all start anew', () => {
  const { use } = usage();
  for (const name of principals(10_000)) use.charge(name, 1);
  // One that is known takes no place.
  use.charge('p0', 1);
  expect([use.of('p0'), use.of('p9999')]).toEqual([2, 1]);
  use.charge('new', 7);
  expect([use.of('p0'), use.of('p9999'), use.of('new')]).toEqual([0, 0, 7]);
});
