/** The life of transitions: prerequisites, admission, cancellation, gates, epochs, failing workers, what is kept of those that ended. */

import { describe, expect, test } from 'bun:test';
import { endedTransitionsMax } from '#catalog';
import { claimTransition, stepTransition } from '../../src/transitions/step.ts';
import { audit } from './audit.ts';
import {
  buildIndex,
  type Cell,
  createTable,
  expectFine,
  mutation,
  openWorkshop,
  type Workshop,
} from './support.ts';

const columns = ['id int64', 'v text?'] as const;
const create = (...rows: readonly (readonly Cell[])[]) => mutation('create', 't', columns, ...rows);
const toInt64 = (prerequisites: readonly string[] = []) => ({
  kind: 'start_column_replacement',
  table_id: 1,
  column_id: 2,
  replacement: { type: 'int64', nullable: true, prerequisites },
});
const notNull = (name = 'set', prerequisites: readonly string[] = []) => ({
  kind: 'start_constraint_validation',
  table_id: 1,
  constraint: { name, kind: 'not_null', column_id: 2, prerequisites },
});
const references = () => ({
  kind: 'start_constraint_validation',
  table_id: 1,
  constraint: {
    name: 'c',
    kind: 'foreign_key',
    foreign_key: { name: 'fk', columns: ['v'], ref_table: 'p', ref_columns: ['id'] },
  },
});
const cancel = (db: Workshop, id: string) => db.send('POST', `/schema/transitions/${id}/cancel`);

async function opened(...values: readonly Cell[]) {
  const workshop = await openWorkshop();
  await workshop.run(createTable('t', columns));
  if (values.length > 0) await workshop.run(create(...values.map((v, i) => [String(i), v])));
  return workshop;
}

/** Rows enough for several steps. */
const many = (count = 600) => Array.from({ length: count }, (_, i) => String(i));

describe('prerequisites', () => {
  test('a chain of three is worked off in order', async () => {
    await using db = await opened(...many());
    const { statements } = await db.run(
      { ...toInt64(), name: 'c' },
      { ...notNull(), name: 'n', after: ['c'] },
      { ...buildIndex('i', ['v']), name: 'i', after: ['n', 'c'] },
    );
    const ids = statements.map(({ control }) => control?.transition_id as string);
    const [replacement, validation, build] = ids as [string, string, string];
    expect(statements[2]?.control?.prerequisites).toEqual([replacement, validation]);
    expect((await db.get(build)).state).toBe('waiting');
    expect(await db.refused(buildIndex('i', ['id']))).toMatch(/^422 invalid/);
    await db.until(validation, 'building');
    expect((await db.get(replacement)).state).toBe('ready');
    expect((await db.get(build)).state).toBe('waiting');
    await db.until(build, 'ready');
    const [table] = db.engine.catalog.tables;
    expect(table?.columns[1]).toMatchObject({ type: 'int64', nullable: false });
    await db.settle();
    expectFine(await audit(db.engine));
  });

  test('who waits for one that fails or is cancelled fails too', async () => {
    await using db = await opened('one');
    const failing = await db.start(toInt64());
    const waiting = await db.start(notNull('a', [failing]));
    const last = await db.start({ ...buildIndex('i', ['id']), prerequisites: [waiting] });
    await db.settle();
    expect(await db.get(failing)).toMatchObject({ state: 'failed' });
    expect(await db.get(waiting)).toMatchObject({
      state: 'failed',
      last_error: `the prerequisite ${failing} has failed`,
    });
    expect(await db.get(last)).toMatchObject({ state: 'failed' });
    const first = await db.start(buildIndex('i', ['id']));
    const second = await db.start({ ...buildIndex('j', ['id']), prerequisites: [first] });
    await cancel(db, first);
    await db.settle();
    expect(await db.get(second)).toMatchObject({
      state: 'failed',
      last_error: `the prerequisite ${first} was cancelled`,
    });
    expect(await db.refused(toInt64([failing]))).toMatch(/^422 invalid.*failed/);
    expect(await db.refused(toInt64(['tr99999']))).toMatch(/unknown prerequisite/);
    expect(await db.refused({ ...toInt64(), after: ['x'] })).toMatch(/after "x"/);
  });

  test('what is ready already is waited for no longer', async () => {
    await using db = await opened('1');
    const ready = await db.start(buildIndex('i', ['id']));
    await db.until(ready, 'ready');
    const next = await db.start({ ...buildIndex('j', ['id']), prerequisites: [ready] });
    expect((await db.get(next)).state).toBe('building');
  });

  test('a waiting one asks nothing of writers, and is ready at once when there is nothing to do', async () => {
    await using db = await opened(...many());
    const build = await db.start(buildIndex('i', ['id']));
    const waiting = await db.start(notNull('a', [build]));
    await db.run(create(['9999', null]), mutation('update', 't', columns, ['9999', 'x']));
    const other = await db.start({ ...notNull('b', [waiting]) });
    await db.until(other, 'ready');
    expect((await db.get(waiting)).state).toBe('ready');
  });
});

