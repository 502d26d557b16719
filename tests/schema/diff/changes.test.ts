/** The changes between two files: their kinds, summaries, places and order, and the programs that carry them out. */

import { describe, expect, test } from 'bun:test';
import type { Catalog } from '#catalog';
import { parseSchema, planMigration, type SchemaChange } from '#schema';
import { schema, table } from '../migrate/support.ts';

function catalogOf(text: string): Catalog {
  const parsed = parseSchema(text, 'test');
  if (parsed.kind === 'broken') throw new Error(parsed.errors.map((it) => it.message).join());
  return parsed.catalog;
}

const planOf = (before: string, after: string, isLarge = false) =>
  planMigration(catalogOf(before), catalogOf(after), () => isLarge);

/** `[kind, summary, table, column]`. */
const told = ({ kind, summary, table, column }: SchemaChange) =>
  column === undefined ? [kind, summary, table] : [kind, summary, table, column];

const changes = (before: string, after: string, isLarge = false) => {
  const plan = planOf(before, after, isLarge);
  expect(plan.difference.rejections).toEqual([]);
  return plan.changes.map(told);
};

const rejections = (before: string, after: string) => planOf(before, after).difference.rejections;

const id = 'id: 1, name: id, type: int64, pk: true';
const n = 'id: 2, name: n, type: int64, nullable: true';
const users = (...more: readonly string[]) => table(1, 'users', [id, n, ...more]);
const usersWith = (column: string) => schema(table(1, 'users', [id, column]));
const indexed = (...indexes: readonly string[]) =>
  schema(
    table(1, 'users', [id, n, 'id: 3, name: m, type: int64'], `indexes: [${indexes.join(', ')}]`),
  );
const posts = (keys: string) =>
  table(
    2,
    'posts',
    [id, 'id: 2, name: author, type: int64', 'id: 3, name: editor, type: int64'],
    keys,
  );

describe('columns', () => {
  test('that come are told in the order of the file, by tables', () => {
    const before = schema(table(1, 'b', [id]), table(2, 'a', [id]));
    const z = 'id: 2, name: z, type: text, nullable: true';
    const y = 'id: 3, name: y, type: bool, default: true';
    expect(changes(before, schema(table(1, 'b', [id, z, y]), table(2, 'a', [id, z])))).toEqual([
      ['create_column', 'create column a.z', 'a', 'z'],
      ['create_column', 'create column b.z', 'b', 'z'],
      ['create_column', 'create column b.y', 'b', 'y'],
    ]);
  });

  test('that go', () => {
    expect(changes(schema(users()), schema(table(1, 'users', [id])))).toEqual([
      ['delete_column', 'delete column users.n', 'users', 'n'],
    ]);
  });

  test.each([
    // Later inserts get something else.
    ['int64, default: 1', 'int64, default: 2', 'change_column_default', 'change column default'],
    ['int64, default: 1', 'int64', 'change_column_default', 'change column default'],
    ['int64', 'int64, default: 2', 'change_column_default', 'change column default'],
    // NULL is not accepted any more.
    ['int64, nullable: true', 'int64', 'start_constraint_validation', 'validate not-null'],
    // The column promises less, or is another label.
    ['int64', 'int64, nullable: true', 'start_column_replacement', 'replace column'],
    ['int64', 'int64, format: unix_ms', 'start_column_replacement', 'replace column'],
    ['int64, format: a', 'int64, nullable: true', 'start_column_replacement', 'replace column'],
    // Every cell is converted.
    ['int64', 'text', 'start_column_replacement', 'replace column'],
    ['int64, nullable: true', 'text', 'start_column_replacement', 'replace column'],
    ['bytes', 'bytes, format: uuid', 'start_column_replacement', 'replace column'],
  ])('from %s to %s', (before, after, kind, words) => {
    const column = (type: string) => usersWith(`id: 2, name: n, type: ${type}`);
    expect(changes(column(before), column(after))).toEqual([
      [kind, `${words} users.n`, 'users', 'n'],
    ]);
  });

  test('that lose NULL get their new default as well', () => {
    const before = usersWith('id: 2, name: n, type: int64, nullable: true');
    const after = usersWith('id: 2, name: n, type: int64, default: 7');
    expect(
      changes(before, after)
        .map(([kind]) => kind)
        .toSorted(),
    ).toEqual(['change_column_default', 'start_constraint_validation']);
    // A replacement has its own.
    const replaced = usersWith("id: 2, name: n, type: text, default: '7'");
    expect(changes(before, replaced).map(([kind]) => kind)).toEqual(['start_column_replacement']);
  });

  test('whose default is spelled otherwise do not change', () => {
    expect(
      changes(
        usersWith('id: 2, name: n, type: float64, default: 1'),
        usersWith('id: 2, name: n, type: float64, default: 1.0'),
      ),
    ).toEqual([]);
  });
});

