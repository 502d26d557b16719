/** As many as allowed, and not one more, at every door of the catalog and in a schema file. */

import { describe, expect, test } from 'bun:test';
import {
  type Catalog,
  type CatalogChange,
  type ColumnDefinition,
  catalogLimits,
  declareCatalog,
  encodeCatalog,
  type ForeignKeyDefinition,
  type IndexDefinition,
  requireRecordFits,
  startTransition,
  type TableDefinition,
} from '#catalog';
import { diagnosticLine, parseSchema } from '#schema';
import { after, catalogOf, create, expectInvalid, failureOf, tableOf } from '../support.ts';

const { tables, columns, indexes, foreignKeys, keyColumns } = catalogLimits;

const upTo = <Item>(count: number, item: (i: number) => Item) =>
  Array.from({ length: count }, (_, i) => item(i));

/** A table with so many columns. */
function wide(count: number, more: Partial<TableDefinition> = {}): TableDefinition {
  const all = upTo(count, (i): ColumnDefinition => ({ name: `c${i}`, type: 'int64' }));
  return { name: 'wide', columns: all, primary_key: ['c0'], ...more };
}

const index = (i: number): IndexDefinition => ({ name: `i${i}`, columns: ['c1'] });

const key = (i: number): ForeignKeyDefinition => ({
  name: `k${i}`,
  columns: ['c1'],
  ref_table: 'wide',
  ref_columns: ['c0'],
});

const names = (count: number) => upTo(count, (i) => `c${i}`);

/** What the numbers of the documentation are. */
test('the limits', () => {
  expect(catalogLimits).toEqual({
    tables: 4_096,
    columns: 1_024,
    indexes: 64,
    foreignKeys: 64,
    keyColumns: 16,
    nameBytes: 255,
    policyParts: 64,
    recordBytes: 16_777_216,
  });
});

describe('a new table', () => {
  const rows: readonly [string, (count: number) => TableDefinition, number, string][] = [
    [
      'columns',
      (count) => wide(count),
      columns,
      'table "wide" has at most 1,024 columns, this would be 1,025',
    ],
    [
      'indexes',
      (count) => wide(2, { indexes: upTo(count, index) }),
      indexes,
      'table "wide" has at most 64 indexes, this would be 65',
    ],
    [
      'foreign keys',
      (count) => wide(2, { foreign_keys: upTo(count, key) }),
      foreignKeys,
      'table "wide" has at most 64 foreign keys, this would be 65',
    ],
    [
      'columns of the primary key',
      (count) => wide(20, { primary_key: names(count) }),
      keyColumns,
      'the primary key has at most 16 columns, this would be 17',
    ],
    [
      'columns of an index',
      (count) => wide(20, { indexes: [{ name: 'i', columns: names(count) }] }),
      keyColumns,
      'index "i" has at most 16 columns, this would be 17',
    ],
    [
      'bytes of a name',
      (count) => wide(1, { name: 'n'.repeat(count) }),
      catalogLimits.nameBytes,
      'it has 256 bytes, at most 255 are allowed',
    ],
  ];
  test.each(rows)('%s', (_what, definition, most, detail) => {
    expect(catalogOf(definition(most)).tables).toHaveLength(1);
    expectInvalid(catalogOf(), create(definition(most + 1)), detail);
  });

  test('in a database of as many tables as there may be', () => {
    const declared = upTo(tables - 1, (i) => ({
      ...wide(1),
      columns: [{ ...(wide(1).columns[0] as ColumnDefinition), id: 1 }],
      id: i + 1,
      name: `t${i}`,
    }));
    const nearly = declareCatalog(declared);
    const full = after(nearly, create(wide(1)));
    expect(full.tables).toHaveLength(tables);
    const detail = 'a database has at most 4,096 tables, this would be 4,097';
    expectInvalid(full, create(wide(1, { name: 'another' })), detail);
    const one = declared[0] as (typeof declared)[number];
    const many = [...declared, { ...one, id: 5_000, name: 'x' }, { ...one, id: 5_001, name: 'y' }];
    expect(failureOf(() => declareCatalog(many)).detail).toContain(detail);
  });
});

