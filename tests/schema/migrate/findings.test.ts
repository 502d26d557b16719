/** Every finding, made by real rows (docs/migrations.md): in the difference, and as the refusal of the migration. */

import { describe, expect, test } from 'bun:test';
import { openProject, type Project, schema, table } from './support.ts';

const id = 'id: 1, name: id, type: int64, pk: true';
const a = 'id: 2, name: a, type: text, nullable: true';
const users = (...more: readonly string[]) => schema(table(1, 'users', [id, ...more]));

async function seeded(text: string, ...rows: readonly (readonly (string | null)[])[]) {
  const project = await openProject('schema', text);
  if (rows.length > 0) await project.insert('users', 'id:int64 a:text?', ...rows);
  return project;
}

async function refusedAs(project: Project, desired: string, reason: string, more: object = {}) {
  const before = await project.version();
  const problem = await project.refused(desired, more);
  expect([problem.status, problem.reason]).toEqual([422, reason]);
  expect(await project.version()).toBe(before);
  return problem;
}

describe('destructive', () => {
  test('a table with rows', async () => {
    await using project = await seeded(users(a), ['1', 'x'], ['2', null]);
    expect((await project.diff(schema())).destructive).toEqual([
      {
        kind: 'delete_table',
        summary: 'table users will be deleted (2 rows)',
        table: 'users',
        rows: 2,
      },
    ]);
    const problem = await refusedAs(project, schema(), 'schema_data_loss_acceptance_required');
    expect(problem).toMatchObject({
      stage: 'preflight',
      detail:
        'data would be lost; send accept_data_loss to allow it: table users will be deleted (2 rows)',
    });
    await refusedAs(project, schema(), 'schema_data_loss_acceptance_required', {
      accept_data_loss: false,
    });
    const migrated = await project.migrate(schema(), { accept_data_loss: true });
    expect(migrated).toMatchObject({ state: 'ready', schema: { tables: [] } });
  });

  test('agreement to some losses covers no others', async () => {
    await using project = await seeded(users(a), ['1', 'x']);
    const lost = { kind: 'delete_table', table: 'users' };
    for (const accepted of [
      [],
      [{ ...lost, table: 'other' }],
      [{ ...lost, kind: 'delete_column' }],
    ]) {
      const problem = await refusedAs(project, schema(), 'schema_data_loss_acceptance_required', {
        accept_data_loss: true,
        accepted_losses: accepted,
      });
      expect(problem.detail).toBe(
        'more data would be lost than accepted_losses allows; compare again: table users will be deleted (1 row)',
      );
    }
    await refusedAs(project, schema(), 'schema_data_loss_acceptance_required', {
      accepted_losses: [lost],
    });
    const migrated = await project.migrate(schema(), {
      accept_data_loss: true,
      accepted_losses: [lost],
    });
    expect(migrated).toMatchObject({ state: 'ready' });
  });

  test('a column with values', async () => {
    const note = 'id: 3, name: note, type: text, default: old';
    await using project = await seeded(users(a), ['1', 'x'], ['2', null], ['3', 'y']);
    await project.migrate(users(a, note));
    const { destructive } = await project.diff(users());
    expect(destructive).toEqual([
      {
        kind: 'delete_column',
        summary: 'column users.a will be deleted (2 rows contain a value)',
        table: 'users',
        column: 'a',
        rows: 2,
      },
      {
        kind: 'delete_column',
        summary: 'column users.note will be deleted (3 rows contain a value)',
        table: 'users',
        column: 'note',
        rows: 3,
      },
    ]);
    const { errors } = await refusedAs(project, users(), 'schema_data_loss_acceptance_required');
    expect(errors?.map(({ detail }) => detail)).toEqual(destructive.map(({ summary }) => summary));
    await project.migrate(users(), { accept_data_loss: true });
    expect(await project.rows('users')).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
  });
});

