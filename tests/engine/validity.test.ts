/** Plans are made anew for tables of another size, and kept otherwise. */

import { expect, test } from 'bun:test';
import type { World } from '#base';
import type { ProgramPlan } from '#planner';
import type { RemoteReads } from '#statistics';
import { PreparedProgram } from '../../src/engine/prepared/prepared-program.ts';
import { Validity } from '../../src/engine/prepared/validity.ts';

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
  const world = { clock: { unixMs: () => 0, monotonicMs: () => clock.now } } as World;
  const validity = new Validity({ statistics, experience, world, isCurrent: () => true });
  return { validity, clock, corrections };
}

const planFor = (...rows: readonly number[]) =>
  new PreparedProgram({
    tableEstimates: rows.map((count) => ({ rows: count, survey: 0, remote: [] })),
    statements: [],
  } as unknown as ProgramPlan);

test.each([
  [1_000, 0, false],
  [1_000, 4_000, false],
  [1_000, 4_001, true],
  [50_000, 12_500, false],
  [50_000, 12_499, true],
  [50_000, 0, true],
])('planned for %p rows, now %p', (planned, now, expected) => {
  const { validity } = growing({ now });
  expect(validity.holds(planFor(planned))).toBe(!expected);
});

test('a plan that no count went into is never outgrown, and costs no look at the clock', () => {
  const { validity, clock } = growing({ now: 1_000_000 });
  expect(validity.holds(planFor())).toBe(true);
  expect(clock.looks).toBe(0);
});

test('tables are looked at once a second', () => {
  const rows = { now: 1_000 };
  const { validity, clock } = growing(rows);
  const plan = planFor(1_000);
  expect(validity.holds(plan)).toBe(true);
  rows.now = 9_000;
  clock.now = 999;
  expect(validity.holds(plan)).toBe(true);
  clock.now = 1_000;
  expect(validity.holds(plan)).toBe(false);
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
  const { validity } = growing({ now: 1_000 }, () => readsOf(now));
  const remote = [{ index: undefined, reads: readsOf(planned) }];
  const plan = {
    tableEstimates: [{ rows: 1_000, survey: 0, remote }],
    statements: [],
  } as unknown as ProgramPlan;
  expect(validity.holds(new PreparedProgram(plan))).toBe(!expected);
});

test('a plan from before a survey is outgrown', () => {
  const { validity } = growing({ now: 1_000 });
  const plan = {
    tableEstimates: [{ rows: 1_000, survey: 1, remote: [] }],
    statements: [],
  } as unknown as ProgramPlan;
  expect(validity.holds(new PreparedProgram(plan))).toBe(false);
});

test.each([
  [0, 0, false],
  [0, 3, true],
  [3, 3, false],
  [3, 4, true],
  // Nothing is known of the family any more.
  [3, 0, false],
])('a plan made with correction %p, and now there is %p', (made, now, expected) => {
  const { validity, corrections } = growing({ now: 1_000 });
  corrections.now = now;
  const statements = [{ kind: 'query', query: { family: 'f', correction: made } }];
  const tableEstimates = [{ rows: 1_000, survey: 0, remote: [] }];
  const plan = { tableEstimates, statements } as unknown as ProgramPlan;
  expect(validity.holds(new PreparedProgram(plan))).toBe(!expected);
});
