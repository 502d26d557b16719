/** The deadlines of all that waits stand on one timer. */

import { expect, test } from 'bun:test';
import { Deadlines } from '../../src/executor/deadlines.ts';
import { manualWorld } from '../support/manual-world.ts';

function setting() {
  const world = manualWorld();
  const deadlines = new Deadlines(world);
  const ended: string[] = [];
  const waiting = (name: string, deadlineMs: number) => ({
    deadlineMs: world.clock.monotonicMs() + deadlineMs,
    late: () => ended.push(name),
  });
  return { world, deadlines, ended, waiting };
}

test('many that wait need one timer', () => {
  const { world, deadlines, waiting } = setting();
  for (let i = 0; i < 100; i++) deadlines.add(waiting(`${i}`, 1000 + i));
  expect(world.pending).toEqual([1000]);
});

test('each ends at its own deadline, also one that is added later and is due earlier', () => {
  const { world, deadlines, ended, waiting } = setting();
  deadlines.add(waiting('late', 1000));
  deadlines.add(waiting('early', 100));
  world.advance(99);
  expect(ended).toEqual([]);
  world.advance(1);
  expect(ended).toEqual(['early']);
  world.advance(899);
  expect(ended).toEqual(['early']);
  world.advance(1);
  expect(ended).toEqual(['early', 'late']);
});

test('what has left is not ended, and the timer goes on to the next', () => {
  const { world, deadlines, ended, waiting } = setting();
  const gone = waiting('gone', 100);
  deadlines.add(gone);
  deadlines.add(waiting('next', 200));
  deadlines.delete(gone);
  world.advance(100);
  expect(ended).toEqual([]);
  world.advance(100);
  expect(ended).toEqual(['next']);
});

test('without anybody waiting there is no timer after the one that stands', () => {
  const { world, deadlines, waiting } = setting();
  const one = waiting('one', 100);
  deadlines.add(one);
  deadlines.delete(one);
  world.advance(100);
  expect(world.pending).toEqual([]);
});

test('one that is ended may wait anew', () => {
  const { world, deadlines, ended, waiting } = setting();
  deadlines.add({
    deadlineMs: waiting('', 10).deadlineMs,
    late: () => deadlines.add(waiting('again', 10)),
  });
  world.advance(10);
  world.advance(10);
  expect(ended).toEqual(['again']);
});
