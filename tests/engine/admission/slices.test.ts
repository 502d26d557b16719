/** Slices by themselves: who gets the next one, how long it is, and how much time it leaves to points. */

import { describe, expect, test } from 'bun:test';
import type { Budget } from '#executor';
import { TimeSlices } from '../../../src/engine/admission/time-slices.ts';
import { settled, turningWorld } from './support.ts';

type Lane = Parameters<TimeSlices['next']>[0];

function setting() {
  const world = turningWorld();
  const turns = new TimeSlices(world);
  /** Slices in the order in which they were had: name and length. */
  const had: [string, number][] = [];
  /** Waits for a slice; what is returned ends the wait. */
  const wait = (lane: Lane, name: string): (() => void) => {
    let end: () => void = () => {};
    const onEnd = (ended: () => void) => {
      end = ended;
      return () => {
        end = () => {};
      };
    };
    void turns.next(lane, { onEnd } as unknown as Budget).then((ms) => had.push([name, ms]));
    return () => end();
  };
  const works = (ms: number) => {
    world.spend(ms);
    turns.worked(ms);
    return settled();
  };
  return { world, turns, had, wait, works };
}

describe('slices', () => {
  test('come in order, five milliseconds a turn together', async () => {
    const { world, had, wait, works } = setting();
    for (const name of ['a', 'b', 'c', 'd']) wait('query', name);
    await settled();
    expect(had).toEqual([]);
    await world.turn();
    expect(had).toEqual([['a', 5]]);
    await works(2);
    expect(had).toEqual([
      ['a', 5],
      ['b', 3],
    ]);
    await works(3);
    expect(had).toHaveLength(2);
    await world.turn();
    expect(had.slice(2)).toEqual([['c', 5]]);
    // Whatever happens to it, the next one has its turn.
    await world.turn();
    expect(had.slice(3)).toEqual([['d', 5]]);
  });

  test('are not given up by those that were ended, whatever place they had', async () => {
    for (const gone of [0, 1, 2]) {
      const { world, turns, had, wait } = setting();
      const ends = ['a', 'b', 'c'].map((name) => wait('query', name));
      expect(turns.waiting).toBe(3);
      ends[gone]?.();
      ends[gone]?.();
      expect(turns.waiting).toBe(2);
      for (let turn = 0; turn < 2; turn++) await world.turn();
      const others = ['a', 'b', 'c'].filter((_, i) => i !== gone);
      expect(had.map(([name]) => name)).toEqual(others);
      expect(turns.waiting).toBe(0);
    }
  });

  test('of heavy work begin a turn, or are due', async () => {
    const { world, had, wait, works } = setting();
    wait('heavy', 'h1');
    await world.turn();
    expect(had).toEqual([['h1', 5]]);
    await works(1);
    wait('query', 'q1');
    wait('heavy', 'h2');
    await world.turn();
    await works(1);
    // The turn has begun with a query, and there is time left.
    expect(had.slice(1)).toEqual([['q1', 5]]);
    await world.turn();
    expect(had.slice(2)).toEqual([['h2', 5]]);
    await works(1);
    wait('query', 'q2');
    wait('heavy', 'h3');
    world.spend(24);
    await world.turn();
    expect(had.slice(3)).toEqual([['h3', 5]]);
  });
});

describe('a query that begins', () => {
  test('has the whole time of the next turn, also where nobody has waited', async () => {
    const { world, turns, works } = setting();
    const budget = { onEnd: () => () => {} } as unknown as Budget;
    await works(5);
    await world.turn();
    expect(turns.begin(budget)).toBeUndefined();
  });

  test('goes on at once while the turn has time and nobody waits', async () => {
    const { world, turns, wait, works } = setting();
    const budget = { onEnd: () => () => {} } as unknown as Budget;
    expect(turns.begin(budget)).toBeUndefined();
    await works(4);
    expect(turns.begin(budget)).toBeUndefined();
    await works(1);
    expect(turns.begin(budget)).toBeInstanceOf(Promise);
    await world.turn();
    wait('query', 'a');
    expect(turns.begin(budget)).toBeInstanceOf(Promise);
    expect(turns.waiting).toBe(2);
  });
});

describe('beside points', () => {
  const besidePoints = async (lane: Lane, ms: number) => {
    const it = setting();
    it.turns.lastPointMs = it.world.clock.monotonicMs();
    it.wait(lane, 'first');
    await it.world.turn();
    await it.works(ms);
    it.turns.lastPointMs = it.world.clock.monotonicMs();
    it.wait('query', 'second');
    return it;
  };

  test('a slice is short', async () => {
    const { had } = await besidePoints('query', 2);
    expect(had).toEqual([['first', 2]]);
  });

  test.each([
    ['query', 2, 2],
    ['query', 1, 1],
    ['heavy', 2, 3],
  ] as const)('a slice of a %s of %d ms leaves them %d', async (lane, ms, left) => {
    const { world, had } = await besidePoints(lane, ms);
    world.spend(left - 0.5);
    await world.turn();
    expect(had).toHaveLength(1);
    world.spend(0.5);
    await world.turn();
    expect(had.slice(1)).toEqual([['second', 2]]);
  });

  test('of ten milliseconds ago slices are long again, and leave nothing', async () => {
    const { world, turns, had, wait, works } = setting();
    turns.lastPointMs = world.clock.monotonicMs();
    world.spend(9.5);
    wait('query', 'a');
    await world.turn();
    await works(0.5);
    wait('query', 'b');
    await world.turn();
    expect(had).toEqual([
      ['a', 2],
      ['b', 5],
    ]);
  });
});
