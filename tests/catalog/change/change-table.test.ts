import { expect, test } from 'bun:test';
import {
  after,
  catalogOf,
  create,
  effectsOf,
  expectInvalid,
  expectNoChange,
  posts,
  tableOf,
  users,
} from '../support.ts';

test('rename keeps id, physical id, columns and inbound keys', () => {
  const before = catalogOf(users, posts);
  const renamed = after(before, { kind: 'rename_table', table_id: 1, to: 'people' });
  expect(tableOf(renamed, 'people')).toMatchObject({
    id: 1,
    physicalId: tableOf(before, 'users').physicalId,
    columns: tableOf(before, 'users').columns,
  });
  expect(tableOf(renamed, 'posts')).toBe(tableOf(before, 'posts'));
});

test('rename to the same name is no change', () => {
  expectNoChange(catalogOf(users), { kind: 'rename_table', table_id: 1, to: 'users' });
});

test('rename to a taken name is refused, to a freed one not', () => {
  const catalog = catalogOf(users, posts);
  const rename = { kind: 'rename_table', table_id: 2, to: 'users' } as const;
  expectInvalid(catalog, rename, 'table "users" already exists');
  after(catalog, { kind: 'rename_table', table_id: 1, to: 'people' }, rename);
});

test('delete drops the rows and every index', () => {
  const catalog = catalogOf(users);
  const table = tableOf(catalog, 'users');
  expect(effectsOf(catalog, { kind: 'delete_table', table_id: 1 })).toEqual([
    { kind: 'drop_range', physicalId: table.physicalId },
    { kind: 'drop_range', physicalId: table.indexes[0]?.physicalId as number },
  ]);
  expect(after(catalog, { kind: 'delete_table', table_id: 1 }).tables).toEqual([]);
});

test('delete of a table that another one references is refused', () => {
  const catalog = catalogOf(users, posts);
  const drop = { kind: 'delete_table', table_id: 1 } as const;
  expectInvalid(catalog, drop, 'referenced by the foreign key "posts_author_fk" of table "posts"');
  after(catalog, { kind: 'delete_table', table_id: 2 }, drop);
});

test('a reference to itself does not count', () => {
  const catalog = catalogOf({
    ...posts,
    foreign_keys: [{ name: 'k', columns: ['author'], ref_table: 'posts', ref_columns: ['id'] }],
  });
  after(catalog, { kind: 'delete_table', table_id: 1 });
});

test('physical ids are not reused', () => {
  const catalog = after(catalogOf(users), { kind: 'delete_table', table_id: 1 }, create(users));
  const first = tableOf(catalogOf(users), 'users');
  expect(tableOf(catalog, 'users').physicalId).toBeGreaterThan(
    first.indexes[0]?.physicalId as number,
  );
});

test('an unknown id', () => {
  expectInvalid(catalogOf(), { kind: 'rename_table', table_id: 1, to: 'a' }, 'unknown table');
  expectInvalid(catalogOf(), { kind: 'delete_table', table_id: 1 }, 'no table has id 1');
});
