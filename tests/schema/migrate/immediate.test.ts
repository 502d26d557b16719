/** Every immediate row of the matrix (docs/migrations.md): the difference, the rows before and after, and one version for all of it. */

import { describe, expect, test } from 'bun:test';
import { openProject, schema, summaries, table } from './support.ts';

const id = 'id: 1, name: id, type: int64, pk: true';
const name = 'id: 2, name: name, type: text, nullable: true';
const users = (...more: readonly string[]) => table(1, 'users', [id, name, ...more]);

describe.each(['direct', 'schema'] as const)('in %s mode', (mode) => {
  const seeded = async (text: string) => {
    const project = await openProject(mode, text);
    await project.insert('users', 'id:int64 name:text?', ['1', 'ada'], ['2', null]);
    return project;
  };

  test('a table is renamed; generated names follow', async () => {
    const indexed = (name: string) =>
      schema(table(1, name, [id, 'id: 2, name: name, type: text, nullable: true, unique: true']));
    await using project = await seeded(indexed('users'));
    const before = await project.rows('users');
    const { changes, program } = await project.diff(indexed('people'));
    expect(changes).toEqual([
      { kind: 'rename_table', summary: 'rename table users -> people', table: 'people' },
    ]);
    expect(program.statements).toEqual([
      { kind: 'rename_table', name: 'migration_1', table_id: 1, to: 'people' },
    ]);
    const migrated = await project.migrate(indexed('people'));
    expect(migrated).toMatchObject({ state: 'ready', schema_version: 2, transition_ids: [] });
    expect(migrated.schema.tables[0]?.['indexes']).toEqual([
      { name: 'people_name_uq', columns: ['name'], unique: true },
    ]);
    expect(await project.rows('people')).toEqual(before);
  });

  test('a column is renamed', async () => {
    await using project = await seeded(schema(users()));
    const renamed = schema(table(1, 'users', [id, name.replace('name: name', 'name: handle')]));
    const { changes } = await project.diff(renamed);
    expect(changes).toEqual([
      {
        kind: 'rename_column',
        summary: 'rename column users.name -> handle',
        table: 'users',
        column: 'handle',
      },
    ]);
    await project.migrate(renamed);
    expect(await project.rows('users')).toEqual([
      { id: 1, handle: 'ada' },
      { id: 2, handle: null },
    ]);
  });

  test('names change places, of tables and of columns', async () => {
    const two = (a: string, b: string, x: string, y: string) => {
      const columns = [
        id,
        `id: 2, name: ${x}, type: text, nullable: true, index: true`,
        `id: 3, name: ${y}, type: text, nullable: true, index: true`,
      ];
      return schema(table(1, a, columns), table(2, b, [id]));
    };
    await using project = await openProject(mode, two('users', 'posts', 'x', 'y'));
    await project.insert('users', 'id:int64 x:text? y:text?', ['1', 'left', 'right']);
    await project.insert('posts', 'id:int64', ['7']);
    const swapped = two('posts', 'users', 'y', 'x');
    const { changes, program } = await project.diff(swapped);
    expect(summaries(changes)).toEqual([
      'rename table posts -> users',
      'rename table users -> posts',
      'rename column posts.x -> y',
      'rename column posts.y -> x',
    ]);
    expect(program.statements).toHaveLength(6);
    const migrated = await project.migrate(swapped);
    expect(migrated).toMatchObject({ state: 'ready', schema_version: 2 });
    expect(migrated.schema.tables[0]?.['indexes']).toEqual([
      { name: 'posts_x_idx', columns: ['x'] },
      { name: 'posts_y_idx', columns: ['y'] },
    ]);
    expect(await project.rows('posts')).toEqual([{ id: 1, y: 'left', x: 'right' }]);
    expect(await project.rows('users')).toEqual([{ id: 7 }]);
  });

  test('names move on in a chain, the free one first', async () => {
    const three = (...names: string[]) => schema(...names.map((it, i) => table(i + 1, it, [id])));
    await using project = await openProject(mode, three('a', 'b', 'c'));
    const { changes } = await project.diff(three('b', 'c', 'd'));
    expect(summaries(changes)).toEqual([
      'rename table c -> d',
      'rename table b -> c',
      'rename table a -> b',
    ]);
    await project.migrate(three('b', 'c', 'd'));
  });

  test('tables are created with indexes and foreign keys, referenced ones first', async () => {
    await using project = await seeded(schema(users()));
    const posts = table(2, 'posts', [
      id,
      'id: 2, name: author, type: int64, index: true, ref: users.id',
    ]);
    const likes = table(3, 'likes', [id, 'id: 2, name: post, type: int64, ref: posts.id']);
    const { changes } = await project.diff(schema(users(), likes, posts));
    expect(summaries(changes)).toEqual(['create table posts', 'create table likes']);
    const migrated = await project.migrate(schema(users(), likes, posts));
    expect(migrated).toMatchObject({ state: 'ready', schema_version: 2 });
    await project.insert('posts', 'id:int64 author:int64', ['1', '1']);
    const orphan = await project.insertReply('posts', 'id:int64 author:int64', ['2', '9']);
    expect(orphan.json).toMatchObject({ reason: 'constraint_violation' });
    expect(await project.rows('posts')).toEqual([{ id: 1, author: 1 }]);
  });

  test('columns are added: nullable, with a literal, with a generator', async () => {
    await using project = await seeded(schema(users()));
    const wider = schema(
      users(
        'id: 7, name: note, type: text, nullable: true',
        'id: 4, name: active, type: bool, default: true',
        'id: 5, name: at, type: int64, nullable: true, default: now_ms()',
      ),
    );
    const { changes } = await project.diff(wider);
    expect(summaries(changes)).toEqual([
      'create column users.note',
      'create column users.active',
      'create column users.at',
    ]);
    expect(await project.migrate(wider)).toMatchObject({ state: 'ready', schema_version: 2 });
    expect(await project.rows('users')).toEqual([
      { id: 1, name: 'ada', note: null, active: true, at: null },
      { id: 2, name: null, note: null, active: true, at: null },
    ]);
    await project.insert('users', 'id:int64', ['3']);
    const [, , third] = await project.rows('users');
    expect(third).toMatchObject({ id: 3, note: null, active: true, at: expect.any(Number) });
  });

  test('a default is added, changed and removed: later rows get it', async () => {
    const withDefault = (text: string) => schema(table(1, 'users', [id, `${name}${text}`]));
    await using project = await seeded(schema(users()));
    const added = await project.diff(withDefault(', default: anon'));
    expect(added.changes).toEqual([
      {
        kind: 'change_column_default',
        summary: 'change column default users.name',
        table: 'users',
        column: 'name',
      },
    ]);
    expect(added.program.statements).toEqual([
      {
        kind: 'change_column_default',
        name: 'migration_1',
        table_id: 1,
        column_id: 2,
        default: { kind: 'literal', value: 'anon' },
      },
    ]);
    await project.migrate(withDefault(', default: anon'));
    await project.insert('users', 'id:int64', ['3']);
    await project.migrate(withDefault(', default: guest'));
    await project.insert('users', 'id:int64', ['4']);
    const removed = await project.diff(schema(users()));
    expect(removed.program.statements).toEqual([
      { kind: 'change_column_default', name: 'migration_1', table_id: 1, column_id: 2 },
    ]);
    expect(await project.migrate(schema(users()))).toMatchObject({ schema_version: 4 });
    await project.insert('users', 'id:int64', ['5']);
    expect(await project.rows('users')).toEqual([
      { id: 1, name: 'ada' },
      { id: 2, name: null },
      { id: 3, name: 'anon' },
      { id: 4, name: 'guest' },
      { id: 5, name: null },
    ]);
  });

  test('an index is removed: nothing is lost', async () => {
    await using project = await seeded(schema(table(1, 'users', [id, `${name}, unique: true`])));
    const { changes, destructive } = await project.diff(schema(users()));
    expect(changes).toEqual([
      { kind: 'delete_index', summary: 'delete index users_name_uq on users', table: 'users' },
    ]);
    expect(destructive).toEqual([]);
    await project.migrate(schema(users()));
    await project.insert('users', 'id:int64 name:text?', ['3', 'ada']);
    expect(await project.rows('users')).toHaveLength(3);
  });

  test('a column of NULLs and an empty table go without asking', async () => {
    const empty = table(2, 'posts', [id]);
    await using project = await seeded(
      schema(users('id: 3, name: bio, type: text, nullable: true'), empty),
    );
    const { changes, destructive } = await project.diff(schema(users()));
    expect(summaries(changes)).toEqual(['delete column users.bio', 'delete table posts']);
    expect(destructive).toEqual([]);
    expect(await project.migrate(schema(users()))).toMatchObject({ state: 'ready' });
    expect(await project.rows('users')).toEqual([
      { id: 1, name: 'ada' },
      { id: 2, name: null },
    ]);
  });

  test('tables go, referencing ones first, also in a circle', async () => {
    const up = 'id: 2, name: up, type: int64, nullable: true';
    const a = (more: string) => table(2, 'a', [id, up], more);
    const b = (more: string) => table(3, 'b', [id, up], more);
    const key = (to: string) =>
      `foreign_keys: [{ name: k, columns: [up], ref_table: ${to}, ref_columns: [id] }]`;
    await using project = await seeded(schema(users(), a(''), b('')));
    await project.arrive(schema(users(), a(key('users')), b(key('a'))));
    expect(summaries((await project.diff(schema())).changes)).toEqual([
      'delete table b',
      'delete table a',
      'delete table users',
    ]);
    await project.arrive(schema(users(), a(key('b')), b(key('a'))));
    expect(summaries((await project.diff(schema(users()))).changes)).toEqual([
      'delete table b',
      'delete table a',
    ]);
    expect(await project.migrate(schema(users()))).toMatchObject({ state: 'ready' });
  });

  test('tables come, referenced ones first, also in a circle', async () => {
    const to = (name: string, table: string) =>
      `{ name: ${name}, columns: [up], ref_table: ${table}, ref_columns: [id] }`;
    const up = 'id: 2, name: up, type: int64, nullable: true';
    const of = (number: number, name: string, ...keys: readonly string[]) =>
      table(number, name, [id, up], `foreign_keys: [${keys.join(', ')}]`);
    const circle = schema(
      users(),
      // c on its own and on a, a on b, b on a and on users.
      of(2, 'c', to('own', 'c'), to('first', 'a')),
      of(3, 'a', to('next', 'b')),
      of(4, 'b', to('back', 'a'), to('by', 'users')),
    );
    await using project = await seeded(schema(users()));
    const { changes, program } = await project.diff(circle);
    expect(summaries(changes)).toEqual(['create table a', 'create table b', 'create table c']);
    expect(program.statements.map(({ kind }) => kind)).toEqual([
      ...['create_table', 'create_table', 'create_table', 'create_foreign_key'],
    ]);
    expect(await project.migrate(circle)).toMatchObject({ state: 'ready', transition_ids: [] });
    expect((await project.diff(circle)).changes).toEqual([]);
    const orphan = await project.insertReply('a', 'id:int64 up:int64?', ['1', '9']);
    expect(orphan.json).toMatchObject({ reason: 'constraint_violation' });
    await project.insert('a', 'id:int64 up:int64?', ['1', null]);
    await project.insert('b', 'id:int64 up:int64?', ['1', '1']);
    const other = await project.insertReply('b', 'id:int64 up:int64?', ['2', '9']);
    expect(other.json).toMatchObject({ reason: 'constraint_violation' });
    // An empty database gets there as well.
    await using fresh = await openProject(mode, schema());
    expect(await fresh.migrate(circle)).toMatchObject({ state: 'ready' });
  });

  test('foreign keys come and go at once on a small table', async () => {
    const posts = (ref: string) =>
      table(2, 'posts', [
        id,
        `id: 2, name: author, type: int64, nullable: true, index: true${ref}`,
      ]);
    await using project = await seeded(schema(users(), posts('')));
    await project.insert('posts', 'id:int64 author:int64?', ['1', '1'], ['2', null]);
    const added = await project.diff(schema(users(), posts(', ref: users.id')));
    expect(added.changes).toEqual([
      {
        kind: 'create_foreign_key',
        summary: 'create foreign key posts_author_fk on posts',
        table: 'posts',
      },
    ]);
    expect(await project.migrate(schema(users(), posts(', ref: users.id')))).toMatchObject({
      state: 'ready',
      transition_ids: [],
    });
    const orphan = () => project.insertReply('posts', 'id:int64 author:int64?', ['3', '9']);
    expect((await orphan()).json).toMatchObject({ reason: 'constraint_violation' });
    const dropped = await project.diff(schema(users(), posts('')));
    expect(dropped.changes).toEqual([
      {
        kind: 'delete_foreign_key',
        summary: 'delete foreign key posts_author_fk on posts',
        table: 'posts',
      },
    ]);
    await project.migrate(schema(users(), posts('')));
    expect((await orphan()).status).toBe(200);
  });

  test('a foreign key changes its action', async () => {
    const posts = (action: string) =>
      table(
        2,
        'posts',
        [id, 'id: 2, name: author, type: int64, nullable: true, index: true'],
        `foreign_keys: [{ name: by, columns: [author], ref_table: users, ref_columns: [id], on_delete: ${action} }]`,
      );
    await using project = await seeded(schema(users(), posts('restrict')));
    const { changes } = await project.diff(schema(users(), posts('set_null')));
    expect(summaries(changes)).toEqual([
      'delete foreign key by on posts',
      'create foreign key by on posts',
    ]);
    expect(await project.migrate(schema(users(), posts('set_null')))).toMatchObject({
      state: 'ready',
      schema_version: 2,
    });
  });

  test('nothing to do changes nothing', async () => {
    await using project = await seeded(schema(users()));
    const { changes, program } = await project.diff(schema(users()));
    expect({ changes, program }).toEqual({ changes: [], program: { statements: [] } });
    expect(await project.migrate(schema(users()))).toMatchObject({
      state: 'ready',
      schema_version: 1,
      changes: [],
    });
  });

  test('everything at once is one version', async () => {
    const posts = table(2, 'posts', [id]);
    await using project = await seeded(
      schema(users('id: 3, name: bio, type: text, nullable: true'), posts),
    );
    const next = schema(
      table(1, 'people', [
        id,
        `${name.replace('name: name', 'name: handle')}, default: anon`,
        'id: 4, name: active, type: bool, default: true',
      ]),
      table(3, 'tags', [id]),
    );
    const { changes } = await project.diff(next);
    expect(summaries(changes)).toEqual([
      'rename table users -> people',
      'rename column people.name -> handle',
      'create table tags',
      'create column people.active',
      'change column default people.handle',
      'delete column people.bio',
      'delete table posts',
    ]);
    expect(await project.migrate(next)).toMatchObject({ state: 'ready', schema_version: 2 });
    expect(await project.rows('people')).toEqual([
      { id: 1, handle: 'ada', active: true },
      { id: 2, handle: null, active: true },
    ]);
  });
});
