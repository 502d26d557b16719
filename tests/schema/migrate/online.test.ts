/** Every online row of the matrix (docs/migrations.md): what is started, and the rows and the schema once it has arrived. */

import { describe, expect, test } from 'bun:test';
import { openProject, schema, summaries, table } from './support.ts';

const id = 'id: 1, name: id, type: int64, pk: true';
const users = (...more: readonly string[]) => table(1, 'users', [id, ...more]);
const columns = 'id:int64 a:text?';

describe.each(['direct', 'schema'] as const)('in %s mode', (mode) => {
  const seeded = async (...more: readonly string[]) => {
    const project = await openProject(mode, schema(users(...more)));
    return project;
  };
  const a = 'id: 2, name: a, type: text, nullable: true';

  test('a type changes: every value is converted', async () => {
    await using project = await seeded(a);
    await project.insert('users', columns, ['1', '12'], ['2', '+007'], ['3', null]);
    const desired = schema(users('id: 2, name: a, type: int64, nullable: true'));
    const { changes, program, blocking } = await project.diff(desired);
    expect(blocking).toEqual([]);
    expect(changes).toEqual([
      {
        kind: 'start_column_replacement',
        summary: 'replace column users.a',
        table: 'users',
        column: 'a',
      },
    ]);
    expect(program.statements).toEqual([
      {
        kind: 'start_column_replacement',
        name: 'migration_1',
        table_id: 1,
        column_id: 2,
        replacement: {
          type: 'int64',
          nullable: true,
          conversion: 'strict_builtin',
          prerequisites: [],
        },
        after: [],
      },
    ]);
    const migrated = await project.arrive(desired);
    expect(migrated.transition_ids).toHaveLength(1);
    expect(await project.rows('users')).toEqual([
      { id: 1, a: 12 },
      { id: 2, a: 7 },
      { id: 3, a: null },
    ]);
    expect(await project.version()).toBe(2);
  });

  test('a type, the nullability, the format and the default change in one replacement', async () => {
    await using project = await seeded(a);
    await project.insert('users', columns, ['1', '12']);
    const desired = schema(users('id: 2, name: a, type: int64, format: unix_ms, default: 5'));
    const { program } = await project.diff(desired);
    expect(program.statements).toHaveLength(1);
    expect(program.statements[0]).toMatchObject({
      replacement: {
        type: 'int64',
        nullable: false,
        format: 'unix_ms',
        default: { kind: 'literal', value: 5 },
      },
    });
    await project.arrive(desired);
    await project.insert('users', 'id:int64', ['2']);
    expect(await project.rows('users')).toEqual([
      { id: 1, a: 12 },
      { id: 2, a: 5 },
    ]);
  });

  test('an identifier format is checked against every value', async () => {
    const bytes = (format: string) => `id: 2, name: a, type: bytes, nullable: true${format}`;
    await using project = await seeded(bytes(''));
    await project.insert('users', 'id:int64 a:bytes?', ['1', 'AAECAwQFBgcICQoLDA0ODw==']);
    const { changes } = await project.diff(schema(users(bytes(', format: uuid'))));
    expect(summaries(changes)).toEqual(['replace column users.a']);
    await project.arrive(schema(users(bytes(', format: uuid'))));
    expect(await project.rows('users')).toEqual([
      { id: 1, a: '00010203-0405-0607-0809-0a0b0c0d0e0f' },
    ]);
  });

  test('a column that promises less is changed in the commit, also under keys and indexes', async () => {
    const strict = 'id: 2, name: a, type: text, unique: true';
    await using project = await seeded(strict);
    await project.insert('users', 'id:int64 a:text', ['1', 'x']);
    const relaxed = schema(
      table(1, 'users', [
        'id: 1, name: id, type: int64, pk: true, format: label',
        'id: 2, name: a, type: text, unique: true, nullable: true',
      ]),
    );
    const { changes, blocking } = await project.diff(relaxed);
    expect(blocking).toEqual([]);
    expect(summaries(changes)).toEqual(['replace column users.a', 'replace column users.id']);
    const migrated = await project.migrate(relaxed);
    expect(migrated).toMatchObject({ state: 'ready', schema_version: 2 });
    expect(migrated.transition_ids).toHaveLength(2);
    expect(await project.endOf(migrated.transition_ids[0] as string)).toBe('ready');
    await project.insert('users', columns, ['2', null]);
    expect(await project.rows('users')).toEqual([
      { id: 1, a: 'x' },
      { id: 2, a: null },
    ]);
  });

  test('a column takes no NULL any more; its default changes beside', async () => {
    await using project = await seeded(a);
    await project.insert('users', columns, ['1', 'x']);
    const desired = schema(users('id: 2, name: a, type: text, default: none'));
    const { changes, program } = await project.diff(desired);
    expect(summaries(changes)).toEqual([
      'change column default users.a',
      'validate not-null users.a',
    ]);
    expect(program.statements[1]).toEqual({
      kind: 'start_constraint_validation',
      name: 'migration_2',
      table_id: 1,
      constraint: { name: 'users_a_not_null', kind: 'not_null', column_id: 2, prerequisites: [] },
      after: [],
    });
    const migrated = await project.arrive(desired);
    expect(migrated.state).toBe('converging');
    expect(await project.version()).toBe(3);
    const refused = await project.insertReply('users', columns, ['2', null]);
    expect(refused.status).toBe(422);
  });

  test('an index is added', async () => {
    await using project = await seeded(a);
    await project.insert('users', columns, ['1', 'x'], ['2', 'y'], ['3', null], ['4', null]);
    const desired = schema(users(`${a}, unique: true`));
    const { changes, program } = await project.diff(desired);
    expect(changes).toEqual([
      {
        kind: 'start_index_build',
        summary: 'start index build users_a_uq on users',
        table: 'users',
      },
    ]);
    expect(program.statements).toEqual([
      {
        kind: 'start_index_build',
        name: 'migration_1',
        table_id: 1,
        index: { name: 'users_a_uq', columns: ['a'], unique: true },
        prerequisites: [],
        after: [],
      },
    ]);
    await project.arrive(desired);
    const twice = await project.insertReply('users', columns, ['5', 'x']);
    expect(twice.json).toMatchObject({ reason: 'constraint_violation' });
  });

  test('an index that changes under its name goes and is built', async () => {
    const indexed = (unique: boolean) =>
      schema(table(1, 'users', [id, a], `indexes: [{ name: i, columns: [a], unique: ${unique} }]`));
    await using project = await openProject(mode, indexed(false));
    await project.insert('users', columns, ['1', 'x']);
    const { changes } = await project.diff(indexed(true));
    expect(summaries(changes)).toEqual(['delete index i on users', 'start index build i on users']);
    await project.arrive(indexed(true));
    const twice = await project.insertReply('users', columns, ['2', 'x']);
    expect(twice.status).toBe(422);
  });

  test('an index over a replaced column is rebuilt after it', async () => {
    const indexed = (type: string) =>
      schema(users(`id: 2, name: a, type: ${type}, nullable: true, index: true`));
    await using project = await openProject(mode, indexed('text'));
    await project.insert('users', columns, ['1', '9'], ['2', '10']);
    const { changes, program } = await project.diff(indexed('int64'));
    expect(summaries(changes)).toEqual([
      'delete index users_a_idx on users',
      'replace column users.a',
      'start index build users_a_idx on users',
    ]);
    expect(program.statements[2]).toMatchObject({ after: ['migration_2'] });
    const migrated = await project.arrive(indexed('int64'));
    expect(migrated.transition_ids).toHaveLength(2);
    expect(migrated.schema.tables[0]?.['indexes']).toBeUndefined();
    expect(await project.rows('users')).toEqual([
      { id: 1, a: 9 },
      { id: 2, a: 10 },
    ]);
  });

  test('a foreign key over a column that is being replaced is validated after it', async () => {
    const posts = (type: string, ref: string) =>
      table(2, 'posts', [
        id,
        `id: 2, name: author, type: ${type}, nullable: true, index: true${ref}`,
      ]);
    await using project = await openProject(mode, schema(users(), posts('text', '')));
    await project.insert('users', 'id:int64', ['1']);
    await project.insert('posts', 'id:int64 author:text?', ['1', '1'], ['2', null]);
    const desired = schema(users(), posts('int64', ', ref: users.id'));
    const { changes, program } = await project.diff(desired);
    expect(summaries(changes)).toEqual([
      'delete index posts_author_idx on posts',
      'replace column posts.author',
      'validate foreign key posts_author_fk on posts',
      'start index build posts_author_idx on posts',
    ]);
    expect(program.statements[2]).toMatchObject({
      constraint: { name: 'posts_author_fk', kind: 'foreign_key' },
      after: ['migration_2'],
    });
    await project.arrive(desired);
    const orphan = await project.insertReply('posts', 'id:int64 author:int64?', ['3', '9']);
    expect(orphan.json).toMatchObject({ reason: 'constraint_violation' });
  });
});

test('a foreign key is added to a large table while it stays in use', async () => {
  const posts = (ref: string) => table(2, 'posts', [id, `id: 2, name: author, type: int64${ref}`]);
  await using project = await openProject('schema', schema(users(), posts('')));
  await project.insert('users', 'id:int64', ['1'], ['2']);
  const rows = Array.from({ length: 10_001 }, (_, i) => [String(i), String((i % 2) + 1)]);
  await project.insert('posts', 'id:int64 author:int64', ...rows);
  const desired = schema(users(), posts(', ref: users.id'));
  const { changes, blocking } = await project.diff(desired);
  expect(blocking).toEqual([]);
  expect(changes).toEqual([
    {
      kind: 'start_constraint_validation',
      summary: 'validate foreign key posts_author_fk on posts',
      table: 'posts',
    },
  ]);
  await project.arrive(desired);
  const orphan = await project.insertReply('posts', 'id:int64 author:int64', ['20000', '9']);
  expect(orphan.json).toMatchObject({ reason: 'constraint_violation' });
});
