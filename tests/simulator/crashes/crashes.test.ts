/** Some scenarios crashed at every effect; `npm run simulate -- --crashes` crashes them all, and every opening after them. */

import { expect, test } from 'bun:test';
import { type CrashTally, runCrashes } from './run-crashes.ts';
import { scenarios } from './scenarios.ts';

test('at least twelve scenarios, each with a name of its own', () => {
  expect(new Set(scenarios.map(({ name }) => name)).size).toBe(scenarios.length);
  expect(scenarios.length).toBeGreaterThanOrEqual(12);
});

test('nothing is lost, wherever it crashes', () => {
  const tallies: CrashTally[] = [];
  runCrashes({
    only: ['commit', 'group commit', 'the first opening', 'opening', 'taking over'],
    openingStride: 17,
    done: (tally) => tallies.push(tally),
  });
  expect(tallies).toHaveLength(10);
  for (const { points, crashes } of tallies) {
    expect(points).toBeGreaterThan(0);
    expect(crashes).toBeGreaterThanOrEqual(points);
  }
}, 120_000);
