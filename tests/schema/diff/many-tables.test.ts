/** Plans over many tables: the work grows with them, not with their square, and gives way between its stages. */

import { expect, test } from 'bun:test';
import { neverYield, runSteps, type YieldPolicy } from '#base';
import {
  applyChange,
  type Catalog,
  emptyCatalog,
  type Table,
  tableById,
  tableByName,
} from '#catalog';
import { planMigration } from '#schema';
import { planMigrationSteps } from '../../../src/schema/diff/plan.ts';
import { checksOf } from '../../../src/schema/preflight/checks.ts';

const count = 300;

function tablesNamed(prefix: string): Catalog {
  let catalog = emptyCatalog;
  for (let i = 0; i < count; i++) {
    const columns = [{ name: 'id', type: 'int64', id: 1 } as const];
    const table = { name: `${prefix}${i}`, id: i + 1, columns, primary_key: ['id'] };
    catalog = applyChange(catalog, { kind: 'create_table', table }).catalog;
  }
  return catalog;
}

/** Counts how often a member of the tables is read. */
function counted(catalog: Catalog, member: 'id' | 'name') {
  const reads = { count: 0 };
  const tables = catalog.tables.map(
    (table) =>
      new Proxy(table, {
        get: (target, key) => {
          if (key === member) reads.count++;
          return Reflect.get(target, key) as unknown;
        },
      }),
  );
  return { catalog: { ...catalog, tables }, reads };
}

test('a list that is asked for once is looked through, and only then made a map of', () => {
  for (const find of [tableById, tableByName] as const) {
    const member = find === tableById ? 'id' : 'name';
    const { catalog, reads } = counted(tablesNamed('t'), member);
    const ask = ({ id, name }: Table) =>
      find === tableById ? tableById(catalog, id) : tableByName(catalog, name);
    const [first, last] = [catalog.tables[0] as Table, catalog.tables.at(-1) as Table];
    const wanted = { id: first.id, name: first.name } as Table;
    reads.count = 0;
    expect(ask(wanted)).toBe(first);
    // A map of all tables would have read all of them.
    expect(reads.count).toBeLessThan(3);
    const far = { id: last.id, name: last.name } as Table;
    for (let times = 0; times < 10; times++) expect(ask(far)).toBe(last);
    reads.count = 0;
    expect(ask(far)).toBe(last);
    expect(reads.count).toBe(0);
    expect(ask({ id: 0, name: '' } as Table)).toBeUndefined();
  }
});

test('the checks of a plan look at each of its steps a few times, however many tables there are', () => {
  const [before, after] = [tablesNamed('t'), tablesNamed('renamed ')];
  const plan = planMigration(before, after, () => false);
  let reads = 0;
  const steps = plan.difference.steps.map((step) => ({
    ...step,
    get action() {
      reads++;
      return step.action;
    },
  }));
  expect(steps).toHaveLength(count);
  expect(checksOf({ ...plan, difference: { ...plan.difference, steps } }, 1)).toEqual([]);
  expect(reads).toBeLessThan(10 * count);
});

test('a plan gives way between its stages', async () => {
  let stages = 0;
  const pace: YieldPolicy = {
    ...neverYield,
    pause: (rows) =>
      rows === Number.POSITIVE_INFINITY && ++stages ? Promise.resolve() : undefined,
  };
  const steps = planMigrationSteps(tablesNamed('t'), tablesNamed('u'), () => false, pace);
  expect((await runSteps(steps, pace)).changes).toHaveLength(count);
  expect(stages).toBeGreaterThanOrEqual(4);
});
