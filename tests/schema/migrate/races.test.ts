/** Migrations that compete, that are repeated, and that meet writers (docs/migrations.md). */

import { expect, test } from 'bun:test';
import { anyone } from '#access';
import type { Reply } from '../../support/database.ts';
import { type Migrated, openProject, type Problem, schema, table } from './support.ts';

const id = 'id: 1, name: id, type: int64, pk: true';
const a = 'id: 2, name: a, type: text, nullable: true';
const users = (...more: readonly string[]) => schema(table(1, 'users', [id, ...more]));

test('of two competing migrations from one version exactly one wins, the other gets 409', async () => {
  await using project = await openProject('schema', users(a));
  for (let round = 0; round < 10; round++) {
    const { json } = await project.db.send('GET', '/schema');
    const { schema_version, schema_hash } = json as Migrated;
    const from = { current_version: schema_version, current_hash: schema_hash };
    const migrate = (name: string) =>
      project.db.send('POST', '/schema/migrate', {
        schema: schema(table(1, `${name}${round}`, [id, a])),
        ...from,
      });
    const replies = await Promise.all([migrate('left'), migrate('right')]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
    const lost = replies.find(({ status }) => status === 409) as Reply;
    expect(lost.json).toMatchObject({ code: 'conflict', reason: 'serializable_conflict' });
    expect(await project.version()).toBe(schema_version + 1);
  }
});

test('a migration that was compared with another database is refused, and told', async () => {
  await using project = await openProject('schema', users(a));
  const { json } = await project.db.send('GET', '/schema');
  const { schema_version, schema_hash } = json as Migrated;
  const reply = await project.db.send('POST', '/schema/migrate', {
    schema: users(),
    current_version: schema_version,
    current_hash: schema_hash,
    database_id: 'another',
  });
  expect(reply.json).toEqual({
    type: 'urn:svc:problem:conflict',
    title: 'Transaction Conflict',
    status: 409,
    code: 'conflict',
    reason: 'serializable_conflict',
    stage: 'execution',
    detail: expect.stringMatching(
      /^the schema was compared with database another, but this is database /,
    ),
  });
  expect(await project.version()).toBe(schema_version);
});

test('a stale version is refused, and told', async () => {
  await using project = await openProject('schema', users(a));
  const { current_hash } = await project.diff(users());
  await project.migrate(users());
  const reply = await project.db.send('POST', '/schema/migrate', {
    schema: users('id: 3, name: b, type: text, nullable: true'),
    current_version: 1,
    current_hash,
  });
  expect(reply.status).toBe(409);
  expect((reply.json as Problem).detail).toStartWith(
    `schema changed since preflight: expected version 1 with ${current_hash}, the database is at version 2 with sha256:`,
  );
});

test('a request that is repeated after its answer was lost: the same work, nothing twice', async () => {
  await using project = await openProject('schema', users(a));
  await project.insert('users', 'id:int64 a:text?', ['1', '1'], ['2', '2']);
  const { current_version, current_hash } = await project.diff(users(a));
  const request = {
    schema: users(
      'id: 2, name: a, type: int64, nullable: true, index: true',
      'id: 3, name: b, type: bool, default: true',
    ),
    current_version,
    current_hash,
  };
  const send = () => project.db.send('POST', '/schema/migrate', request);
  await project.holdWork();
  const [first, second] = [await send(), await send()];
  expect([first.status, second.status]).toEqual([200, 200]);
  const [one, two] = [first.json as Migrated, second.json as Migrated];
  expect(one).toMatchObject({ state: 'converging', schema_version: 2 });
  expect(one.transition_ids).toHaveLength(2);
  expect({ ...two, changes: [] }).toEqual({ ...one, changes: [] });
  expect(await project.db.engine.transitions.list({})).toHaveLength(2);
});

test('a request that is repeated after all of it has arrived', async () => {
  await using project = await openProject('schema', users(a));
  const { current_version, current_hash } = await project.diff(users(a));
  const desired = users(`${a}, index: true`);
  const request = { schema: desired, current_version, current_hash };
  await project.arrive(desired);
  const { status, json } = await project.db.send('POST', '/schema/migrate', request);
  expect(status).toBe(200);
  expect(json).toMatchObject({
    state: 'ready',
    schema_version: 2,
    transition_ids: [],
    changes: [],
  });
});

test('the difference does not shrink while its work is under way, the program does', async () => {
  await using project = await openProject('schema', users(a));
  await project.insert('users', 'id:int64 a:text?', ['1', '1']);
  const desired = users('id: 2, name: a, type: int64, nullable: true');
  const before = await project.diff(desired);
  await project.holdWork();
  await project.migrate(desired);
  const during = await project.diff(desired);
  expect(during).toEqual({ ...before, program: { statements: [] } });
});

test('renames go on beside work that is under way, and the work is found under its new names', async () => {
  const text = (name: string, a: string, b: string, author: string, more: string) => {
    const columns = [
      id,
      `id: 2, name: ${a}, ${more}, index: true`,
      `id: 3, name: ${b}, type: text${more === 'type: text, nullable: true' ? ', nullable: true' : ''}`,
      `id: 4, name: ${author}, type: int64, nullable: true${more === 'type: text, nullable: true' ? '' : ', ref: tags.id'}`,
    ];
    return schema(table(1, name, columns), table(2, 'tags', [id]));
  };
  await using project = await openProject(
    'schema',
    text('users', 'a', 'b', 'c', 'type: text, nullable: true'),
  );
  const rows = Array.from({ length: 10_001 }, (_, i) => [String(i), 'x']);
  await project.insert('users', 'id:int64 b:text?', ...rows);
  await project.holdWork();
  const desired = (...names: [string, string, string, string]) =>
    text(...names, 'type: int64, nullable: true');
  const { transition_ids } = await project.migrate(desired('users', 'a', 'b', 'c'));
  expect(transition_ids).toHaveLength(4);
  const renamed = desired('people', 'x', 'y', 'z');
  const { program, blocking } = await project.diff(renamed);
  expect(blocking).toEqual([]);
  expect(program.statements.map(({ kind }) => kind)).toEqual([
    'rename_table',
    'rename_column',
    'rename_column',
    'rename_column',
  ]);
  expect(await project.migrate(renamed)).toMatchObject({ state: 'converging', transition_ids });
  expect((await project.diff(renamed)).program).toEqual({ statements: [] });
});

test('what comes new after work that is under way waits for it', async () => {
  await using project = await openProject('schema', users(a));
  await project.holdWork();
  const [active] = (await project.migrate(users('id: 2, name: a, type: int64, nullable: true')))
    .transition_ids;
  const desired = users('id: 2, name: a, type: int64, nullable: true, index: true');
  const { program, blocking } = await project.diff(desired);
  expect(blocking).toEqual([]);
  expect(program.statements).toMatchObject([
    { kind: 'start_index_build', prerequisites: [active], after: [] },
  ]);
  const migrated = await project.migrate(desired);
  expect(migrated.transition_ids).toContain(active as string);
  expect(migrated.transition_ids).toHaveLength(2);
});

test('a row that comes while an empty table is deleted is not lost in silence', async () => {
  for (let round = 0; round < 8; round++) {
    await using project = await openProject('schema', users(a));
    const deleted = project.tryMigrate(schema());
    const turns = Array.from({ length: round }, () => Promise.resolve());
    for (const turn of turns) await turn;
    const inserted = await project.insertReply('users', 'id:int64', ['1']);
    const { status, json } = await deleted;
    // Either the row was there first, and the deletion was refused; or the table was gone.
    if (status === 200) expect(inserted.status).not.toBe(200);
    else {
      expect(json).toMatchObject({ reason: 'schema_data_loss_acceptance_required' });
      expect(inserted.status).toBe(200);
    }
  }
});

test('a cancelled start is made anew, under another id', async () => {
  await using project = await openProject('schema', users(a));
  await project.holdWork();
  const desired = users(`${a}, index: true`);
  const [first] = (await project.migrate(desired)).transition_ids;
  await project.db.engine.transitions.cancel(first as string, anyone);
  const [second, ...others] = (await project.migrate(desired)).transition_ids;
  expect(others).toEqual([]);
  expect(second).not.toBe(first as string);
});
