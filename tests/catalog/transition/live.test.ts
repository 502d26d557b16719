/** What the catalog does for a table while transitions are at work on it: records, names, ids, and the keys that lead to it. */

import { describe, expect, test } from 'bun:test';
import {
  applyChange,
  type Catalog,
  type CatalogChange,
  decodeCatalog,
  encodeCatalog,
  inboundOf,
  isEnded,
  startTransition,
  type TransitionStart,
} from '#catalog';
import { objectIdOf, physicalIdOf } from '../../../src/catalog/transition/transition.ts';
import { after, catalogOf, failureOf, posts, tableOf, users } from '../support.ts';

const base = catalogOf(users, posts);

const builds = (name: string, columns: readonly string[] = ['age']): TransitionStart => ({
  kind: 'start_index_build',
  table_id: 1,
  index: { name, columns },
});
const replaces: TransitionStart = {
  kind: 'start_column_replacement',
  table_id: 1,
  column_id: 3,
  replacement: { type: 'text', nullable: true, default: { kind: 'literal', value: 'none' } },
};
const notNull = (name: string): TransitionStart => ({
  kind: 'start_constraint_validation',
  table_id: 1,
  constraint: { kind: 'not_null', name, column_id: 3 },
});
const references = (name: string, key: string, column = 'age'): TransitionStart => ({
  kind: 'start_constraint_validation',
  table_id: 1,
  constraint: {
    kind: 'foreign_key',
    name,
    foreign_key: { name: key, columns: [column], ref_table: 'posts', ref_columns: ['id'] },
  },
});

function started(...starts: readonly TransitionStart[]): Catalog {
  return starts.reduce((catalog, start) => startTransition(catalog, start, []).catalog, base);
}

const transitionsOf = (catalog: Catalog, name = 'users') =>
  tableOf(catalog, name).transitions ?? [];

describe('the record of a catalog', () => {
  test.each([
    ['an index', builds('i')],
    ['a replacement with a default', replaces],
    ['a validation', notNull('c')],
    ['a key', references('c', 'k')],
  ] as const)('keeps %s that is being made', (_, start) => {
    const catalog = started(start);
    expect(transitionsOf(catalog)).toHaveLength(1);
    const read = decodeCatalog(encodeCatalog(catalog));
    expect(read).toEqual(catalog);
    expect(transitionsOf(read)).toEqual(transitionsOf(catalog));
  });
});

describe('a rename', () => {
  const rename: CatalogChange = { kind: 'rename_table', table_id: 1, to: 'people' };
  const renameColumn: CatalogChange = {
    kind: 'rename_column',
    table_id: 1,
    column_id: 3,
    to: 'years',
  };

  /** Names of what is being made: of the transition itself, where it has one, and of its index or key. */
  const namesOf = (catalog: Catalog, table: string) =>
    transitionsOf(catalog, table).map((one) => {
      if (one.kind === 'index_build') return one.index.name;
      if (one.kind === 'column_replacement') return 'replacement';
      const { constraint } = one;
      return constraint.kind === 'not_null'
        ? one.name
        : `${one.name} ${constraint.foreignKey.name}`;
    });

  test.each([
    ['an index', builds('users_age_idx'), 'people_age_idx', 'users_years_idx'],
    ['an index with a name of its own', builds('i'), 'i', 'i'],
    ['a validation', notNull('users_age_not_null'), 'people_age_not_null', 'users_years_not_null'],
    ['a validation with a name of its own', notNull('c'), 'c', 'c'],
    [
      'a key',
      references('users_age_fk', 'users_age_fk'),
      'people_age_fk people_age_fk',
      'users_years_fk users_years_fk',
    ],
    [
      'a key whose validation has a name of its own',
      references('c', 'users_age_fk'),
      'c people_age_fk',
      'c users_years_fk',
    ],
    ['a key with a name of its own', references('c', 'k'), 'c k', 'c k'],
    ['a key and its validation of one name of their own', references('k', 'k'), 'k k', 'k k'],
  ] as const)('gives %s that is being made its generated name', (_, start, byTable, byColumn) => {
    const catalog = started(start);
    expect(namesOf(after(catalog, rename), 'people')).toEqual([byTable]);
    expect(namesOf(after(catalog, renameColumn), 'users')).toEqual([byColumn]);
  });

  test('leaves a replacement alone', () => {
    expect(transitionsOf(after(started(replaces), rename), 'people')).toEqual(
      transitionsOf(started(replaces)),
    );
  });

  test('is refused where a generated name would meet one that is being made', () => {
    const catalog = started(builds('people_age_idx'), builds('users_age_idx', ['age']));
    expect(failureOf(() => applyChange(catalog, rename)).detail).toBe(
      'the generated index name "people_age_idx" would collide with another index',
    );
    const keys = started(references('c', 'people_age_fk', 'id'), references('d', 'users_age_fk'));
    expect(failureOf(() => applyChange(keys, rename)).detail).toBe(
      'the generated foreign key name "people_age_fk" would collide with another foreign key',
    );
  });
});

