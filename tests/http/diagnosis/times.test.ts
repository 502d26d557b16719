/** Times are those of the clock that the server was given, and nothing else. */

import { describe, expect, test } from 'bun:test';
import type { RelationPlan } from '#planner';
import { OperatorProfile } from '../../../src/executor/operator-profile.ts';
import type { Operator } from '../../../src/executor/operators/operator.ts';
import { OperatorTrace } from '../../../src/executor/trace/operator-trace.ts';
import { manualWorld } from '../../support/manual-world.ts';
import { openMemoryEngine } from '../support.ts';
import { keyed, named, openPeople, told } from './support.ts';

/** Every number below a name that says it is a time. */
function timesIn(value: unknown, found: number[] = []): number[] {
  if (typeof value !== 'object' || value === null) return found;
  for (const [name, member] of Object.entries(value)) {
    if (/(Us|[mM]icros)$/.test(name)) found.push(member as number);
    timesIn(member, found);
  }
  return found;
}

test('while the clock stands still all times are 0, and two answers are the same', async () => {
  const world = manualWorld();
  const engine = await openMemoryEngine('direct', world);
  const random = { ...world.random, fill: (target: Uint8Array) => target.fill(7) };
  const { ask, close } = await openPeople('full', { engine, clock: world.clock, random });
  const program = JSON.stringify({ statements: [named, keyed], result: 'named' });
  const first = told(await ask('detailed', program));
  const times = timesIn(first);
  expect(times.length).toBeGreaterThan(15);
  expect(times.filter((time) => time !== 0)).toEqual([]);
  const again = told(await ask('detailed', program));
  // What was in memory may differ.
  expect({ ...again, plans: [] }).toEqual({ ...first, plans: [] });
  expect(again['requestId']).toBe('07'.repeat(8));
  await close();
});

describe('of operators', () => {
  const plan = {} as RelationPlan;

  /** Takes `openMs` to open and `nextMs` for each batch, and asks those below it once each time. */
  function operator(
    clock: ReturnType<typeof manualWorld>,
    id: number,
    [openMs, nextMs]: readonly [number, number],
    below: readonly Operator[] = [],
  ): Operator {
    let batches = 2;
    const site = new OperatorProfile(`operator ${id}`, id, { inputs: below.map((it) => it.site) });
    return {
      site,
      open() {
        clock.advance(openMs);
        for (const one of below) one.open();
      },
      next(wanted) {
        clock.advance(nextMs);
        for (const one of below) one.next(wanted);
        return batches-- > 0 ? ({} as ReturnType<Operator['next']>) : undefined;
      },
      close() {
        for (const one of below) one.close();
      },
    } as Operator;
  }

  test('inclusive times hold those below, exclusive ones do not, and roots are all', () => {
    const world = manualWorld();
    const trace = new OperatorTrace(world.clock);
    const leaf = operator(world, 2, [5, 100]);
    trace.watch(leaf, plan);
    const middle = operator(world, 1, [3, 10], [leaf]);
    trace.watch(middle, plan);
    const root = operator(world, 0, [1, 1], [middle]);
    trace.watch(root, plan);
    root.open();
    root.next(10);
    // Nobody is at work.
    world.advance(1_000);
    root.next(10);
    root.close();
    const told = trace.records.map((it) => ({
      id: it.site.id,
      above: it.parent?.site.id,
      opens: it.opens,
      calls: it.calls,
      openMs: it.openMs,
      inclusiveMs: it.inclusiveMs,
      exclusiveMs: it.inclusiveMs - it.belowMs,
      isComplete: it.isComplete,
    }));
    expect(told).toEqual([
      {
        id: 2,
        above: 1,
        opens: 1,
        calls: 2,
        openMs: 5,
        inclusiveMs: 205,
        exclusiveMs: 205,
        isComplete: false,
      },
      {
        id: 1,
        above: 0,
        opens: 1,
        calls: 2,
        openMs: 8,
        inclusiveMs: 228,
        exclusiveMs: 23,
        isComplete: false,
      },
      {
        id: 0,
        above: undefined,
        opens: 1,
        calls: 2,
        openMs: 9,
        inclusiveMs: 231,
        exclusiveMs: 3,
        isComplete: false,
      },
    ]);
    expect(trace.rootsMs).toBe(231);
    root.next(10);
    expect(trace.records.map((it) => it.isComplete)).toEqual([true, true, true]);
    root.open();
    expect(trace.records.map((it) => it.isComplete)).toEqual([false, false, false]);
  });

  test('a failure below is in the account of all above, and nobody is at work any more', () => {
    const world = manualWorld();
    const trace = new OperatorTrace(world.clock);
    const leaf = {
      ...operator(world, 1, [0, 0]),
      next: () => {
        world.advance(7);
        throw new Error('broken');
      },
    };
    trace.watch(leaf, plan);
    const root = operator(world, 0, [0, 1], [leaf]);
    trace.watch(root, plan);
    expect(() => root.next(1)).toThrow('broken');
    expect(trace.records.map((it) => it.inclusiveMs)).toEqual([7, 8]);
    expect(trace.current).toBeUndefined();
  });
});
