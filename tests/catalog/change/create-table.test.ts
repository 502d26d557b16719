import { describe, expect, test } from 'bun:test';
import {
  applyChange,
  type ColumnDefinition,
  emptyCatalog,
  type ForeignKeyDefinition,
  type TableDefinition,
} from '#catalog';
import { after, catalogOf, create, expectInvalid, posts, tableOf, users } from '../support.ts';

const id: ColumnDefinition = { name: 'id', type: 'int64' };
const minimal: TableDefinition = { name: 't', columns: [id], primary_key: ['id'] };
const invalid = (definition: TableDefinition, fragment: string) =>
  expectInvalid(catalogOf(users), create(definition), fragment);

test('a table gets ids, physical ids and its members in order', () => {
  const catalog = catalogOf(users, posts);
  const table = tableOf(catalog, 'posts');
  expect(table.id).toBe(2);
  expect(table.columns.map((column) => column.id)).toEqual([1, 2, 3]);
  expect(table.columnIdMax).toBe(3);
  expect(table.primaryKey).toEqual([1]);
  expect(table.foreignKeys).toMatchObject([
    { columns: [2], refTable: 1, refColumns: [1], onDelete: 'restrict' },
  ]);
  expect(table.columns[1]).toMatchObject({ nullable: true, missing: null, default: undefined });
  const physical = catalog.tables.flatMap((each) => [
    each.physicalId,
    ...each.columns.map((column) => column.physicalId),
    ...each.indexes.map((index) => index.physicalId),
    ...each.foreignKeys.map((key) => key.physicalId),
  ]);
  expect(new Set(physical).size).toBe(physical.length);
  expect(Math.max(...physical)).toBe(catalog.physicalIdMax);
});

test('nothing has to be done to data', () => {
  expect(applyChange(catalogOf(users), create(posts)).effects).toEqual([]);
});

test('a table may reference itself', () => {
  const tree = catalogOf({
    name: 'tree',
    columns: [id, { name: 'parent', type: 'int64', nullable: true }],
    primary_key: ['id'],
    foreign_keys: [
      {
        name: 'tree_parent_fk',
        columns: ['parent'],
        ref_table: 'tree',
        ref_columns: ['id'],
        on_delete: 'set_null',
      },
    ],
  });
  expect(tableOf(tree, 'tree').foreignKeys[0]).toMatchObject({ refTable: 1, onDelete: 'set_null' });
});

test('indexes and foreign keys are sorted by the bytes of their names', () => {
  const table = tableOf(
    catalogOf({
      ...minimal,
      indexes: ['b', '\u{10000}', '\uffff', 'a'].map((name) => ({ name, columns: ['id'] })),
    }),
    't',
  );
  expect(table.indexes.map((index) => index.name)).toEqual(['a', 'b', '\uffff', '\u{10000}']);
});

test('tables are kept by id whatever the order of creation', () => {
  const catalog = catalogOf({ ...minimal, name: 'b', id: 5 }, { ...minimal, name: 'a', id: 2 });
  expect(catalog.tables.map((table) => table.id)).toEqual([2, 5]);
});

describe('ids', () => {
  test('the maximum ever + 1 when absent, also after deletion', () => {
    let catalog = catalogOf({ ...minimal, id: 7 });
    catalog = after(catalog, { kind: 'delete_table', table_id: 7 }, create(minimal));
    expect(catalog.tables.map((table) => table.id)).toEqual([8]);
  });

  test('an id below the maximum that was never used may be given', () => {
    const catalog = catalogOf({ ...minimal, id: 7 }, { ...minimal, name: 'u', id: 3 });
    expect(catalog.tableIdMax).toBe(7);
    expect(catalog.tableIdGaps).toEqual([
      [1, 2],
      [4, 6],
    ]);
    const filled = after(
      catalog,
      create({ ...minimal, name: 'v', id: 1 }),
      create({ ...minimal, name: 'w', id: 2 }),
    );
    expect(filled.tableIdGaps).toEqual([[4, 6]]);
  });

  test('a deleted id is used for ever', () => {
    const catalog = after(catalogOf(users, { ...minimal, id: 9 }), {
      kind: 'delete_table',
      table_id: 9,
    });
    expectInvalid(catalog, create({ ...minimal, id: 9 }), 'table id 9 is already used');
    expectInvalid(catalog, create({ ...minimal, id: 1 }), 'table id 1 is already used');
  });

  test('given column ids go first, the others above them', () => {
    const catalog = catalogOf({
      ...minimal,
      columns: [id, { name: 'a', type: 'text', id: 4 }, { name: 'b', type: 'text' }],
    });
    expect(tableOf(catalog, 't').columns.map((column) => column.id)).toEqual([5, 4, 6]);
    expect(tableOf(catalog, 't').columnIdGaps).toEqual([[1, 3]]);
  });

  test('two columns cannot share one', () => {
    invalid(
      {
        ...minimal,
        columns: [
          { ...id, id: 1 },
          { name: 'a', type: 'text', id: 1 },
        ],
      },
      'column id 1 is already used',
    );
  });

  test.each([0, -1, 1.5, 2_147_483_648])('%p is none', (wrong) => {
    invalid({ ...minimal, id: wrong }, 'is not between 1 and 2147483647');
    invalid({ ...minimal, columns: [{ ...id, id: wrong }] }, 'is not between');
  });

  test('the last one can be used, and then none is left', () => {
    const catalog = catalogOf({ ...minimal, id: 2_147_483_647 });
    expectInvalid(catalog, create({ ...minimal, name: 'u' }), 'no table id is left');
  });
});

