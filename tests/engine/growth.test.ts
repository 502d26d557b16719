/** Plans are made anew for tables of another size, and kept otherwise. */

import { expect, test } from 'bun:test';
import type { ProgramPlan } from '#planner';
import type { RemoteReads } from '#statistics';
import { Growth } from '../../src/engine/growth.ts';

function growing(
  rows: { now: number },
  remoteReads: () => RemoteReads | undefined = () => undefined,
) {
  const clock = { now: 0, looks: 0 };
  const statistics = {
    rowsOf: () => {
      clock.looks++;
      return rows.now;
    },
    rowsWithin: () => 0,
    surveyed: () => undefined,
    surveyOf: () => 0,
    remoteReads,
  };
  const corrections = { now: 0 };
  const experience = {
    isEmpty: true,
    correctionOf: () => corrections.now,
    seenBy: () => undefined,
  };
  const growth = new Growth(statistics, experience, {
    unixMs: () => 0,
    monotonicMs: () => clock.now,
  });
  return { growth, clock, corrections };
}

const planFor = (...rows: readonly number[]) =>
  ({
    planned: rows.map((count) => ({ rows: count, survey: 0, remote: [] })),
    statements: [],
  }) as unknown as ProgramPlan;

test.each([
  [1_000, 0, false],
  [1_000, 4_000, false],
  [1_000, 4_001, true],
  [50_000, 12_500, false],
  [50_000, 12_499, true],
  [50_000, 0, true],
])('planned for %p rows, now %p', (planned, now, expected) => {
  const { growth } = growing({ now });
  expect(growth.isOutgrown(planFor(planned))).toBe(expected);
});

test('a plan that no count went into is never outgrown, and costs no look at the clock', () => {
  const { growth, clock } = growing({ now: 1_000_000 });
  expect(growth.isOutgrown(planFor())).toBe(false);
  expect(clock.looks).toBe(0);
});

test('tables are looked at once a second', () => {
  const rows = { now: 1_000 };
  const { growth, clock } = growing(rows);
  const plan = planFor(1_000);
  expect(growth.isOutgrown(plan)).toBe(false);
  rows.now = 9_000;
  clock.now = 999;
  expect(growth.isOutgrown(plan)).toBe(false);
  clock.now = 1_000;
  expect(growth.isOutgrown(plan)).toBe(true);
  expect(clock.looks).toBe(2);
});

test.each([
  // Planned with so many pieces to fetch, in so long each; and now.
  [undefined, undefined, false],
  [undefined, [16, 32_768], false],
  [undefined, [17, 32_768], true],
  [[0, 32_768], [16, 32_768], false],
  [[400, 32_768], [100, 32_768], false],
  [[400, 32_768], [99, 32_768], true],
  [[400, 32_768], [1_601, 32_768], true],
  [[400, 32_768], undefined, true],
  [[400, 32_768], [400, 1_024], true],
  // How long fetches take is of no interest where there are none.
  [[4, 32_768], [4, 1_024], false],
] as const)('a plan made for %p, now %p', (planned, now, expected) => {
  const readsOf = (of: readonly [number, number] | undefined) =>
    of && { pieces: 10_000, cold: of[0], scanWaits: 1, micros: of[1] };
  const { growth } = growing({ now: 1_000 }, () => readsOf(now));
  const remote = [{ index: undefined, reads: readsOf(planned) }];
  const plan = {
    planned: [{ rows: 1_000, survey: 0, remote }],
    statements: [],
  } as unknown as ProgramPlan;
  expect(growth.isOutgrown(plan)).toBe(expected);
});

test('a plan from before a survey is outgrown', () => {
  const { growth } = growing({ now: 1_000 });
  const plan = {
    planned: [{ rows: 1_000, survey: 1, remote: [] }],
    statements: [],
  } as unknown as ProgramPlan;
  expect(growth.isOutgrown(plan)).toBe(true);
});

test.each([
  [0, 0, false],
  [0, 3, true],
  [3, 3, false],
  [3, 4, true],
  // Nothing is known of the family any more.
  [3, 0, false],
])('a plan made with correction %p, and now there is %p', (made, now, expected) => {
  const { growth, corrections } = growing({ now: 1_000 });
  corrections.now = now;
  const statements = [{ kind: 'query', query: { family: 'f', correction: made } }];
  const planned = [{ rows: 1_000, survey: 0, remote: [] }];
  const plan = { planned, statements } as unknown as ProgramPlan;
  expect(growth.isOutgrown(plan)).toBe(expected);
});