describe('blocking', () => {
  test('values without an image', async () => {
    await using project = await seeded(
      users(a),
      ['1', '12'],
      ['2', 'x'],
      ['3', '1.5'],
      ['4', null],
    );
    const desired = users('id: 2, name: a, type: int64, nullable: true');
    expect((await project.diff(desired)).blocking).toEqual([
      {
        kind: 'column_conversion',
        summary:
          'column users.a cannot become int64: 2 rows contain a value without an exact image',
        table: 'users',
        column: 'a',
        rows: 2,
      },
    ]);
    const problem = await refusedAs(project, desired, 'constraint_violation', {
      accept_data_loss: true,
    });
    expect(problem.detail).toBe(
      'migration target is invalid: column users.a cannot become int64: 2 rows contain a value without an exact image',
    );
  });

  test('types without any conversion, where there are values', async () => {
    const bytes = users('id: 2, name: a, type: bytes, nullable: true');
    await using project = await seeded(users(a), ['1', 'x'], ['2', null]);
    expect((await project.diff(bytes)).blocking).toEqual([
      {
        kind: 'column_conversion',
        summary:
          'column users.a cannot become bytes: 1 row contains a value without an exact image; text is never converted to it',
        table: 'users',
        column: 'a',
        rows: 1,
      },
    ]);
    await using empty = await seeded(users(a), ['2', null]);
    await empty.arrive(bytes);
  });

  test('NULLs in a column that is to take none', async () => {
    await using project = await seeded(users(a), ['1', '1'], ['2', null], ['3', null]);
    const found = {
      kind: 'not_null_existing_nulls',
      summary: 'column users.a cannot become non-null: 2 rows contain NULL',
      table: 'users',
      column: 'a',
      rows: 2,
    };
    const validated = users('id: 2, name: a, type: text');
    expect((await project.diff(validated)).blocking).toEqual([found]);
    const replaced = users('id: 2, name: a, type: int64');
    expect((await project.diff(replaced)).blocking).toEqual([found]);
    await refusedAs(project, validated, 'constraint_violation');
  });

  test('duplicates under a unique index', async () => {
    const rows = [
      ['1', 'x'],
      ['2', 'x'],
      ['3', 'x'],
      ['4', 'y'],
      ['5', null],
      ['6', null],
    ] as const;
    await using project = await seeded(users(a), ...rows);
    const desired = users(`${a}, unique: true`);
    expect((await project.diff(desired)).blocking).toEqual([
      {
        kind: 'unique_index_duplicates',
        summary: 'unique index users_a_uq on users (a): 2 rows repeat the key of another row',
        table: 'users',
        rows: 2,
      },
    ]);
    await refusedAs(project, desired, 'constraint_violation');
  });

  test('duplicates only after the conversion, beside values that have no image', async () => {
    const rows = [
      ['1', '7'],
      ['2', '+7'],
      ['3', '007'],
      ['4', 'x'],
      ['5', 'x'],
    ] as const;
    await using project = await seeded(users(`${a}, index: true`), ...rows);
    const { blocking } = await project.diff(
      users('id: 2, name: a, type: int64, nullable: true, unique: true'),
    );
    expect(blocking.map(({ kind, rows: count }) => [kind, count])).toEqual([
      ['column_conversion', 2],
      ['unique_index_duplicates', 2],
    ]);
  });

  test('duplicates after the conversion of a column that is unique as it stands', async () => {
    await using project = await seeded(users(`${a}, unique: true`), ['1', '7'], ['2', '+7']);
    const desired = users('id: 2, name: a, type: int64, nullable: true, unique: true');
    expect((await project.diff(desired)).blocking).toMatchObject([
      { kind: 'unique_index_duplicates', rows: 1 },
    ]);
    await refusedAs(project, desired, 'constraint_violation');
  });

  test('duplicates of what a new column reads in old rows', async () => {
    await using project = await seeded(users(a), ['1', 'x'], ['2', 'y']);
    const wider = (type: string) => users(a, `id: 3, name: b, type: ${type}, unique: true`);
    expect((await project.diff(wider('int64, default: 1'))).blocking).toMatchObject([
      { kind: 'unique_index_duplicates', rows: 1 },
    ]);
    expect((await project.diff(wider('int64, nullable: true'))).blocking).toEqual([]);
  });

  test('columns that are unique already are not searched', async () => {
    await using project = await seeded(users(`${a}, unique: true`), ['1', 'x'], ['2', null]);
    const wider = schema(
      table(
        1,
        'users',
        [id, `${a}, unique: true`],
        'indexes: [{ columns: [a, id], unique: true }]',
      ),
    );
    expect((await project.diff(wider)).blocking).toEqual([]);
    await project.arrive(wider);
  });

  describe('values that an index cannot hold', () => {
    const long = 'x'.repeat(20_000);
    // A tag, the text and its end are exactly what fits.
    const longest = 'x'.repeat(16 * 1024 - 2);
    const rows = [
      ['1', 'short'],
      ['2', long],
      ['3', null],
      ['4', longest],
      ['5', `${long}y`],
    ] as const;
    const summary = (index: string) =>
      `index ${index} on users (a): 2 rows need a key of more than 16384 bytes`;

    test.each([
      ['an index', 'index: true', 'users_a_idx'],
      ['a unique index', 'unique: true', 'users_a_uq'],
    ])('%s', async (_, member, index) => {
      await using project = await seeded(users(a), ...rows);
      const desired = users(`${a}, ${member}`);
      expect((await project.diff(desired)).blocking).toEqual([
        {
          kind: 'index_key_too_long',
          summary: summary(index),
          table: 'users',
          column: 'a',
          rows: 2,
        },
      ]);
      const problem = await refusedAs(project, desired, 'constraint_violation');
      expect(problem.detail).toBe(`migration target is invalid: ${summary(index)}`);
      await project.delete('users', 'id:int64', ['2'], ['5']);
      expect((await project.diff(desired)).blocking).toEqual([]);
      await project.arrive(desired);
    });

    test('of several columns together, of which each has an index', async () => {
      const b = 'id: 3, name: b, type: text, nullable: true, index: true';
      await using project = await openProject('schema', users(`${a}, index: true`, b));
      const half = 'x'.repeat(9_000);
      const columns = 'id:int64 a:text? b:text?';
      await project.insert('users', columns, ['1', half, half], ['2', half, null], ['3', '', '']);
      const both = schema(
        table(1, 'users', [id, `${a}, index: true`, b], 'indexes: [{ columns: [a, b] }]'),
      );
      expect((await project.diff(both)).blocking).toEqual([
        {
          kind: 'index_key_too_long',
          summary:
            'index users_a_b_idx on users (a, b): 1 row needs a key of more than 16384 bytes',
          table: 'users',
          rows: 1,
        },
      ]);
    });

    test('where bytes count twice, and after a conversion', async () => {
      const raw = 'id: 2, name: a, type: bytes, nullable: true';
      await using project = await openProject('schema', users(raw));
      const zeros = (count: number) => Buffer.alloc(count).toString('base64');
      await project.insert('users', 'id:int64 a:bytes?', ['1', zeros(9_000)], ['2', zeros(8_191)]);
      expect((await project.diff(users(`${raw}, index: true`))).blocking).toMatchObject([
        { kind: 'index_key_too_long', rows: 1 },
      ]);
      await using converted = await seeded(users(a), ['1', `0${'0'.repeat(20_000)}7`]);
      const number = 'id: 2, name: a, type: int64, nullable: true, index: true';
      expect((await converted.diff(users(number))).blocking).toEqual([]);
      await converted.arrive(users(number));
    });

    test('what a new column reads in old rows', async () => {
      await using project = await seeded(users(a), ['1', null], ['2', null]);
      const b = `id: 3, name: b, type: text, index: true, default: ${long}`;
      expect((await project.diff(users(a, b))).blocking).toMatchObject([
        { kind: 'index_key_too_long', table: 'users', column: 'b', rows: 2 },
      ]);
    });

    test('a key that is there already shows that they fit', async () => {
      await using project = await seeded(users(`${a}, index: true`), ['1', longest]);
      const unique = users(`${a}, unique: true`);
      expect((await project.diff(unique)).blocking).toEqual([]);
      await project.arrive(unique);
    });
  });

  test('references without the referenced row', async () => {
    const posts = (ref: string) =>
      table(2, 'posts', [id, `id: 2, name: author, type: int64, nullable: true${ref}`]);
    const people = table(1, 'users', [id, a]);
    await using project = await seeded(schema(people, posts('')), ['1', 'x']);
    await project.insert(
      'posts',
      'id:int64 author:int64?',
      ['1', '1'],
      ['2', '9'],
      ['3', '9'],
      ['4', null],
    );
    const { blocking, changes } = await project.diff(schema(people, posts(', ref: users.id')));
    expect(changes).toMatchObject([{ kind: 'create_foreign_key' }]);
    expect(blocking).toEqual([
      {
        kind: 'foreign_key_missing_parent',
        summary: 'foreign key posts_author_fk on posts (author): 2 rows without the referenced row',
        table: 'posts',
        rows: 2,
      },
    ]);
    await refusedAs(project, schema(people, posts(', ref: users.id')), 'constraint_violation');
    const elsewhere = await project.diff(
      schema(people, posts(', ref: tags.id'), table(3, 'tags', [id])),
    );
    expect(elsewhere.blocking).toMatchObject([{ kind: 'foreign_key_missing_parent', rows: 3 }]);
  });

  test('a column that a key needs', async () => {
    const posts = (type: string) =>
      table(2, 'posts', [id, `id: 2, name: author, type: ${type}, ref: users.id`]);
    const people = (type: string) =>
      table(1, 'users', [`id: 1, name: id, type: ${type}, pk: true`, a]);
    await using project = await seeded(schema(people('int64'), posts('int64')));
    const { blocking } = await project.diff(schema(people('text'), posts('text')));
    expect(blocking).toEqual([
      {
        kind: 'column_replacement_dependency',
        summary:
          'column users.id cannot be replaced: it is used by the primary key, which the foreign key "posts_author_fk" of table "posts" references',
        table: 'users',
        column: 'id',
      },
      {
        kind: 'column_replacement_dependency',
        summary:
          'column posts.author cannot be replaced: it is used by the foreign key "posts_author_fk"',
        table: 'posts',
        column: 'author',
      },
    ]);
    const problem = await refusedAs(
      project,
      schema(people('text'), posts('text')),
      'constraint_violation',
    );
    expect(problem.errors).toHaveLength(2);
  });

  test('a column that a key needs, under the name that the key gets', async () => {
    const tables = (name: string, type: string, ref: string) =>
      schema(
        table(1, 'users', [id, a]),
        table(2, name, [id, `id: 2, name: author, type: ${type}${ref}`]),
      );
    await using project = await seeded(tables('posts', 'int64', ', ref: users.id'));
    const text = tables('notes', 'text', ', format: label');
    expect((await project.diff(text)).blocking).toEqual([]);
    const kept = tables('notes', 'int64', ', ref: users.id');
    expect((await project.diff(kept)).changes).toMatchObject([{ kind: 'rename_table' }]);
    const bytes = (name: string, format: string) =>
      schema(
        table(1, 'users', [`id: 1, name: id, type: bytes, format: uuid, pk: true`, a]),
        table(2, name, [id, `id: 2, name: author, type: bytes, ref: users.id${format}`]),
      );
    await using other = await openProject('schema', bytes('posts', ', format: uuid'));
    expect((await other.diff(bytes('notes', ''))).blocking).toMatchObject([
      {
        kind: 'column_replacement_dependency',
        summary:
          'column notes.author cannot be replaced: it is used by the foreign key "notes_author_fk"',
      },
    ]);
  });

  test('another transition of the same column', async () => {
    await using project = await seeded(users(a), ['1', '1']);
    await project.holdWork();
    const migrated = await project.migrate(users('id: 2, name: a, type: int64, nullable: true'));
    const [active] = migrated.transition_ids;
    const other = users('id: 2, name: a, type: float64, nullable: true');
    const { blocking, changes } = await project.diff(other);
    expect(changes).toMatchObject([{ kind: 'start_column_replacement' }]);
    expect(blocking).toEqual([
      {
        kind: 'active_schema_transition_conflict',
        summary: `replace column users.a: the column_replacement ${active} is active; wait for its end or cancel it`,
      },
    ]);
    await refusedAs(project, other, 'constraint_violation');
    const indexed = await project.diff(users(`${a}, index: true`));
    expect(indexed.blocking).toMatchObject([{ kind: 'active_schema_transition_conflict' }]);
  });

  test('deleting what a transition works on is refused', async () => {
    await using project = await seeded(users(a), ['1', '1']);
    await project.holdWork();
    const [active] = (await project.migrate(users(`${a}, index: true`))).transition_ids;
    const { detail } = await refusedAs(project, schema(), 'invalid');
    expect(detail).toContain(`while the index_build ${active} is active`);
  });
});
