/** Every rejected row of the matrix (docs/migrations.md): what is said, all of it at once, and nothing happens. */

import { expect, test } from 'bun:test';
import { openProject, type Problem, schema, table } from './support.ts';

const id = 'id: 1, name: id, type: int64, pk: true';
const a = 'id: 2, name: a, type: text, nullable: true';
const b = 'id: 3, name: b, type: int64, nullable: true';
const before = schema(
  table(1, 'users', [id, a, b], 'indexes: [{ name: i, columns: [a] }]'),
  table(2, 'posts', [id]),
);
const posts = table(2, 'posts', [id]);
const indexed = 'indexes: [{ name: i, columns: [a] }]';

const rows: readonly (readonly [string, string, string])[] = [
  [
    'a new column that old rows have no value for',
    schema(table(1, 'users', [id, a, b, 'id: 4, name: c, type: int64'], indexed), posts),
    'added column "users"."c" must be nullable or have a literal default, since existing rows need a value; add it as nullable, fill it, then remove `nullable`',
  ],
  [
    'a new column with a generator that is not nullable',
    schema(
      table(1, 'users', [id, a, b, 'id: 4, name: c, type: int64, default: now_ms()'], indexed),
      posts,
    ),
    'added column "users"."c" must be nullable or have a literal default, since existing rows need a value; add it as nullable, fill it, then remove `nullable`',
  ],
  [
    'increment on an existing column',
    schema(table(1, 'users', [id, a, `${b}, default: increment()`], indexed), posts),
    'increment generator on column "users"."b" is immutable: it can neither be added to nor removed from an existing column',
  ],
  [
    'an index under another name',
    schema(table(1, 'users', [id, a, b], 'indexes: [{ name: j, columns: [a] }]'), posts),
    'index "i" of table "users" is renamed to "j"; keep the name, or delete the index in one migration and add it in the next',
  ],
  [
    'another primary key',
    schema(
      table(
        1,
        'users',
        [id.replace('pk: true', 'nullable: true'), a, 'id: 3, name: b, type: int64, pk: true'],
        indexed,
      ),
      posts,
    ),
    'the primary key of table "users" changes ("id" -> "b"): the primary key of a table cannot be changed; create another table and move the rows',
  ],
  [
    'columns in another order',
    schema(table(1, 'users', [id, b, a], indexed), posts),
    'the columns of table "users" are reordered; keep the order "id", "a", "b"',
  ],
  [
    'a new column between existing ones',
    schema(
      table(1, 'users', [id, a, 'id: 4, name: c, type: text, nullable: true', b], indexed),
      posts,
    ),
    'the new column "users"."c" precedes existing columns; declare it after "b"',
  ],
  [
    'a table under another id',
    schema(table(1, 'users', [id, a, b], indexed), table(3, 'posts', [id])),
    'table "posts" changes schema ID 2 -> 3; remove it in one migration before creating the replacement',
  ],
  [
    'a column under another id',
    schema(
      table(1, 'users', [id, a, 'id: 4, name: b, type: int64, nullable: true'], indexed),
      posts,
    ),
    'column "users"."b" changes schema ID 3 -> 4; remove it in one migration before creating the replacement',
  ],
  [
    'a name that goes with its holder',
    schema(table(1, 'posts', [id, a, b], indexed)),
    'table "users" cannot be renamed to "posts": the name belongs to ID 2, which this migration deletes; remove that in one migration before the rename',
  ],
  [
    'a foreign key to a table that goes',
    schema(table(1, 'users', [id, a, `${b}, ref: posts.id`], indexed)),
    'svc.schema.yaml:7:61: foreign key "users_b_fk" references the unknown table "posts"',
  ],
];

test.each(rows)('%s', async (_name, desired, detail) => {
  await using project = await openProject('schema', before);
  for (const path of ['/schema/diff', '/schema/migrate']) {
    const { json } = await project.db.send('POST', path, {
      schema: desired,
      ...(path === '/schema/migrate' && { current_version: 1, current_hash: '' }),
    });
    expect(json).toMatchObject({
      status: 422,
      code: 'invalid',
      reason: 'invalid',
      stage: 'preflight',
      detail,
    });
    expect((json as Problem).errors).toBeUndefined();
  }
  expect(await project.version()).toBe(1);
});

test('an id that was used before is not used again', async () => {
  await using project = await openProject('direct', before);
  await project.migrate(schema(table(1, 'users', [id, a], indexed)));
  const again = await project.refused(
    schema(
      table(1, 'users', [id, a, 'id: 3, name: c, type: text, nullable: true'], indexed),
      table(2, 'new', [id]),
    ),
  );
  expect(again.errors?.map(({ detail }) => detail)).toEqual([
    'create table new: table id 2 is already used; an id is never reused, even after deletion; the next free one is 3',
    'create column users.c: column id 3 is already used; an id is never reused, even after deletion; the next free one is 4',
  ]);
});

test('two ids that were used before: each refusal names another free one', async () => {
  await using project = await openProject('direct', before);
  await project.migrate(schema(table(3, 'notes', [id])));
  const again = await project.refused(
    schema(table(1, 'users', [id]), table(2, 'posts', [id]), table(3, 'notes', [id])),
  );
  expect(again.errors?.map(({ detail }) => detail.match(/^create table \w+|\d+$/g))).toEqual([
    ['create table posts', '4'],
    ['create table users', '5'],
  ]);
});

test('a generated name that follows a rename is named by the refusal', async () => {
  const explicit = (name: string, index: string) =>
    schema(table(1, name, [id, a], `indexes: [{ name: ${index}, columns: [a] }]`));
  await using project = await openProject('direct', explicit('users', 'users_a_idx'));
  const { detail } = await project.refused(explicit('people', 'users_a_idx'));
  expect(detail).toBe(
    'index "users_a_idx" of table "people" has a generated name, which follows the rename; name it "people_a_idx"',
  );
  await project.migrate(explicit('people', 'people_a_idx'));
});

test('a rename whose generated name is taken is refused', async () => {
  const indexes = 'indexes: [{ columns: [a] }, { name: people_a_idx, columns: [b] }]';
  await using project = await openProject('direct', schema(table(1, 'users', [id, a, b], indexes)));
  const kept =
    'indexes: [{ name: users_a_idx, columns: [a] }, { name: people_a_idx, columns: [b] }]';
  const { detail } = await project.refused(schema(table(1, 'people', [id, a, b], kept)));
  expect(detail).toStartWith(
    'rename table users -> people: the generated index name "people_a_idx" would collide with another index',
  );
});

test('all rejections are told at once', async () => {
  await using project = await openProject('direct', before);
  const desired = schema(
    table(1, 'users', [id, b, a, 'id: 4, name: c, type: bool'], indexed),
    table(3, 'posts', [id]),
  );
  const problem = await project.refused(desired);
  expect(problem.detail).toEndWith(' (and 2 more)');
  expect(problem.errors?.map(({ reason }) => reason)).toEqual(['invalid', 'invalid', 'invalid']);
});
