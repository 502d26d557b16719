/** The administrative endpoints: list with filters, look, wait, cancel; and who may. */

import { expect, test } from 'bun:test';
import { openMemoryEngine, openTestHandler } from '../http/support.ts';
import { openTestDatabase } from '../support/database.ts';
import { buildIndex, createTable, mutation, openWorkshop } from './support.ts';

const columns = ['id int64', 'v int64?'] as const;

async function opened() {
  const workshop = await openWorkshop();
  await workshop.run(createTable('t', columns), mutation('create', 't', columns, ['1', null]));
  return workshop;
}

const notNull = {
  kind: 'start_constraint_validation',
  table_id: 1,
  constraint: { name: 'set', kind: 'not_null', column_id: 2 },
};

test('the list is filtered by kind and state', async () => {
  await using db = await opened();
  const list = async (search: string) => {
    const { status, json } = await db.send('GET', `/schema/transitions${search}`);
    expect(status).toBe(200);
    const { transitions } = json as { transitions: { transition_id: string }[] };
    return transitions.map(({ transition_id }) => transition_id);
  };
  expect(await list('')).toEqual([]);
  const build = await db.start(buildIndex('i', ['v']));
  const validation = await db.start(notNull);
  expect(await list('')).toEqual([build, validation]);
  await db.settle();
  expect(await list('')).toEqual([build, validation]);
  expect(await list('?kind=index_build')).toEqual([build]);
  expect(await list('?kind=column_replacement')).toEqual([]);
  expect(await list('?state=failed')).toEqual([validation]);
  expect(await list('?state=failed&kind=index_build')).toEqual([]);
});

test.each([
  ['/schema/transitions?kind=index', 'kind'],
  ['/schema/transitions?state=', 'state'],
  ['/schema/transitions/tr1?wait=soon', 'wait'],
  ['/schema/transitions/tr1?wait=1s&generation=-1', 'generation'],
])('%s is malformed', async (path, name) => {
  await using db = await openTestDatabase();
  const { json } = await db.send('GET', path);
  expect(json).toMatchObject({
    status: 400,
    reason: 'schema_violation',
    location: { pointer: `/query/${name}` },
  });
});

test('an unknown transition is 404, to be looked at and to be cancelled', async () => {
  await using db = await openTestDatabase();
  for (const name of ['tr7', 'tr0', 'x', 'tr99999999999']) {
    const problem = {
      status: 404,
      code: 'not_found',
      reason: 'schema_transition_not_found',
      resource: { kind: 'schema_transition', name },
    };
    expect((await db.send('GET', `/schema/transitions/${name}`)).json).toMatchObject(problem);
    const cancelled = await db.send('POST', `/schema/transitions/${name}/cancel`);
    expect(cancelled.json).toMatchObject(problem);
  }
});

test('what has ended by itself cannot be cancelled', async () => {
  await using db = await opened();
  const build = await db.start(buildIndex('i', ['v']));
  const validation = await db.start(notNull);
  await db.settle();
  for (const id of [build, validation]) {
    const { json } = await db.send('POST', `/schema/transitions/${id}/cancel`);
    expect(json).toMatchObject({ status: 422, reason: 'invalid', stage: 'preflight' });
  }
});

test('a reader looks, and does not cancel', async () => {
  const { send } = openTestHandler({ access: 'read', engine: await openMemoryEngine('schema') });
  expect((await send('GET', '/schema/transitions')).json).toEqual({ transitions: [] });
  const { json } = await send('POST', '/schema/transitions/tr1/cancel');
  expect(json).toMatchObject({ status: 403, reason: 'read_only' });
});

test('schema mode lists and cancels too', async () => {
  await using db = await openTestDatabase('schema');
  expect((await db.send('GET', '/schema/transitions')).status).toBe(200);
  expect((await db.send('POST', '/schema/transitions/tr1/cancel')).status).toBe(404);
});

test('a long poll answers when the generation has risen', async () => {
  await using db = await opened();
  const id = await db.start(buildIndex('i', ['v']));
  const wait = (search: string) => db.send('GET', `/schema/transitions/${id}?wait=60s${search}`);
  // One that has risen already is answered at once.
  expect((await wait('&generation=0')).json).toMatchObject({ generation: 1 });
  let isAnswered = false;
  const waiting = wait('&generation=1').finally(() => (isAnswered = true));
  await db.rows('t');
  expect(isAnswered).toBe(false);
  // The worker tells those who wait only when it works by itself; a cancellation is a change of the catalog.
  await db.send('POST', `/schema/transitions/${id}/cancel`);
  expect((await waiting).json).toMatchObject({ generation: 2, state: 'cancelled' });
  // What has ended moves no more.
  expect((await wait('&generation=2')).json).toMatchObject({ generation: 2 });
});

test('a long poll ends with its time, and with the server', async () => {
  await using db = await opened();
  const id = await db.start(buildIndex('i', ['v']));
  const path = `/schema/transitions/${id}`;
  expect((await db.send('GET', `${path}?wait=1ms`)).json).toMatchObject({ generation: 1 });
  const waiting = db.send('GET', `${path}?wait=60s`);
  await db.rows('t');
  await db.engine.transitions.stop();
  expect((await waiting).json).toMatchObject({ generation: 1 });
});

test('a long poll that waits does not hold up a stop', async () => {
  await using db = await opened();
  const id = await db.start(buildIndex('i', ['v']));
  const waiting = db.send('GET', `/schema/transitions/${id}?wait=60s`);
  await db.rows('t');
  expect(db.activity.isQuiet).toBe(true);
  await db.engine.transitions.stop();
  expect((await waiting).status).toBe(200);
  expect(db.activity.isQuiet).toBe(true);
});

test('a worker that runs by itself brings everything to its end', async () => {
  await using db = await opened();
  db.engine.transitions.worker.start();
  const build = await db.start(buildIndex('i', ['v']));
  const validation = await db.start(notNull);
  const ended = async (id: string) => {
    for (let generation = 0; ; ) {
      const path = `/schema/transitions/${id}?wait=60s&generation=${generation}`;
      const control = (await db.send('GET', path)).json as { state: string; generation: number };
      if (['ready', 'failed'].includes(control.state)) return control.state;
      generation = control.generation;
    }
  };
  expect(await ended(build)).toBe('ready');
  expect(await ended(validation)).toBe('failed');
});