describe('indexes', () => {
  const index = (name: string, columns: string, more = '') =>
    `{ name: ${name}, columns: [${columns}]${more} }`;

  test.each([
    ['of other columns', index('i', 'n, m'), index('i', 'n, id')],
    ['of the same columns in another order', index('i', 'n, m'), index('i', 'm, n')],
    ['of fewer columns', index('i', 'n, m'), index('i', 'n')],
    ['of more columns', index('i', 'n'), index('i', 'n, m')],
    ['that becomes unique', index('i', 'n'), index('i', 'n', ', unique: true')],
    ['that is unique no more', index('i', 'n', ', unique: true'), index('i', 'n')],
  ])('one %s is another one', (_, before, after) => {
    expect(changes(indexed(before), indexed(after))).toEqual([
      ['delete_index', 'delete index i on users', 'users'],
      ['start_index_build', 'start index build i on users', 'users'],
    ]);
  });

  test('come and go by themselves', () => {
    const [a, b] = [index('a', 'n'), index('b', 'n, m')];
    expect(changes(indexed(a), indexed(a, b))).toEqual([
      ['start_index_build', 'start index build b on users', 'users'],
    ]);
    expect(changes(indexed(a, b), indexed(b))).toEqual([
      ['delete_index', 'delete index a on users', 'users'],
    ]);
    expect(changes(indexed(a, b), indexed(a, b))).toEqual([]);
  });

  test('are made anew behind the column that is replaced', () => {
    const before = indexed(index('i', 'n'), index('j', 'm'));
    const plan = planOf(before, before.replace('name: n, type: int64', 'name: n, type: text'));
    expect(plan.changes.map(({ summary }) => summary)).toEqual([
      'delete index i on users',
      'replace column users.n',
      'start index build i on users',
    ]);
  });

  test('are not renamed', () => {
    expect(rejections(indexed(index('i', 'n')), indexed(index('j', 'n')))).toEqual([
      'index "i" of table "users" is renamed to "j"; keep the name, or delete the index in one migration and add it in the next',
    ]);
    // Another index altogether may have any name.
    expect(rejections(indexed(index('i', 'n')), indexed(index('j', 'm')))).toEqual([]);
  });
});

describe('foreign keys', () => {
  const key = (column: string, more = '') =>
    `{ name: k, columns: [${column}], ref_table: users, ref_columns: [id]${more} }`;
  const keyed = (...keys: readonly string[]) =>
    schema(users(), posts(keys.length === 0 ? '' : `foreign_keys: [${keys.join(', ')}]`));

  test('come and go', () => {
    expect(changes(keyed(), keyed(key('author')))).toEqual([
      ['create_foreign_key', 'create foreign key k on posts', 'posts'],
    ]);
    expect(changes(keyed(), keyed(key('author')), true)).toEqual([
      ['start_constraint_validation', 'validate foreign key k on posts', 'posts'],
    ]);
    expect(changes(keyed(key('author')), keyed())).toEqual([
      ['delete_foreign_key', 'delete foreign key k on posts', 'posts'],
    ]);
  });

  test.each([
    ['of another column', key('editor')],
    ['with another action', key('author', ', on_delete: cascade')],
  ])('one %s is another one', (_, after) => {
    expect(changes(keyed(key('author')), keyed(after))).toEqual([
      ['delete_foreign_key', 'delete foreign key k on posts', 'posts'],
      ['create_foreign_key', 'create foreign key k on posts', 'posts'],
    ]);
  });
});