describe('names', () => {
  test('stay those of the end when the catalog knows the object no more', async () => {
    await using db = await opened('1', '2');
    const build = await db.start(buildIndex('i', ['id']));
    await db.until(build, 'ready');
    const replacement = await db.start(toInt64());
    await db.until(replacement, 'ready');
    const cancelled = await db.start(buildIndex('k', ['id']));
    await cancel(db, cancelled);
    await db.run({ kind: 'delete_index', table_id: 1, index: 'i' });
    await db.settle();
    expect(await db.get(build)).toMatchObject({ table: 't', object: 'i' });
    expect(await db.get(replacement)).toMatchObject({ table: 't', object: 'v' });
    expect(await db.get(cancelled)).toMatchObject({ table: 't', object: 'k', state: 'cancelled' });
  });
});

describe('admission', () => {
  test('transitions of one column exclude each other, or wait', async () => {
    await using db = await opened('1');
    const validation = await db.start(notNull());
    expect(await db.refused(toInt64())).toMatch(/changed by the constraint_validation/);
    expect(await db.refused(notNull('other'))).toMatch(/changed by/);
    await db.start(buildIndex('i', ['v']));
    expect(await db.refused(toInt64([validation]))).toMatch(/delete the index first/);
    const other = { ...toInt64(), column_id: 1 };
    expect(await db.refused(other)).toMatch(/primary key/);
  });

  test('other columns and other tables are free', async () => {
    await using db = await openWorkshop();
    await db.run(createTable('t', [...columns, 'w int64?']), createTable('u', columns));
    await db.start(toInt64());
    await db.start({ ...toInt64(), table_id: 2 });
    const other = { name: 'w', kind: 'not_null', column_id: 3 };
    await db.start({ ...notNull(), constraint: other });
    await db.settle();
    expectFine(await audit(db.engine));
  });
});

describe('cancellation', () => {
  const starts: readonly (readonly [string, object])[] = [
    ['an index build', buildIndex('i', ['v'])],
    ['a unique index build', buildIndex('i', ['v'], true)],
    ['a column replacement', toInt64()],
    ['a not-null validation', notNull()],
    ['a foreign key', references()],
  ];
  test.each(starts)(
    '%s, after every number of steps',
    async (_, start) => {
      for (let steps = 0; ; steps++) {
        await using db = await opened(...many(520));
        const parents = many(520).map((id) => [id]);
        await db.run(
          createTable('p', ['id text']),
          mutation('create', 'p', ['id text'], ...parents),
        );
        const before = await db.send('GET', '/tables');
        const id = await db.start(start);
        for (let i = 0; i < steps; i++) await db.worker.round();
        const { state, generation } = await db.get(id);
        const reply = await cancel(db, id);
        if (state === 'ready') {
          expect([reply.status, steps]).toEqual([422, expect.any(Number)]);
          expect(steps).toBeGreaterThan(2);
          return;
        }
        expect(reply.json).toMatchObject({ state: 'cancelled', generation: generation + 1 });
        expect((await cancel(db, id)).json).toEqual(reply.json);
        // Nothing is asked of writers any more.
        await db.run(create(['5000', 'seven'], ['5001', null], ['5002', 'seven']));
        await db.run(mutation('delete', 'p', ['id text'], ['7']));
        await db.settle();
        expect((await db.send('GET', '/tables')).text).toBe(before.text);
        expectFine(await audit(db.engine));
        const again = await db.start(buildIndex('i', ['v']));
        await db.until(again, 'ready');
      }
    },
    60_000,
  );
});

test('at the gate writers wait a little, then get 409; reads and other tables never', async () => {
  await using db = await opened('1');
  await db.run(createTable('u', columns));
  const id = await db.start(buildIndex('i', ['v'], true));
  await db.shutGate(id);
  const named = { name: 'c', ...create(['2', '2']) };
  const asked = { 'svc-diagnostics': 'summary' };
  const reply = await db.send('POST', '/execute', { statements: [named] }, asked);
  expect(reply.json).toMatchObject({
    _svc: { diagnostics: { errorReason: 'schema_transition_finalizing' } },
    status: 409,
    reason: 'schema_transition_finalizing',
    conflict: { object: 'table', table: 't', index: 'i', operation: 'insert' },
  });
  expect(reply.headers.get('retry-after')).toBe('1');
  await db.run(mutation('create', 'u', columns, ['1', '1']));
  expect(await db.rows('t')).toHaveLength(1);
  // Whoever waits when the gate opens goes on.
  const waiting = db.run(create(['2', '2']));
  await db.worker.round();
  await waiting;
  expect((await db.get(id)).state).toBe('ready');
  expectFine(await audit(db.engine));
});

