import { describe, expect, test } from 'bun:test';
import type { Catalog, CatalogChange, TableDefinition } from '#catalog';
import { after, catalogOf, create, expectInvalid, tableOf } from '../support.ts';

const t: TableDefinition = {
  name: 't',
  columns: [
    { name: 'a', type: 'int64' },
    { name: 'b', type: 'int64', nullable: true },
    { name: 'c', type: 'int64' },
  ],
  primary_key: ['a'],
  indexes: [
    { name: 't_b_idx', columns: ['b'] },
    { name: 't_b_c_uq', columns: ['b', 'c'], unique: true },
    { name: 't_c_uq', columns: ['c'] },
    { name: 'mine', columns: ['b'] },
  ],
  foreign_keys: [
    { name: 't_b_fk', columns: ['b'], ref_table: 't', ref_columns: ['a'] },
    { name: 'parent', columns: ['b'], ref_table: 't', ref_columns: ['a'] },
  ],
};
const renameTable = (to: string): CatalogChange => ({ kind: 'rename_table', table_id: 1, to });
const renameColumn = (column_id: number, to: string): CatalogChange => ({
  kind: 'rename_column',
  table_id: 1,
  column_id,
  to,
});
const namesOf = (catalog: Catalog, table: string) => ({
  indexes: tableOf(catalog, table).indexes.map((index) => index.name),
  keys: tableOf(catalog, table).foreignKeys.map((key) => key.name),
});

describe('generated names follow', () => {
  test('a table rename; names that are not exactly generated stay', () => {
    expect(namesOf(after(catalogOf(t), renameTable('u')), 'u')).toEqual({
      // `t_c_uq` is not the generated name of an index that is not unique.
      indexes: ['mine', 't_c_uq', 'u_b_c_uq', 'u_b_idx'],
      keys: ['parent', 'u_b_fk'],
    });
  });

  test('a column rename', () => {
    expect(namesOf(after(catalogOf(t), renameColumn(2, 'x')), 't')).toEqual({
      indexes: ['mine', 't_c_uq', 't_x_c_uq', 't_x_idx'],
      keys: ['parent', 't_x_fk'],
    });
  });

  test('and back', () => {
    const there = after(catalogOf(t), renameTable('u'), renameColumn(2, 'x'));
    const back = after(there, renameColumn(2, 'b'), renameTable('t'));
    expect(tableOf(back, 't')).toEqual(tableOf(catalogOf(t), 't'));
  });

  test('but not keys of several columns', () => {
    const pair: TableDefinition = {
      name: 'pair',
      columns: [
        { name: 'a', type: 'int64' },
        { name: 'b', type: 'int64' },
      ],
      primary_key: ['a', 'b'],
      foreign_keys: [
        { name: 'pair_a_fk', columns: ['a', 'b'], ref_table: 'pair', ref_columns: ['a', 'b'] },
      ],
    };
    expect(namesOf(after(catalogOf(pair), renameTable('x')), 'x').keys).toEqual(['pair_a_fk']);
  });
});

describe('a collision is refused', () => {
  const withIndex = (name: string): TableDefinition => ({
    ...t,
    indexes: [...(t.indexes ?? []), { name, columns: ['c'] }],
  });
  test('of a table rename', () =>
    expectInvalid(catalogOf(withIndex('u_b_idx')), renameTable('u'), '"u_b_idx" would collide'));
  test('of a column rename', () =>
    expectInvalid(
      catalogOf(withIndex('t_x_idx')),
      renameColumn(2, 'x'),
      'generated index name "t_x_idx" would collide',
    ));
  test('of a key', () =>
    expectInvalid(
      catalogOf({
        ...t,
        foreign_keys: [
          ...(t.foreign_keys ?? []),
          { name: 'u_b_fk', columns: ['b'], ref_table: 't', ref_columns: ['a'] },
        ],
      }),
      renameTable('u'),
      'generated foreign key name "u_b_fk" would collide',
    ));
  test('a generated name that would be too long', () =>
    expectInvalid(catalogOf(t), renameTable('u'.repeat(254)), 'invalid generated index name'));
});

describe('names', () => {
  const named = (name: string) => create({ ...t, name, indexes: [], foreign_keys: [] });
  const good = ['a', 'A b', '1', 'ü', '日本', '\u{1f600}', 'x'.repeat(255), 'é'.repeat(127), '"'];
  test.each(good)('%s is one', (name) => {
    after(catalogOf(), named(name));
  });
  const bad: readonly (readonly [string, string])[] = [
    ['', 'it is empty'],
    ['a\u0000b', 'control character'],
    ['\u007f', 'control character'],
    ['\u0085', 'control character'],
    ['x'.repeat(256), 'it has 256 bytes'],
    ['é'.repeat(128), 'it has 256 bytes'],
    ['\ud800', 'not well-formed'],
  ];
  test.each(bad)('%j is none', (name, fragment) => {
    expectInvalid(catalogOf(), named(name), fragment);
    expectInvalid(catalogOf(t), renameTable(name), fragment);
    expectInvalid(catalogOf(t), renameColumn(1, name), fragment);
    expectInvalid(
      catalogOf(t),
      { kind: 'create_index', table_id: 1, index: { name, columns: ['a'] } },
      fragment,
    );
    expectInvalid(
      catalogOf(t),
      {
        kind: 'create_foreign_key',
        table_id: 1,
        foreign_key: { name, columns: ['b'], ref_table: 't', ref_columns: ['a'] },
      },
      fragment,
    );
  });
});