describe('tables', () => {
  const refers = (number: number, name: string, ...refs: readonly string[]) =>
    table(number, name, [
      id,
      ...refs.map((ref, i) => `id: ${i + 2}, name: r${i}, type: int64, ref: ${ref}.id`),
    ]);
  const actions = (before: string, after: string) =>
    planOf(before, after).program.statements.map((statement) => statement.kind);

  test('come behind those that they refer to, and go before them', () => {
    const all = schema(
      refers(1, 'a', 'b'),
      refers(2, 'b', 'c'),
      refers(3, 'c', 'c'),
      refers(4, 'd'),
    );
    const summaries = (before: string, after: string) => changes(before, after).map(([, it]) => it);
    expect(summaries(schema(), all)).toEqual([
      'create table c',
      'create table b',
      'create table a',
      'create table d',
    ]);
    expect(summaries(all, schema())).toEqual([
      'delete table d',
      'delete table a',
      'delete table b',
      'delete table c',
    ]);
  });

  test('that refer to each other are tied once both are there, and untied before they go', () => {
    const circle = schema(refers(1, 'a', 'b'), refers(2, 'b', 'a'));
    expect(changes(schema(), circle)).toEqual([
      ['create_table', 'create table a', 'a'],
      ['create_table', 'create table b', 'b'],
    ]);
    expect(actions(schema(), circle)).toEqual([
      'create_table',
      'create_table',
      'create_foreign_key',
    ]);
    expect(actions(circle, schema())).toEqual([
      'delete_foreign_key',
      'delete_table',
      'delete_table',
    ]);
  });

  test('are renamed under their new names, and so are their columns', () => {
    const after = schema(table(1, 'people', [id, n.replace('name: n', 'name: number')]));
    expect(changes(schema(users()), after)).toEqual([
      ['rename_table', 'rename table users -> people', 'people'],
      ['rename_column', 'rename column people.n -> number', 'people', 'number'],
    ]);
  });
});

describe('a difference that no migration can make', () => {
  const text = 'id: 3, name: t, type: text';
  const two = (a: string, b: string) => schema(table(1, 'users', [id, a, b]));

  test.each([
    [
      'another primary key',
      schema(users()),
      schema(
        table(1, 'users', [
          'id: 1, name: id, type: int64',
          'id: 2, name: n, type: int64, pk: true',
        ]),
      ),
      'primary key',
    ],
    [
      'columns in another order',
      two(n, `${text}, nullable: true`),
      two(`${text}, nullable: true`, n),
      'order',
    ],
    [
      'a column before others',
      schema(users()),
      two(`${text}, nullable: true`, n),
      'the new column "users"."t" precedes existing columns; declare it after "n"',
    ],
    [
      'a column without values for its rows',
      schema(users()),
      two(n, text),
      'added column "users"."t" must be nullable or have a literal default',
    ],
    [
      'a generator for rows that are there',
      schema(users()),
      two(n, 'id: 3, name: g, type: int64, default: now_ms()'),
      'added column "users"."g" must be nullable or have a literal default',
    ],
    [
      'an increment that comes',
      two(n, 'id: 3, name: t, type: int64'),
      two(n, 'id: 3, name: t, type: int64, default: increment()'),
      'increment generator on column "users"."t" is immutable',
    ],
    [
      'an increment that goes',
      two(n, 'id: 3, name: t, type: int64, default: increment()'),
      two(n, 'id: 3, name: t, type: int64'),
      'increment generator on column "users"."t" is immutable',
    ],
  ])('%s', (_, before, after, detail) => {
    const found = rejections(before, after);
    expect(found.filter((each) => each.includes(detail))).toHaveLength(1);
    expect(found.length).toBe(1);
  });

  test('is none where nothing of that kind differs', () => {
    const increments = two(n, 'id: 3, name: t, type: int64, default: increment()');
    expect(rejections(increments, increments)).toEqual([]);
    expect(rejections(schema(users()), two(n, `${text}, default: x`))).toEqual([]);
    expect(rejections(schema(users()), two(n, `${text}, nullable: true`))).toEqual([]);
  });
});
