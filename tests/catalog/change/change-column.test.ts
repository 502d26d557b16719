import { describe, expect, test } from 'bun:test';
import {
  applyChange,
  type CatalogChange,
  type ColumnDefault,
  type ColumnDefinition,
} from '#catalog';
import {
  after,
  catalogOf,
  effectsOf,
  expectInvalid,
  expectNoChange,
  failureOf,
  posts,
  tableOf,
  users,
} from '../support.ts';

const add = (column: ColumnDefinition): CatalogChange => ({
  kind: 'create_column',
  table_id: 1,
  column,
});
const literal = (value: string | number | bigint | boolean) =>
  ({ kind: 'literal', value }) as const;

describe('create_column', () => {
  test('appends with the next id; old rows read NULL', () => {
    const catalog = after(catalogOf(users), add({ name: 'x', type: 'text', nullable: true }));
    const table = tableOf(catalog, 'users');
    expect(table.columns[3]).toMatchObject({ id: 4, name: 'x', missing: null });
    expect(table.columnIdMax).toBe(4);
    expect(table.columns[3]?.physicalId).toBe(catalog.physicalIdMax);
    expect(catalog.physicalIdMax).toBe(catalogOf(users).physicalIdMax + 1);
  });

  test('a literal default is what old rows read, for ever', () => {
    const x: ColumnDefinition = { name: 'x', type: 'int64', default: literal(0) };
    const catalog = after(catalogOf(users), add(x), {
      kind: 'change_column_default',
      table_id: 1,
      column_id: 4,
      default: literal(5),
    });
    expect(tableOf(catalog, 'users').columns[3]).toMatchObject({
      default: literal(5),
      missing: 0,
    });
  });

  test('a generator never runs for old rows', () => {
    const x: ColumnDefinition = {
      name: 'x',
      type: 'int64',
      nullable: true,
      default: { kind: 'generator', func: 'increment' },
    };
    expect(tableOf(after(catalogOf(users), add(x)), 'users').columns[3]?.missing).toBeNull();
  });

  test('neither nullable nor a literal default', () => {
    const x: ColumnDefinition = { name: 'x', type: 'int64' };
    const fragment = 'must be nullable or have a literal default';
    expectInvalid(catalogOf(users), add(x), fragment);
    const generated = { ...x, default: { kind: 'generator', func: 'now_ms' } } as const;
    expectInvalid(catalogOf(users), add(generated), fragment);
  });

  test('a taken name, a used id, an unknown table', () => {
    const x: ColumnDefinition = { name: 'x', type: 'text', nullable: true };
    expectInvalid(catalogOf(users), add({ ...x, name: 'age' }), 'duplicate column "age"');
    expectInvalid(catalogOf(users), add({ ...x, id: 3 }), 'column id 3 is already used');
    expectInvalid(catalogOf(), add(x), 'unknown table');
    const grown = after(catalogOf(users), add({ ...x, id: 10 }));
    const shrunk = after(grown, { kind: 'delete_column', table_id: 1, column_id: 10 });
    expectInvalid(shrunk, add({ ...x, id: 10 }), 'column id 10 is already used');
    const again = after(shrunk, add({ ...x, id: 7 }), add({ ...x, name: 'y' }));
    expect(tableOf(again, 'users').columns.map((column) => column.id)).toEqual([1, 2, 3, 7, 11]);
  });

  test('a default that does not fit is a schema violation', () => {
    const x = add({ name: 'x', type: 'int64', default: literal('1') });
    expect(failureOf(() => applyChange(catalogOf(users), x))).toMatchObject({
      reason: 'schema_violation',
      stage: 'schema',
    });
  });
});

