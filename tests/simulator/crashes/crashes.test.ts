/** Some scenarios crashed at every effect; `npm run simulate -- --crashes` crashes them all, and every opening after them. */

import { expect, test } from 'bun:test';
import { crashLane } from './run-crashes.ts';
import { scenarios } from './scenarios.ts';

test('at least twelve scenarios, each with a name of its own', () => {
  expect(new Set(scenarios.map(({ name }) => name)).size).toBe(scenarios.length);
  expect(scenarios.length).toBeGreaterThanOrEqual(12);
});

test.each([
  'commit',
  'group commit',
  'keeping programs',
  'large commit',
  'opening after a large commit',
  'the first opening',
  'opening',
  'taking over',
])(
  'nothing is lost, wherever it crashes: %s',
  (scenario) => {
    for (const isBucket of [false, true]) {
      const tally = crashLane({ scenario, isBucket, first: 1, step: 1, openingStep: 17 });
      expect(tally.points).toBeGreaterThan(0);
      expect(tally.crashes).toBeGreaterThanOrEqual(tally.points);
    }
  },
  120_000,
);

test('parts of a scenario crash at each of its effects together', () => {
  const whole = { scenario: 'commit of many sectors', isBucket: false, openingStep: 100 };
  const all = crashLane({ ...whole, first: 1, step: 1 });
  const odd = crashLane({ ...whole, first: 1, step: 2 });
  const even = crashLane({ ...whole, first: 2, step: 2 });
  // Each effect has a seed of its own, some of which have more effects than others.
  expect(odd.points + even.points).toBeGreaterThanOrEqual(all.points);
  expect(odd.crashes + even.crashes).toBeGreaterThanOrEqual(all.crashes);
}, 60_000);