describe('a table that is there', () => {
  const another: CatalogChange = {
    kind: 'create_column',
    table_id: 1,
    column: { name: 'another', type: 'int64', nullable: true },
  };
  const rows: readonly [
    string,
    TableDefinition,
    CatalogChange,
    (catalog: Catalog) => number,
    string,
  ][] = [
    [
      'columns',
      wide(columns - 1),
      another,
      (catalog) => tableOf(catalog, 'wide').columns.length,
      '1,024 columns',
    ],
    [
      'indexes',
      wide(2, { indexes: upTo(indexes - 1, index) }),
      { kind: 'create_index', table_id: 1, index: index(100) },
      (catalog) => tableOf(catalog, 'wide').indexes.length,
      '64 indexes',
    ],
    [
      'foreign keys',
      wide(2, { foreign_keys: upTo(foreignKeys - 1, key) }),
      { kind: 'create_foreign_key', table_id: 1, foreign_key: key(100) },
      (catalog) => tableOf(catalog, 'wide').foreignKeys.length,
      '64 foreign keys',
    ],
  ];
  test.each(rows)(
    'grows to as many %s as it may have',
    (_what, definition, change, count, detail) => {
      const full = after(catalogOf(definition), change);
      const most = count(full);
      const renamed = JSON.parse(
        JSON.stringify(change)
          .replace('another', 'further')
          .replace(/"([ik])100"/, '"$1101"'),
      );
      expectInvalid(full, renamed, `at most ${detail}, this would be`);
      expect(count(full)).toBe(most);
    },
  );

  test('what a transition is making counts', () => {
    const nearly = catalogOf(wide(2, { indexes: upTo(indexes - 1, index) }));
    const build = (i: number) =>
      ({ kind: 'start_index_build', table_id: 1, index: index(i) }) as const;
    const { catalog: building } = startTransition(nearly, build(100), []);
    const { detail } = failureOf(() => startTransition(building, build(101), []));
    expect(detail).toContain('at most 64 indexes, this would be 65');
    expectInvalid(
      building,
      { kind: 'create_index', table_id: 1, index: index(102) },
      'at most 64 indexes',
    );
  });
});

test('the record of the catalog may shrink below its limit, but not grow beyond', () => {
  const small = catalogOf(wide(1));
  const large = (bytes: number) => new Uint8Array(bytes);
  expect(() => requireRecordFits(small, encodeCatalog(small))).not.toThrow();
  expect(() => requireRecordFits(small, large(catalogLimits.recordBytes))).not.toThrow();
  const { detail } = failureOf(() =>
    requireRecordFits(small, large(catalogLimits.recordBytes + 1)),
  );
  expect(detail).toContain('the catalog has at most 16777216 bytes, this would be 16777217');
});

test('physical ids are used up when four bytes hold no more of them', () => {
  const table: TableDefinition = {
    name: 't',
    columns: [{ name: 'id', type: 'int64' }],
    primary_key: ['id'],
  };
  const needed = catalogOf(table).physicalIdMax;
  const left = (ids: number): Catalog => ({
    ...catalogOf(),
    physicalIdMax: 0xffff_ffff - ids,
  });
  expect(after(left(needed), create(table)).physicalIdMax).toBe(0xffff_ffff);
  expectInvalid(left(needed - 1), create(table), 'physical ids of this database are used up');
});

describe('a schema file', () => {
  const errorsOf = (text: string) => {
    const parsed = parseSchema(text, 'f');
    if (parsed.kind === 'schema') return [];
    return parsed.errors.map((error) => diagnosticLine(parsed.source, error));
  };
  const fileOf = (count: number, more: string) =>
    `tables:\n- id: 1\n  name: wide\n  columns:\n${upTo(count, (i) => `  - { id: ${i + 1}, name: c${i}, type: int64${i === 0 && !more.includes('primary_key') ? ', pk: true' : ''} }\n`).join('')}${more}`;
  const list = (items: readonly string[]) => items.map((item) => `  - ${item}\n`).join('');
  const rows: readonly [string, (count: number) => string, number, string][] = [
    [
      'columns',
      (count) => fileOf(count, ''),
      columns,
      `f:${4 + columns + 1}:5: table "wide" has at most 1,024 columns, this would be 1,025`,
    ],
    [
      'indexes',
      (count) =>
        fileOf(2, `  indexes:\n${list(upTo(count, (i) => `{ name: i${i}, columns: [c1] }`))}`),
      indexes,
      'table "wide" has at most 64 indexes, this would be 65',
    ],
    [
      'foreign keys',
      (count) =>
        fileOf(
          2,
          `  foreign_keys:\n${list(upTo(count, (i) => `{ name: k${i}, columns: [c1], ref_table: wide, ref_columns: [c0] }`))}`,
        ),
      foreignKeys,
      'table "wide" has at most 64 foreign keys, this would be 65',
    ],
    [
      'columns of the primary key',
      (count) => fileOf(20, `  primary_key: [${names(count).join(', ')}]\n`),
      keyColumns,
      'the primary key has at most 16 columns, this would be 17',
    ],
    [
      'columns of an index',
      (count) => fileOf(20, `  indexes:\n  - { columns: [${names(count).join(', ')}] }\n`),
      keyColumns,
      'has at most 16 columns, this would be 17',
    ],
    [
      'tables',
      (count) =>
        `tables:\n${list(upTo(count, (i) => `{ id: ${i + 1}, name: t${i}, columns: [{ id: 1, name: a, type: int64, pk: true }] }`))}`,
      tables,
      `f:${tables + 2}:5: a database has at most 4,096 tables, this would be 4,097`,
    ],
  ];
  test.each(rows)('%s', (_what, text, most, error) => {
    expect(errorsOf(text(most))).toEqual([]);
    expect(errorsOf(text(most + 1))[0]).toContain(error);
  });
});