describe('a delete that leads to a table whose gate is shut', () => {
  const child = ['id int64', 'p int64?', 'v text?'] as const;
  const referring = (onDelete: 'cascade' | 'set_null' | 'restrict') => ({
    foreign_keys: [
      { name: 'fk', columns: ['p'], ref_table: 'p', ref_columns: ['id'], on_delete: onDelete },
    ],
  });
  const remove = () => mutation('delete', 'p', ['id int64'], ['1']);

  async function shut(onDelete: 'cascade' | 'set_null' | 'restrict') {
    const db = await openWorkshop();
    await db.run(createTable('p', ['id int64']));
    await db.run(createTable('t', child, referring(onDelete)));
    await db.run(mutation('create', 'p', ['id int64'], ['1'], ['2']));
    await db.run(mutation('create', 't', child, ['1', '2', 'x']));
    const id = await db.start({ ...buildIndex('i', ['v'], true), table_id: 2 });
    await db.shutGate(id);
    return db;
  }

  test.each(['cascade', 'set_null'] as const)('waits, too: %s', async (onDelete) => {
    await using db = await shut(onDelete);
    const operation = { cascade: 'delete', set_null: 'update' }[onDelete];
    const statements = [{ name: 'gone', ...remove() }];
    const { json } = await db.send('POST', '/execute', { statements });
    expect(json).toMatchObject({
      reason: 'schema_transition_finalizing',
      detail: expect.stringContaining('table "t"'),
      conflict: { object: 'table', table: 't', index: 'i', operation },
    });
    const waiting = db.run(remove());
    await db.worker.round();
    await waiting;
    expectFine(await audit(db.engine));
  });

  test('does not when rows there can only forbid it', async () => {
    await using db = await shut('restrict');
    await db.run(remove());
    expect(await db.rows('p')).toHaveLength(1);
  });
});

test('a cancellation opens the gate', async () => {
  for (const start of [buildIndex('i', ['v'], true), toInt64(), notNull()]) {
    await using db = await opened('1');
    const id = await db.start(start);
    await db.shutGate(id);
    expect((await cancel(db, id)).json).toMatchObject({ state: 'cancelled' });
    await db.run(create(['2', null], ['3', 'x'], ['4', 'x']));
    await db.settle();
    expectFine(await audit(db.engine));
  }
});

test('a plain index shuts no gate', async () => {
  await using db = await opened('1');
  const id = await db.start(buildIndex('i', ['v']));
  await db.until(id, 'validating');
  await db.run(create(['2', '2']));
  await db.until(id, 'ready');
  expectFine(await audit(db.engine));
});

test('a worker that has lost its epoch does nothing any more', async () => {
  await using db = await opened(...many(1100));
  const id = Number((await db.start(buildIndex('i', ['v']))).slice(2));
  const host = db.engine['database'];
  const first = await claimTransition(host, id);
  const step = (epoch: number) => stepTransition(host, id, { epoch, rowsMax: 100 });
  expect(await step(first.epoch)).toBe('advanced');
  const second = await claimTransition(host, id);
  expect(await step(first.epoch)).toBe('lost');
  expect(await step(second.epoch)).toBe('advanced');
  await cancel(db, `tr${id}`);
  expect(await step(second.epoch)).toBe('lost');
});

test('two workers at once lose races, never rows', async () => {
  await using db = await opened(...many(1100));
  const id = Number((await db.start(buildIndex('i', ['v']))).slice(2));
  const host = db.engine['database'];
  const { epoch } = await claimTransition(host, id);
  for (let i = 0; i < 8; i++) {
    const outcomes = await Promise.all([
      stepTransition(host, id, { epoch, rowsMax: 300 }),
      stepTransition(host, id, { epoch, rowsMax: 300 }),
    ]);
    if (outcomes.includes('lost')) break;
    expect(outcomes.toSorted()).toEqual(['advanced', 'contended']);
  }
  expect(await db.get(`tr${id}`)).toMatchObject({ state: 'ready', rows_scanned: 1100 });
  expectFine(await audit(db.engine));
});

test(`of ended transitions the newest ${endedTransitionsMax} are kept`, async () => {
  await using db = await opened('1');
  const relax = (format: string) => ({
    ...toInt64(),
    replacement: { type: 'text', nullable: true, format },
  });
  const rounds = endedTransitionsMax / 100 + 1;
  for (let round = 0; round < rounds; round++) {
    await db.run(...Array.from({ length: 100 }, (_, i) => relax(`f${round}-${i}`)));
  }
  const reply = await db.send('GET', '/schema/transitions');
  const { transitions } = reply.json as { transitions: { transition_id: string }[] };
  expect(transitions).toHaveLength(endedTransitionsMax);
  const ids = transitions.map(({ transition_id }) => Number(transition_id.slice(2)));
  expect(ids).toEqual(ids.toSorted((a, b) => a - b));
  expect(db.engine.catalog.endedTransitions?.map(({ id }) => id)).toEqual(ids);
});
