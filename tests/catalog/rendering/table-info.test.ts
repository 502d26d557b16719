import { expect, test } from 'bun:test';
import { type ColumnDefinition, toSchemaDocument, toTableInfo } from '#catalog';
import { catalogOf, tableOf } from '../support.ts';

const infoJson = (...columns: readonly ColumnDefinition[]) => {
  const catalog = catalogOf({
    name: 't',
    columns: [{ name: 'id', type: 'int64' }, ...columns],
    primary_key: ['id'],
  });
  return JSON.stringify(toTableInfo(catalog, tableOf(catalog, 't')).columns.slice(1));
};

test('members that have nothing to say are left out', () => {
  const catalog = catalogOf({
    name: 't',
    columns: [{ name: 'id', type: 'int64' }],
    primary_key: ['id'],
  });
  expect(JSON.stringify(toTableInfo(catalog, tableOf(catalog, 't')))).toBe(
    '{"id":1,"name":"t","columns":[{"id":1,"name":"id","type":"int64"}],"primary_key":["id"]}',
  );
});

test('indexes and foreign keys by name, with their actions', () => {
  const catalog = catalogOf({
    name: 't',
    columns: [
      { name: 'id', type: 'int64' },
      { name: 'up', type: 'int64', nullable: true, format: 'ref' },
    ],
    primary_key: ['id'],
    indexes: [
      { name: 'b', columns: ['up', 'id'] },
      { name: 'a', columns: ['up'], unique: true },
    ],
    foreign_keys: [
      { name: 'k2', columns: ['up'], ref_table: 't', ref_columns: ['id'], on_delete: 'cascade' },
      { name: 'k1', columns: ['up'], ref_table: 't', ref_columns: ['id'] },
    ],
  });
  expect(toSchemaDocument(catalog)).toEqual({
    tables: [
      {
        id: 1,
        name: 't',
        columns: [
          { id: 1, name: 'id', type: 'int64' },
          { id: 2, name: 'up', type: 'int64', nullable: true, format: 'ref' },
        ],
        primary_key: ['id'],
        indexes: [
          { name: 'a', columns: ['up'], unique: true },
          { name: 'b', columns: ['up', 'id'] },
        ],
        foreign_keys: [
          {
            name: 'k1',
            columns: ['up'],
            ref_table: 't',
            ref_columns: ['id'],
            on_delete: 'restrict',
          },
          {
            name: 'k2',
            columns: ['up'],
            ref_table: 't',
            ref_columns: ['id'],
            on_delete: 'cascade',
          },
        ],
      },
    ],
  });
});

test('defaults keep every digit, and the fraction of a float', () => {
  const x = (type: 'int64' | 'float64', value: number | bigint) =>
    infoJson({ name: 'x', type, default: { kind: 'literal', value } });
  expect(x('int64', 2n ** 63n - 1n)).toContain('"default":{"value":9223372036854775807}');
  expect(x('int64', 0)).toContain('"default":{"value":0}');
  expect(x('float64', 3)).toContain('"default":{"value":3.0}');
  expect(x('float64', -0)).toContain('"default":{"value":-0.0}');
});

test('defaults of other types', () => {
  const text = '00112233-4455-6677-8899-aabbccddeeff';
  const literal = (value: string | boolean) => ({ kind: 'literal', value }) as const;
  const json = infoJson(
    { name: 'u', type: 'bytes', format: 'uuid', default: literal(text) },
    { name: 'b', type: 'bytes', default: literal('AQI=') },
    { name: 't', type: 'text', default: literal('') },
    { name: 'f', type: 'bool', default: literal(false) },
    { name: 'g', type: 'int64', default: { kind: 'generator', func: 'now_ms' } },
  );
  const defaults = [...json.matchAll(/"default":(\{.*?\})/g)].map((match) => match[1]);
  expect(defaults).toEqual([
    `{"value":"${text}"}`,
    '{"value":"AQI="}',
    '{"value":""}',
    '{"value":false}',
    '{"func":"now_ms"}',
  ]);
});

test('an empty catalog is an empty list', () => {
  expect(toSchemaDocument(catalogOf())).toEqual({ tables: [] });
});