describe('refused', () => {
  test('taken name', () => invalid(users, 'table "users" already exists'));
  test('missing name', () => invalid({ ...minimal, name: '' }, 'invalid table name'));
  test('no columns', () => invalid({ ...minimal, columns: [] }, 'at least one column'));
  test('duplicate column', () =>
    invalid({ ...minimal, columns: [id, id] }, 'duplicate column "id"'));
  test('unknown type', () =>
    invalid(
      { ...minimal, columns: [{ name: 'id', type: 'date' as 'text' }] },
      'unknown type "date"',
    ));
  test('no primary key', () => invalid({ ...minimal, primary_key: [] }, 'needs a primary key'));
  test('unknown key column', () =>
    invalid({ ...minimal, primary_key: ['no'] }, 'unknown column "no"'));
  test('repeated key column', () => invalid({ ...minimal, primary_key: ['id', 'id'] }, 'twice'));
  test('nullable key column', () =>
    invalid({ ...minimal, columns: [{ ...id, nullable: true }] }, 'must not be nullable'));

  test('several nullable key columns: the first is named', () => {
    const columns = ['a', 'b'].map((name) => ({ ...id, name, nullable: true }));
    invalid({ ...minimal, columns, primary_key: ['a', 'b'] }, 'column "a" must not be nullable');
  });
  test('index over an unknown column', () =>
    invalid(
      { ...minimal, indexes: [{ name: 'i', columns: ['no'] }] },
      'index "i" names the unknown column "no"',
    ));
  test('index without columns', () =>
    invalid({ ...minimal, indexes: [{ name: 'i', columns: [] }] }, 'at least one column'));
  test('duplicate index name', () =>
    invalid(
      {
        ...minimal,
        indexes: [
          { name: 'i', columns: ['id'] },
          { name: 'i', columns: ['id'] },
        ],
      },
      'duplicate index name',
    ));
  test('bad format name', () =>
    invalid({ ...minimal, columns: [{ ...id, format: 'a\nb' }] }, 'invalid format name'));
});

describe('foreign keys refused', () => {
  const withKey = (key: Partial<ForeignKeyDefinition>, more: readonly ColumnDefinition[] = []) => ({
    ...minimal,
    columns: [id, { name: 'a', type: 'int64' } as const, ...more],
    foreign_keys: [{ name: 'k', columns: ['a'], ref_table: 'users', ref_columns: ['id'], ...key }],
  });
  test('unknown table', () =>
    invalid(withKey({ ref_table: 'no' }), 'references the unknown table "no"'));
  test('unknown column', () =>
    invalid(withKey({ columns: ['no'] }), 'foreign key "k" names the unknown column "no"'));
  test('no columns', () => invalid(withKey({ columns: [] }), 'at least one column'));
  test('not the primary key', () =>
    invalid(withKey({ ref_columns: ['age'] }), 'must reference the whole primary key'));
  test('more columns than the key has', () =>
    invalid(
      withKey({ columns: ['a', 'b'] }, [{ name: 'b', type: 'int64' }]),
      'has 2 columns and references 1',
    ));
  test('other type', () =>
    invalid(
      withKey({ columns: ['b'] }, [{ name: 'b', type: 'text' }]),
      'column "b" is text, the referenced column "id" is int64',
    ));
  test('set_null on a column that is not nullable', () =>
    invalid(withKey({ on_delete: 'set_null' }), 'to be nullable'));
  test('set_null on a key column', () =>
    invalid(withKey({ columns: ['id'], on_delete: 'set_null' }), 'the primary key column "id"'));
  test('duplicate name', () => {
    const { foreign_keys: keys, ...rest } = withKey({});
    invalid({ ...rest, foreign_keys: [...keys, ...keys] }, 'duplicate foreign key name');
  });
  test('the columns of a composite key in another order', () => {
    const pair: TableDefinition = {
      name: 'pair',
      columns: [
        { name: 'a', type: 'int64' },
        { name: 'b', type: 'int64' },
      ],
      primary_key: ['b', 'a'],
    };
    const reference = (columns: readonly string[]): TableDefinition => ({
      ...minimal,
      columns: [id, { name: 'a', type: 'int64' }],
      foreign_keys: [{ name: 'k', columns: ['id', 'a'], ref_table: 'pair', ref_columns: columns }],
    });
    expectInvalid(catalogOf(pair), create(reference(['a', 'b'])), 'in order: "b", "a"');
    after(catalogOf(pair), create(reference(['b', 'a'])));
  });
});

test('a rejected definition leaves nothing behind', () => {
  expect(() => applyChange(emptyCatalog, create({ ...minimal, primary_key: ['no'] }))).toThrow();
  expect(emptyCatalog.tables).toEqual([]);
  after(emptyCatalog, create(minimal));
});