describe('rename_column', () => {
  const rename = (to: string): CatalogChange => ({
    kind: 'rename_column',
    table_id: 1,
    column_id: 1,
    to,
  });

  test('keeps ids, so keys and references follow', () => {
    const before = catalogOf(users, posts);
    const catalog = after(before, rename('key'));
    expect(tableOf(catalog, 'users')).toMatchObject({ primaryKey: [1] });
    expect(tableOf(catalog, 'users').columns[0]).toMatchObject({ id: 1, name: 'key' });
    expect(tableOf(catalog, 'posts')).toBe(tableOf(before, 'posts'));
  });

  test('the same name is no change', () => expectNoChange(catalogOf(users), rename('id')));
  test('a taken name', () => expectInvalid(catalogOf(users), rename('age'), 'duplicate column'));
  test('an unknown column', () =>
    expectInvalid(
      catalogOf(users),
      { kind: 'rename_column', table_id: 1, column_id: 9, to: 'x' },
      'unknown column: table "users" has no column with id 9',
    ));
});

describe('change_column_default', () => {
  const change = (value?: ColumnDefault, column_id = 3): CatalogChange => ({
    kind: 'change_column_default',
    table_id: 1,
    column_id,
    ...(value && { default: value }),
  });

  test('sets, replaces and removes', () => {
    let catalog = after(catalogOf(users), change(literal(1)));
    expect(tableOf(catalog, 'users').columns[2]?.default).toEqual(literal(1));
    catalog = after(catalog, change({ kind: 'generator', func: 'now_ms' }));
    catalog = after(catalog, change());
    expect(tableOf(catalog, 'users').columns[2]?.default).toBeUndefined();
  });

  test('the same default is no change', () => {
    expectNoChange(catalogOf(users), change());
    for (const value of [literal(1), { kind: 'generator', func: 'now_ms' } as const]) {
      expectNoChange(after(catalogOf(users), change(value)), change(value));
    }
  });

  test('a default that does not fit is invalid here', () => {
    expectInvalid(catalogOf(users), change(literal('1')), 'string default on int64 column');
    expectInvalid(
      catalogOf(users),
      change({ kind: 'generator', func: 'ulid' }),
      'needs a bytes column of format ulid',
    );
  });

  test('increment neither comes nor goes', () => {
    const fragment = 'increment generator on column';
    const increment = { kind: 'generator', func: 'increment' } as const;
    expectInvalid(catalogOf(users), change(increment), fragment);
    const counted = catalogOf({
      ...users,
      columns: users.columns.map((column) =>
        column.name === 'age' ? { ...column, default: increment } : column,
      ),
    });
    expectInvalid(counted, change(), fragment);
    expectInvalid(counted, change(literal(1)), fragment);
    expectNoChange(counted, change(increment));
  });

  test('an unknown column', () =>
    expectInvalid(catalogOf(users), change(literal(1), 9), 'unknown column'));
});

describe('delete_column', () => {
  const drop = (column_id: number): CatalogChange => ({
    kind: 'delete_column',
    table_id: 1,
    column_id,
  });

  test('removes the record and leaves the cells to be reclaimed', () => {
    const [users_] = catalogOf(users).tables;
    const reclamation = { physicalId: users_?.columns[2]?.physicalId as number, table: 1 };
    const effect = { kind: 'reclaim_column', reclamation } as const;
    expect(effectsOf(catalogOf(users), drop(3))).toEqual([effect]);
    const table = tableOf(after(catalogOf(users), drop(3)), 'users');
    expect(table.columns.map((column) => column.id)).toEqual([1, 2]);
    expect(table.columnIdMax).toBe(3);
  });

  test('not what something needs', () => {
    expectInvalid(catalogOf(users), drop(1), 'used by the primary key');
    expectInvalid(catalogOf(users), drop(2), 'used by the index "users_name_uq"');
    const catalog = catalogOf(users, posts);
    expectInvalid(
      catalog,
      { kind: 'delete_column', table_id: 2, column_id: 2 },
      'used by the foreign key "posts_author_fk"',
    );
  });

  test('an unknown column', () => expectInvalid(catalogOf(users), drop(9), 'unknown column'));
});