describe('a name that is being made', () => {
  test('is taken for indexes and keys', () => {
    const index: CatalogChange = {
      kind: 'create_index',
      table_id: 1,
      index: { name: 'i', columns: ['id'] },
    };
    expect(failureOf(() => applyChange(started(builds('i')), index)).detail).toBe(
      'duplicate index name: a transition is creating the index "i"',
    );
    after(started(builds('other')), index);
    const key: CatalogChange = {
      kind: 'create_foreign_key',
      table_id: 1,
      foreign_key: { name: 'k', columns: ['id'], ref_table: 'posts', ref_columns: ['id'] },
    };
    expect(failureOf(() => applyChange(started(references('c', 'k')), key)).detail).toBe(
      'duplicate foreign key name: a transition is creating the foreign key "k"',
    );
    after(started(references('c', 'other')), key);
  });

  test('is of no index yet that could be deleted', () => {
    const gone: CatalogChange = { kind: 'delete_index', table_id: 1, index: 'i' };
    const catalog = started(builds('h'), builds('i', ['id']));
    const { id } = transitionsOf(catalog)[1] as { readonly id: number };
    expect(failureOf(() => applyChange(catalog, gone)).detail).toBe(
      `index "i" is not ready; cancel its transition tr${id} instead`,
    );
    expect(failureOf(() => applyChange(started(builds('h')), gone)).detail).toBe(
      'unknown index: table "users" has no index "i"',
    );
  });
});

test('the work of a transition goes to an id of its own, which its public name keeps', () => {
  const catalog = started(builds('i'));
  const [index] = transitionsOf(catalog);
  const [replacement] = transitionsOf(started(replaces));
  const [validation] = transitionsOf(started(notNull('c')));
  if (index?.kind !== 'index_build' || replacement?.kind !== 'column_replacement')
    throw new Error();
  if (validation?.kind !== 'constraint_validation') throw new Error();
  expect(physicalIdOf(index)).toBe(index.index.physicalId);
  expect(physicalIdOf(replacement)).toBe(replacement.target.physicalId);
  expect(physicalIdOf(validation)).toBe(validation.physicalId);
  const before = tableOf(base, 'users').columns.map(({ physicalId }) => physicalId);
  for (const one of [index, replacement, validation]) {
    expect(before).not.toContain(physicalIdOf(one));
    expect(physicalIdOf(one)).not.toBe(one.id);
  }
  expect([index, replacement, validation].map(objectIdOf)).toEqual([
    `ix${index.index.physicalId}`,
    'column:3',
    `ct${validation.physicalId}`,
  ]);
});

test('three states are ends', () => {
  const states = [
    'waiting',
    'building',
    'catching_up',
    'validating',
    'ready',
    'failed',
    'cancelled',
  ] as const;
  expect(states.filter(isEnded)).toEqual(['ready', 'failed', 'cancelled']);
});

describe('the keys that lead to a table', () => {
  const inbound = (catalog: Catalog, name: string) =>
    inboundOf(catalog, tableOf(catalog, name).id).map(
      ({ child, foreignKey }) => `${child.name}.${foreignKey.name}`,
    );

  test('are those of all tables, its own among them, and those that are being validated', () => {
    const self: CatalogChange = {
      kind: 'create_foreign_key',
      table_id: 1,
      foreign_key: { name: 'self', columns: ['age'], ref_table: 'users', ref_columns: ['id'] },
    };
    const known = inbound(base, 'users');
    expect(inbound(after(base, self), 'users').toSorted()).toEqual(
      [...known, 'users.self'].toSorted(),
    );
    expect(inbound(base, 'posts')).toEqual([]);
    expect(inbound(started(references('c', 'k')), 'posts')).toEqual(['users.k']);
    expect(inbound(started(references('c', 'k')), 'users')).toEqual(known);
    expect(inboundOf(base, 99)).toEqual([]);
  });
});
