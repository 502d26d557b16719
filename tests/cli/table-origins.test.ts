/** Names of one table id in accepted schemas: of one table that was renamed, or of several. */

import { expect, test } from 'bun:test';
import type { AcceptedSchemas } from '../../src/cli/project/accepted.ts';
import type { Lineage } from '../../src/cli/project/lineage.ts';
import { TableOrigins } from '../../src/cli/project/table-origins.ts';

/** Table 1 in schemas `a`, `b`, … by its names there; a step `ba` leads from `a` to `b`. */
function origins(names: readonly string[], ...steps: readonly string[]): TableOrigins {
  const schemas = names.map((name, i) => ({
    start: String.fromCharCode(97 + i),
    catalog: { tables: [{ id: 1, name }] },
  }));
  const accepted = {
    all: () => schemas,
    startingWith: (start: string) => schemas.find((schema) => schema.start === start),
  } as unknown as AcceptedSchemas;
  const lineage = { steps: () => steps.map((step) => [...step]) } as unknown as Lineage;
  return new TableOrigins(accepted, lineage);
}

const groupsOf = (of: TableOrigins) => of.of(1).map((group) => [...group].sort().join());

test('two names without a step between them are of two tables', () => {
  const two = origins(['user', 'order']);
  expect(groupsOf(two)).toEqual(['user', 'order']);
  expect(two.areTwo(1, 'user', 'order')).toBe(true);
  expect(two.areTwo(1, 'user', 'user')).toBe(false);
});

test('a step makes two names one table, over several steps and in both directions', () => {
  const renamed = origins(['user', 'person'], 'ba');
  expect(groupsOf(renamed)).toEqual(['person,user']);
  expect(renamed.areTwo(1, 'person', 'user')).toBe(false);
  const often = origins(['a', 'b', 'c', 'other'], 'ba', 'cb');
  expect(groupsOf(often).toSorted()).toEqual(['a,b,c', 'other']);
  expect(often.areTwo(1, 'a', 'c')).toBe(false);
  expect(often.areTwo(1, 'c', 'other')).toBe(true);
});

test('with one name, or none, nothing is known to be two', () => {
  expect(origins(['user', 'user']).areTwo(1, 'user', 'new')).toBe(false);
  expect(origins([]).areTwo(1, 'user', 'new')).toBe(false);
  expect(groupsOf(origins(['user'], 'ba'))).toEqual(['user']);
});
