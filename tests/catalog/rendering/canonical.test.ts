import { describe, expect, test } from 'bun:test';
import {
  applyChange,
  type ColumnDefault,
  type ColumnDefinition,
  canonicalSchema,
  emptyCatalog,
  schemaHash,
  type TableDefinition,
} from '#catalog';
import { after, catalogOf, create } from '../support.ts';

const generator = (func: 'uuid_v7' | 'ulid' | 'increment' | 'now_ms') =>
  ({ kind: 'generator', func }) as const;
const literal = (value: string | number | bigint | boolean): ColumnDefault => ({
  kind: 'literal',
  value,
});

test('the empty schema', () => {
  expect(canonicalSchema(emptyCatalog)).toBe('{}');
  expect(schemaHash(emptyCatalog)).toBe(
    'sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a',
  );
});

test('one table', () => {
  const catalog = catalogOf({
    name: 'users',
    columns: [
      { name: 'id', type: 'text' },
      { name: 'age', type: 'int64', nullable: true, default: literal(18) },
    ],
    primary_key: ['id'],
    indexes: [{ name: 'users_age_idx', columns: ['age'] }],
  });
  expect(canonicalSchema(catalog)).toBe(
    '{"tables":[{"id":1,"name":"users","columns":[{"id":1,"name":"id","type":"text"},{"id":2,"name":"age","type":"int64","nullable":true,"default":{"int64":18}}],"primary_key":["id"],"indexes":[{"name":"users_age_idx","columns":["age"]}]}]}',
  );
  expect(schemaHash(catalog)).toBe(
    'sha256:cf367a4213bbb0e52e473987617d582587ab48a67ea1cd46ff0827814445b6a8',
  );
});

test('the worked example of docs/schema.md', () => {
  const users: TableDefinition = {
    id: 1,
    name: 'users',
    columns: [
      { name: 'id', type: 'bytes', format: 'uuid', default: generator('uuid_v7') },
      { name: 'handle', type: 'text' },
      { name: 'seq', type: 'int64', default: generator('increment') },
      { name: 'joined_at', type: 'int64', format: 'unix_ms', default: generator('now_ms') },
      { name: 'active', type: 'bool', default: literal(true) },
      { name: 'score', type: 'float64', nullable: true, default: literal(0) },
    ],
    primary_key: ['id'],
    indexes: [
      { name: 'users_joined_at_handle_idx', columns: ['joined_at', 'handle'] },
      { name: 'users_handle_uq', columns: ['handle'], unique: true },
    ],
  };
  const posts: TableDefinition = {
    id: 2,
    name: 'posts',
    columns: [
      { name: 'id', type: 'bytes', format: 'ulid', default: generator('ulid') },
      { name: 'author_id', type: 'bytes', format: 'uuid' },
      { name: 'parent_id', type: 'bytes', format: 'ulid', nullable: true },
      { name: 'body', type: 'text', default: literal('draft') },
    ],
    primary_key: ['id'],
    indexes: [{ name: 'posts_author_id_idx', columns: ['author_id'] }],
    foreign_keys: [
      {
        name: 'posts_parent_fk',
        columns: ['parent_id'],
        ref_table: 'posts',
        ref_columns: ['id'],
        on_delete: 'cascade',
      },
      {
        name: 'posts_author_id_fk',
        columns: ['author_id'],
        ref_table: 'users',
        ref_columns: ['id'],
      },
    ],
  };
  const catalog = catalogOf(users, posts);
  expect(canonicalSchema(catalog).length).toBe(1251);
  expect(schemaHash(catalog)).toBe(
    'sha256:9c3b0311ed26b8e18c6808839aa6d407b451248a34e83f4fbac3828c1d99f001',
  );
});

describe('defaults', () => {
  const defaultJson = (column: Omit<ColumnDefinition, 'name'>) => {
    const columns = [
      { name: 'k', type: 'bool' },
      { name: 'x', ...column },
    ] as const;
    const json = canonicalSchema(catalogOf({ name: 't', columns, primary_key: ['k'] }));
    return /"default":(\{.*?\})\}/.exec(json)?.[1];
  };
  test.each([
    ['text', '', '{}'],
    ['text', 'a"\n<é', '{"text":"a\\"\\n<é"}'],
    ['bool', false, '{}'],
    ['bool', true, '{"bool":true}'],
    ['int64', 0, '{}'],
    ['int64', -(2n ** 63n), '{"int64":-9223372036854775808}'],
    ['int64', 9_007_199_254_740_993n, '{"int64":9007199254740993}'],
    ['float64', -0, '{}'],
    ['float64', 1, '{"float64":1.0}'],
    ['float64', 1e16, '{"float64":1e16}'],
    ['float64', 1e15, '{"float64":1000000000000000.0}'],
    ['float64', 1.5e300, '{"float64":1.5e300}'],
    ['float64', 0.00001, '{"float64":0.00001}'],
    ['float64', 0.000001, '{"float64":1e-6}'],
    ['float64', -1.25, '{"float64":-1.25}'],
    ['bytes', '', '{}'],
    ['bytes', 'AP8=', '{"bytes":[0,255]}'],
  ] as const)('%s %p', (type, value, json) => {
    expect(defaultJson({ type, default: literal(value) })).toBe(json);
  });
});

test('a version of the same tables has the same hash; another schema has not', () => {
  const catalog = catalogOf({
    name: 't',
    columns: [{ name: 'id', type: 'int64' }],
    primary_key: ['id'],
  });
  expect(schemaHash({ ...catalog, version: 9, versionAtMs: 5 })).toBe(schemaHash(catalog));
  const renamed = applyChange(catalog, { kind: 'rename_table', table_id: 1, to: 'u' }).catalog;
  expect(schemaHash(renamed)).not.toBe(schemaHash(catalog));
  const back = applyChange(renamed, { kind: 'rename_table', table_id: 1, to: 't' }).catalog;
  expect(schemaHash(back)).toBe(schemaHash(catalog));
});

test('physical ids, deleted objects and missing values take no part', () => {
  const t = (columns: readonly ColumnDefinition[]) =>
    create({
      name: 't',
      columns: [{ name: 'id', type: 'int64' }, ...columns],
      primary_key: ['id'],
    });
  const x: ColumnDefinition = { name: 'x', type: 'int64', default: literal(3) };
  const grown = after(emptyCatalog, t([]), { kind: 'create_column', table_id: 1, column: x });
  expect(schemaHash(grown)).toBe(schemaHash(after(emptyCatalog, t([x]))));
});
