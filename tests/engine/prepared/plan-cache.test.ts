/** The cache of prepared programs: what it keeps, in which order it evicts, and what the owners of keys are told. */

import { describe, expect, test } from 'bun:test';
import type { ProgramPlan } from '#planner';
import { oldestOf, PlanCache, planCacheBytesMax } from '../../../src/engine/prepared/plan-cache.ts';
import { PreparedProgram } from '../../../src/engine/prepared/prepared-program.ts';

const program = () => new PreparedProgram({} as ProgramPlan);
const mib = 1 << 20;

/** A cache, and the names of the plans that it has dropped; evicted ones are marked. */
function cache() {
  const plans = new PlanCache();
  const dropped: string[] = [];
  const add = (name: string, overheadBytes: number, visibilityClass = '') =>
    plans.add(
      {
        visibilityClass,
        retained: name,
        overheadBytes,
        dropped: (_, isEvicted) => dropped.push(isEvicted ? `${name} evicted` : name),
      },
      program(),
    );
  return { plans, dropped, add };
}

describe('a plan', () => {
  test('is kept with its key, and counts with both', () => {
    const { add } = cache();
    const small = add('a', 0);
    const large = add('a', 1000);
    expect(small?.program).toBeInstanceOf(PreparedProgram);
    expect((large?.bytes ?? 0) - (small?.bytes ?? 0)).toBe(1000);
    expect(small?.bytes).toBeGreaterThan(0);
  });

  test('that takes more than a quarter of all memory is not kept', () => {
    const { add, dropped } = cache();
    const overhead = add('known', 0)?.bytes ?? 0;
    const quarter = planCacheBytesMax / 4;
    expect(add('fits.', quarter - overhead)?.bytes).toBe(quarter);
    expect(add('large', quarter - overhead + 1)).toBeUndefined();
    expect(dropped).toEqual([]);
  });
});

describe('too many plans', () => {
  test('make room by those that were used longest ago, until the rest fits', () => {
    const { plans, add, dropped } = cache();
    const added = ['a', 'b', 'c', 'd'].map((name) => add(name, 7 * mib));
    // Four of 7 MiB fit into 32.
    plans.used(added[0] as NonNullable<(typeof added)[0]>);
    for (const name of ['e', 'f']) add(name, 7 * mib);
    expect(dropped).toEqual(['b evicted', 'c evicted']);
  });

  test('are as many as before once some are removed, and none is dropped twice', () => {
    const { plans, add, dropped } = cache();
    const [a, b] = ['a', 'b', 'c', 'd'].map((name) => add(name, 7 * mib));
    if (a === undefined || b === undefined) throw new Error('both are kept');
    plans.remove(a);
    plans.remove(a);
    plans.evict(a);
    plans.evict(b);
    plans.remove(b);
    expect(dropped).toEqual(['a', 'b evicted']);
    for (const name of ['e', 'f']) add(name, 7 * mib);
    expect(dropped).toHaveLength(2);
    add('g', 7 * mib);
    expect(dropped.slice(2)).toEqual(['c evicted']);
  });
});

test('the oldest of some plans is the one that was used longest ago', () => {
  const { plans, add } = cache();
  const kept = ['a', 'b', 'c'].flatMap((name) => add(name, 0) ?? []);
  const [a, b, c] = kept as [(typeof kept)[0], (typeof kept)[0], (typeof kept)[0]];
  expect(oldestOf(kept)).toBe(a);
  expect(oldestOf([c, b])).toBe(b);
  plans.used(a);
  plans.used(b);
  expect(oldestOf(kept)).toBe(c);
});

describe('plans of several classes', () => {
  test('a class that plans many programs evicts only its own', () => {
    const { add, dropped } = cache();
    const calm = ['a', 'b', 'c'].map((name) => add(name, 2 * mib, 'calm'));
    expect(calm).not.toContain(undefined);
    for (let i = 0; i < 20; i++) add(`flood ${i}`, 2 * mib, 'flood');
    // A quarter of 32 MiB has room for three of 2 MiB with their bookkeeping.
    expect(dropped).toEqual(Array.from({ length: 17 }, (_, i) => `flood ${i} evicted`));
  });

  test('a class that was alone gives back what others need, up to a quarter each', () => {
    const { add, dropped } = cache();
    for (let i = 0; i < 15; i++) add(`first ${i}`, 2 * mib, 'first');
    expect(dropped).toEqual([]);
    for (let i = 0; i < 4; i++) add(`second ${i}`, 2 * mib, 'second');
    expect(dropped).toEqual([
      'first 0 evicted',
      'first 1 evicted',
      'first 2 evicted',
      'second 0 evicted',
    ]);
    // It is above its share, so it does not grow.
    add('first x', 2 * mib, 'first');
    expect(dropped.slice(4)).toEqual(['first 3 evicted']);
  });
});
