import { describe, expect, test } from 'bun:test';
import type { CatalogChange, ForeignKeyDefinition, IndexDefinition } from '#catalog';
import { after, catalogOf, effectsOf, expectInvalid, posts, tableOf, users } from '../support.ts';

describe('indexes', () => {
  const add = (index: IndexDefinition): CatalogChange => ({
    kind: 'create_index',
    table_id: 1,
    index,
  });

  test('create asks for a backfill with the new records', () => {
    const change = add({ name: 'by_age', columns: ['age', 'name'], unique: true });
    const catalog = after(catalogOf(users), change);
    const table = tableOf(catalog, 'users');
    const [index] = table.indexes;
    expect(index).toMatchObject({ name: 'by_age', columns: [3, 2], unique: true });
    expect(index?.physicalId).toBe(catalog.physicalIdMax);
    expect(effectsOf(catalogOf(users), change)).toEqual([
      { kind: 'backfill_index', table, index: index as NonNullable<typeof index> },
    ]);
  });

  test('create is refused', () => {
    const index: IndexDefinition = { name: 'i', columns: ['age'] };
    expectInvalid(catalogOf(users), add({ ...index, name: 'users_name_uq' }), 'duplicate index');
    expectInvalid(catalogOf(users), add({ ...index, columns: ['no'] }), 'unknown column "no"');
    expectInvalid(catalogOf(users), add({ ...index, columns: [] }), 'at least one column');
    expectInvalid(catalogOf(users), add({ ...index, columns: ['age', 'age'] }), 'twice');
    expectInvalid(catalogOf(), add(index), 'unknown table');
  });

  test('delete drops the entries; a new incarnation has a new physical id', () => {
    const catalog = catalogOf(users);
    const physicalId = tableOf(catalog, 'users').indexes[0]?.physicalId as number;
    const drop: CatalogChange = { kind: 'delete_index', table_id: 1, index: 'users_name_uq' };
    expect(effectsOf(catalog, drop)).toEqual([{ kind: 'drop_range', physicalId }]);
    const again = after(catalog, drop, add({ name: 'users_name_uq', columns: ['name'] }));
    expect(tableOf(again, 'users').indexes[0]?.physicalId).toBeGreaterThan(physicalId);
  });

  test('delete of an unknown one', () =>
    expectInvalid(
      catalogOf(users),
      { kind: 'delete_index', table_id: 1, index: 'no' },
      'unknown index: table "users" has no index "no"',
    ));
});

describe('foreign keys', () => {
  const add = (key: Partial<ForeignKeyDefinition>): CatalogChange => ({
    kind: 'create_foreign_key',
    table_id: 2,
    foreign_key: {
      name: 'k',
      columns: ['author'],
      ref_table: 'users',
      ref_columns: ['id'],
      ...key,
    },
  });

  test('create asks for a validation with the new records', () => {
    const catalog = after(catalogOf(users, posts), add({ on_delete: 'cascade' }));
    const table = tableOf(catalog, 'posts');
    expect(effectsOf(catalogOf(users, posts), add({ on_delete: 'cascade' }))).toEqual([
      {
        kind: 'validate_foreign_key',
        table,
        foreignKey: table.foreignKeys[0] as (typeof table.foreignKeys)[0],
        refTable: tableOf(catalog, 'users'),
      },
    ]);
    expect(table.foreignKeys.map((key) => key.name)).toEqual(['k', 'posts_author_fk']);
  });

  test('a key of a table to itself sees the new record on both sides', () => {
    const [effect] = effectsOf(catalogOf(users, posts), add({ ref_table: 'posts' }));
    expect(effect?.kind === 'validate_foreign_key' && effect.refTable === effect.table).toBe(true);
  });

  test('create is refused by the rules of create_table', () => {
    const catalog = catalogOf(users, posts);
    expectInvalid(catalog, add({ name: 'posts_author_fk' }), 'duplicate foreign key name');
    expectInvalid(catalog, add({ ref_table: 'no' }), 'unknown table "no"');
    expectInvalid(catalog, add({ ref_columns: ['age'] }), 'whole primary key');
    expectInvalid(catalog, add({ columns: ['title'] }), 'is text');
    expectInvalid(catalog, add({ columns: ['id'], on_delete: 'set_null' }), 'set_null');
    expectInvalid(catalogOf(users), add({}), 'unknown table');
  });

  test('delete', () => {
    const drop = (name: string): CatalogChange => ({
      kind: 'delete_foreign_key',
      table_id: 2,
      foreign_key: name,
    });
    const catalog = after(catalogOf(users, posts), drop('posts_author_fk'));
    expect(tableOf(catalog, 'posts').foreignKeys).toEqual([]);
    expectInvalid(catalog, drop('posts_author_fk'), 'unknown foreign key');
    after(catalog, { kind: 'delete_table', table_id: 1 });
  });
});
