/** What an answer from memory rests on: the records of the tables that it reads, and when their rows last changed. */

import { expect, test } from 'bun:test';
import type { Catalog } from '#catalog';
import type { ProgramPlan } from '#planner';
import type { Database } from '../../src/engine/database.ts';
import { isSameState, readStateOf } from '../../src/engine/read-state.ts';

const table = (id: number, physicalId = 10 * id) => ({ id, physicalId });
type Table = ReturnType<typeof table>;

/** The state of a plan over `tables`, of those that are `there`; rows have changed as `changes` tells by physical id. */
function stateOf(
  there: readonly Table[],
  tables: readonly number[],
  changes: Readonly<Record<number, string>> = {},
) {
  const store = { changeOf: (physicalId: number) => changes[physicalId] ?? 'first' };
  const database = { store, catalog: { tables: there } as unknown as Catalog };
  return readStateOf(
    database as unknown as Database,
    { tables: new Set(tables) } as unknown as ProgramPlan,
  );
}

const [a, b, c] = [table(1), table(2), table(3)];

test('has the record and the last change of each table that the plan reads', () => {
  expect(stateOf([a, b, c], [1, 3], { 30: 'later' })).toEqual({
    tables: [a, c] as never,
    changes: ['first', 'later'],
    policies: undefined,
  });
});

test('has neither of a table that is gone', () => {
  expect(stateOf([a], [1, 2])).toEqual({
    tables: [a, undefined] as never,
    changes: ['first', ''],
    policies: undefined,
  });
});

test('is the same while no table of the plan is another one or has other rows', () => {
  const state = stateOf([a, b, c], [1, 2]);
  const same = (...given: Parameters<typeof stateOf>) => isSameState(state, stateOf(...given));
  expect(same([a, b, c], [1, 2])).toBe(true);
  expect(same([a, b], [1, 2], { 30: 'later' })).toBe(true);
  expect(same([a, b, c], [1, 2], { 10: 'later' })).toBe(false);
  expect(same([a, b, c], [1, 2], { 20: 'later' })).toBe(false);
  // The same rows, under a record that has changed.
  expect(same([a, table(2), c], [1, 2])).toBe(false);
  expect(same([table(1), b, c], [1, 2])).toBe(false);
  expect(same([a, c], [1, 2])).toBe(false);
  expect(same([a, b, c], [1])).toBe(false);
  expect(same([a, b, c], [1, 2, 3])).toBe(false);
});

test('of no tables is always the same', () => {
  expect(isSameState(stateOf([], []), stateOf([a], []))).toBe(true);
});
