/** What counts as a version (docs/schema.md, "Hash and version"). */

import { describe, expect, test } from 'bun:test';
import { openProject, type Project, schema, table } from './support.ts';

const id = 'id: 1, name: id, type: int64, pk: true';
const plain = schema(table(1, 'a', [id, 'id: 2, name: v, type: text, nullable: true']));
/** Five changes that need no online work: two new tables, a rename, a column, a default. */
const wider = schema(
  table(1, 'b', [
    id,
    'id: 2, name: v, type: text, nullable: true, default: x',
    'id: 3, name: w, type: int64, nullable: true',
  ]),
  table(2, 'c', [id]),
  table(3, 'd', [id]),
);

/** Two indexes more than `plain`. */
const indexed = schema(
  table(
    1,
    'a',
    [id, 'id: 2, name: v, type: text, nullable: true, index: true'],
    'indexes: [{ columns: [v, id] }]',
  ),
);

async function sent(project: Project, method: string, path: string, body: object) {
  const reply = await project.db.send(method, path, body);
  expect([reply.status, reply.status < 300 ? '' : reply.text]).toEqual([reply.status, '']);
}

describe.each(['direct', 'schema'] as const)('in %s mode', (mode) => {
  test('a migration is one version, however many changes it makes', async () => {
    await using project = await openProject(mode, plain);
    expect(await project.version()).toBe(1);
    expect((await project.diff(wider)).changes).toHaveLength(5);
    expect(await project.migrate(wider)).toMatchObject({ state: 'ready', schema_version: 2 });
    expect(await project.version()).toBe(2);
  });

  test('a migration that changes nothing is none', async () => {
    await using project = await openProject(mode, plain);
    await project.migrate(plain);
    expect(await project.version()).toBe(1);
  });

  test('online work is one each, when it arrives, and none at its start', async () => {
    await using project = await openProject(mode, plain);
    const { schema_version, state, transition_ids } = await project.arrive(indexed);
    expect([schema_version, state, transition_ids.length]).toEqual([1, 'converging', 2]);
    expect(await project.version()).toBe(3);
  });

  test('online work that is cancelled is none', async () => {
    await using project = await openProject(mode, plain);
    await project.holdWork();
    const { transition_ids } = await project.migrate(indexed);
    for (const transition of transition_ids) {
      await sent(project, 'POST', `/schema/transitions/${transition}/cancel`, {});
    }
    expect(await project.version()).toBe(1);
  });
});

describe('catalog calls from outside, in direct mode', () => {
  test('the steps of a difference are one version each', async () => {
    await using project = await openProject('direct', plain);
    const { program } = await project.diff(wider);
    expect(program.statements).toHaveLength(5);
    await sent(project, 'POST', '/execute', program);
    expect(await project.version()).toBe(6);
    expect((await project.diff(wider)).changes).toEqual([]);
  });

  test('a call of an endpoint is one, and none where it changes nothing', async () => {
    await using project = await openProject('direct', plain);
    await sent(project, 'PATCH', '/tables/a', { name: 'b' });
    expect(await project.version()).toBe(2);
    await sent(project, 'PATCH', '/tables/b', { name: 'b' });
    expect(await project.version()).toBe(2);
    await sent(project, 'PATCH', '/tables/b/columns/v', { name: 'w' });
    expect(await project.version()).toBe(3);
  });
});
