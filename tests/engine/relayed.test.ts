/** Executions of other processes, folded into the models of this one. */

import { describe, expect, test } from 'bun:test';
import type { Catalog } from '#catalog';
import { familyOfPart } from '#lir';
import type { Told } from '#statistics';
import type { Database } from '../../src/engine/database.ts';
import { groundCheckOf, groundOfTables } from '../../src/engine/ground.ts';
import { foldRelayed } from '../../src/engine/relayed.ts';

const table = (physicalId: number, ...columns: readonly number[]) => ({
  physicalId,
  columns: columns.map((column) => ({ physicalId: column })),
});

const catalogOf = (...tables: readonly ReturnType<typeof table>[]) =>
  ({ tables }) as unknown as Catalog;

describe('the ground of a statement', () => {
  const [a, b] = [table(1, 10, 11), table(2, 20)];

  test('is the same in whatever order its tables come', () => {
    expect(groundOfTables([a, b])).toBe(groundOfTables([b, a]));
    expect(groundOfTables([])).toBe('');
  });

  test('holds while all of its tables are in the catalog, with the same columns', () => {
    const ground = groundOfTables([b, a]);
    const holds = (...tables: readonly ReturnType<typeof table>[]) =>
      groundCheckOf(catalogOf(...tables))(ground);
    expect(holds(a, b)).toBe(true);
    expect(holds(b, table(3), a)).toBe(true);
    expect(holds(a)).toBe(false);
    expect(holds(a, table(2, 21))).toBe(false);
    expect(holds(a, table(2, 20, 21))).toBe(false);
    expect(holds(a, table(4, 20))).toBe(false);
    expect(groundCheckOf(catalogOf())('')).toBe(true);
  });

  test('is checked against the catalog that is asked about', () => {
    const now = catalogOf(a);
    const ground = groundOfTables([a]);
    expect(groundCheckOf(now)).toBe(groundCheckOf(now));
    expect(groundCheckOf(now)(ground)).toBe(true);
    expect(groundCheckOf(catalogOf(b))(ground)).toBe(false);
  });
});

describe('what is told', () => {
  const known = table(1, 10);

  function database() {
    const absorbed: { readonly family: string; readonly count: number; readonly part: string }[] =
      [];
    const appearances: unknown[] = [];
    let yields = 0;
    const feedback = {
      absorb: (
        { family, executions }: Told['families'][number],
        relationOf: (part: string) => string,
      ) => {
        expect(relationOf('p')).toBe(relationOf('p'));
        absorbed.push({ family, count: executions.length, part: relationOf('p') });
      },
      absorbAppearance: (one: unknown) => appearances.push(one),
    };
    const scheduler = {
      yield: async () => {
        yields++;
      },
    };
    const catalog = catalogOf(known);
    const it = { feedback, catalog, world: { scheduler } } as unknown as Database;
    return { it, absorbed, appearances, yields: () => yields };
  }

  const family = (name: string, executions: number, ground = groundOfTables([known])) =>
    ({
      ...{ family: name, ground, stamp: '', plan: '' },
      executions: Array.from({ length: executions }, () => ({})),
    }) as unknown as Told['families'][number];

  test('is counted, in portions between which others have their turn', async () => {
    const { it, absorbed, yields } = database();
    const families = [family('a', 1), family('b', 200), family('c', 0)];
    expect(await foldRelayed(it, { families, frequency: [] })).toEqual({
      observations: 201,
      staleFamilies: 0,
    });
    const countOf = (name: string) =>
      absorbed.filter((each) => each.family === name).reduce((sum, { count }) => sum + count, 0);
    expect([countOf('a'), countOf('b'), countOf('c')]).toEqual([1, 200, 0]);
    expect(yields()).toBe(absorbed.length);
    expect(absorbed.filter((each) => each.family === 'b').length).toBeGreaterThan(1);
    expect(absorbed[0]?.part).toBe(familyOfPart('a', 'p'));
    expect(absorbed.at(-1)?.part).toBe(familyOfPart('b', 'p'));
  });

  test('of tables that are others by now is left out, and counted', async () => {
    const { it, absorbed } = database();
    const families = [
      family('gone', 5, groundOfTables([table(9, 1)])),
      family('a', 2),
      family('other', 3, groundOfTables([table(1, 11)])),
    ];
    expect(await foldRelayed(it, { families, frequency: [] })).toEqual({
      observations: 2,
      staleFamilies: 2,
    });
    expect(absorbed.map((each) => each.family)).toEqual(['a']);
  });

  test('of answers that were known is folded in as well', async () => {
    const { it, appearances } = database();
    const frequency = [
      { family: 'a', rows: 1, count: 3 },
      { family: 'b', rows: 0, count: 1 },
    ];
    expect(await foldRelayed(it, { families: [], frequency })).toEqual({
      observations: 0,
      staleFamilies: 0,
    });
    expect(appearances).toEqual(frequency);
  });
});
