/** Migrations that compete, that are repeated, and that meet writers (migration.md §6). */

import { expect, test } from 'bun:test';
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
  const rows = Array.from({ length: 2000 }, (_, i) => [String(i), String(i)]);
  await project.insert('users', 'id:int64 a:text?', ...rows);
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
  const first = await send();
  const second = await send();
  expect([first.status, second.status]).toEqual([200, 200]);
  const [one, two] = [first.json as Migrated, second.json as Migrated];
  expect(one.transition_ids).toHaveLength(2);
  // What has arrived meanwhile is no transition any more.
  for (const again of two.transition_ids) expect(one.transition_ids).toContain(again);
  if (two.schema_version === one.schema_version)
    expect(two.transition_ids).toEqual(one.transition_ids);
  for (const transition of one.transition_ids) {
    expect(await project.endOf(transition)).toBe('ready');
  }
  const third = (await send()).json as Migrated;
  expect(third).toMatchObject({ state: 'ready', transition_ids: [], changes: [] });
  expect(third.schema_hash).toBe(third.desired_hash);
  expect(third.schema_version).toBe(one.schema_version + 2);
  expect(await project.db.engine.transitions.list({})).toHaveLength(2);
});

test('the difference does not shrink while its work is under way, the program does', async () => {
  await using project = await openProject('schema', users(a));
  const rows = Array.from({ length: 3000 }, (_, i) => [String(i), String(i)]);
  await project.insert('users', 'id:int64 a:text?', ...rows);
  const desired = users('id: 2, name: a, type: int64, nullable: true');
  const before = await project.diff(desired);
  const { transition_ids } = await project.migrate(desired);
  const during = await project.diff(desired);
  // Unless it has arrived already.
  if (during.current_version === before.current_version) {
    expect(during.changes).toEqual(before.changes);
    expect(during.program).toEqual({ statements: [] });
    expect(during.blocking).toEqual([]);
  }
  expect(await project.endOf(transition_ids[0] as string)).toBe('ready');
  expect((await project.diff(desired)).changes).toEqual([]);
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
  const rows = Array.from({ length: 3000 }, (_, i) => [String(i), String(i)]);
  await project.insert('users', 'id:int64 a:text?', ...rows);
  const desired = users(`${a}, index: true`);
  const [first] = (await project.migrate(desired)).transition_ids;
  const cancelled = await project.db.engine.transitions
    .cancel(first as string)
    .catch(() => undefined);
  // It may have been faster than the cancellation.
  if (cancelled === undefined) return;
  const again = await project.arrive(desired);
  expect(again.transition_ids).toHaveLength(1);
  expect(again.transition_ids).not.toContain(first);
});
