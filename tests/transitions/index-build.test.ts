/** Index builds: what writers, queries and administrators see of one from its start to its end. */

import { expect, test } from 'bun:test';
import { outcomeOf } from '../support/outcome.ts';
import { audit } from './audit.ts';
import {
  buildIndex,
  createTable,
  expectFine,
  matching,
  mutation,
  openWorkshop,
} from './support.ts';

const columns = ['id int64', 'v int64?'] as const;
const create = (...rows: readonly (readonly (string | null)[])[]) =>
  mutation('create', 't', columns, ...rows);
const update = (...rows: readonly (readonly (string | null)[])[]) =>
  mutation('update', 't', columns, ...rows);
const remove = (...ids: readonly string[]) =>
  mutation('delete', 't', ['id int64'], ...ids.map((id) => [id]));
const numbered = (count: number, v: (i: number) => string | null) =>
  Array.from({ length: count }, (_, i) => [String(i), v(i)]);

async function opened(count: number, v: (i: number) => string | null) {
  const workshop = await openWorkshop();
  await workshop.run(createTable('t', columns));
  await workshop.run(create(...numbered(count, v)));
  return workshop;
}

test('an index is built while rows change, and equals a fresh one', async () => {
  await using db = await opened(3000, (i) => (i % 7 === 0 ? null : String(i % 50)));
  const before = db.engine.catalog.version;
  const id = await db.start(buildIndex('v', ['v']));
  const states = new Set<string>();
  for (let round = 0; (await db.get(id)).state !== 'ready'; round++) {
    states.add((await db.get(id)).state);
    const at = String((round * 769) % 3000);
    await db.run(update([at, String(100 + round)]), update([String((round * 31) % 3000), null]));
    await db.run(create([String(5000 + round), '7']));
    if (round % 2 === 0) await db.run(remove(String(5000 + round)));
    await db.worker.round();
  }
  expect([...states]).toEqual(['building', 'catching_up', 'validating']);
  expect(db.engine.catalog.version).toBe(before + 1);
  const control = await db.get(id);
  expect(control).toMatchObject({
    transition_id: id,
    transition_kind: 'index_build',
    retained_work_state: 'normal',
    applied_delta: 0,
    delta_lag: 0,
  });
  expect(control.object_id).toMatch(/^ix\d+$/);
  expect(control.rows_scanned).toBeGreaterThanOrEqual(3000);
  expectFine(await audit(db.engine));
});

test('queries use an index from the moment it is ready, not before', async () => {
  await using db = await opened(100, (i) => String(i % 10));
  const plan = async () => {
    const named = { name: 'q', ...matching('t', 'v', 'int64', '3') };
    const body = { statements: [named] };
    const reply = await db.send('POST', '/execute?show-plan=true', body);
    const { result, plan } = reply.json as { result: unknown[]; plan: { statements: unknown[] } };
    return [result.length, JSON.stringify(plan).includes('index')];
  };
  const id = await db.start(buildIndex('v', ['v']));
  await db.until(id, 'validating');
  expect(await plan()).toEqual([10, false]);
  await db.until(id, 'ready');
  expect(await plan()).toEqual([10, true]);
  const { json } = await db.send('GET', '/tables');
  expect(json).toMatchObject({ tables: [{ indexes: [{ name: 'v', columns: ['v'] }] }] });
});

test('what is being built is not part of the schema, but its name is taken', async () => {
  await using db = await opened(10, String);
  const before = await db.send('GET', '/info');
  const id = await db.start(buildIndex('v', ['v']));
  expect((await db.send('GET', '/info')).json).toEqual(before.json);
  const index = { name: 'v', columns: ['v'] };
  expect(await db.refused(buildIndex('v', ['id']))).toMatch(/^422 invalid: .*"v"/);
  expect(await db.refused({ kind: 'create_index', table_id: 1, index })).toMatch(/^422 invalid/);
  expect(await db.refused({ kind: 'delete_index', table_id: 1, index: 'v' })).toMatch(/not ready/);
  expect(await db.refused({ kind: 'delete_table', table_id: 1 })).toMatch(/^422 invalid.*active/);
  expect(await db.refused({ kind: 'delete_column', table_id: 1, column_id: 2 })).toMatch(/active/);
  await db.send('POST', `/schema/transitions/${id}/cancel`);
  await db.run({ kind: 'create_index', table_id: 1, index });
  await db.run(
    { kind: 'delete_index', table_id: 1, index: 'v' },
    { kind: 'delete_table', table_id: 1 },
  );
});

test('a generated name follows a rename while the index is being built', async () => {
  await using db = await opened(10, String);
  const id = await db.start(buildIndex('t_v_idx', ['v']));
  await db.run(
    { kind: 'rename_column', table_id: 1, column_id: 2, to: 'w' },
    { kind: 'rename_table', table_id: 1, to: 'u' },
  );
  await db.until(id, 'ready');
  expect(db.engine.catalog.tables[0]?.indexes.map(({ name }) => name)).toEqual(['u_w_idx']);
  expectFine(await audit(db.engine));
});

test('a unique index takes duplicates while it is built, and fails when one is left', async () => {
  await using db = await opened(1200, (i) => (i < 3 ? '7' : String(i)));
  const id = await db.start(buildIndex('v', ['v'], true));
  await db.run(create(['9000', '7'], ['9001', '700']));
  await db.until(id, 'catching_up');
  await db.run(update(['9000', '9000'], ['9001', null], ['1', '1'], ['0', '0']));
  expect(await outcomeOf(db.until(id, 'ready'))).toThrow(/is failed.*unique index "v"/);
  expect(db.engine.catalog.tables[0]?.indexes).toEqual([]);
  await db.run(create(['9002', '7']));
  expectFine(await audit(db.engine));
  // The name is free again, and the same request starts anew.
  await db.run(update(['2', '2'], ['9002', null]), update(['7', '70000']));
  const again = await db.start(buildIndex('v', ['v'], true));
  expect(again).not.toBe(id);
  await db.until(again, 'ready');
  expectFine(await audit(db.engine));
  expect(await db.refused(create(['9003', '9000']))).toMatch(/^422 constraint_violation/);
});

test('duplicates that are gone before the validation are forgiven, in whatever order they go', async () => {
  // Rows 0 to 5 have one value; the entry's owner goes first, in the middle, or last.
  for (const order of [
    [0, 1, 2, 3, 4],
    [5, 4, 3, 2, 1],
    [2, 0, 5, 1, 4],
  ]) {
    for (const when of ['building', 'catching_up'] as const) {
      await using db = await opened(600, (i) => (i < 6 ? '7' : String(i + 1000)));
      const id = await db.start(buildIndex('v', ['v'], true));
      await db.until(id, when);
      for (const at of order) {
        await db.run(at % 2 === 0 ? remove(String(at)) : update([String(at), String(at - 100)]));
      }
      await db.until(id, 'ready');
      expectFine(await audit(db.engine));
    }
  }
});

test('values that are swapped in one statement are no duplicates', async () => {
  await using db = await opened(4, String);
  const id = await db.start(buildIndex('v', ['v'], true));
  await db.run(update(['0', '1'], ['1', '0'], ['2', '3'], ['3', '2']));
  await db.until(id, 'catching_up');
  await db.run(update(['0', '3'], ['1', '2'], ['2', '1'], ['3', '0']));
  await db.until(id, 'ready');
  expectFine(await audit(db.engine));
});

test('a tuple that is too long for an index makes the build fail', async () => {
  await using db = await openWorkshop();
  await db.run(createTable('t', ['id int64', 'v text']));
  await db.run(mutation('create', 't', ['id int64', 'v text'], ['1', 'x'.repeat(20_000)]));
  const id = await db.start(buildIndex('v', ['v']));
  expect(await outcomeOf(db.until(id, 'ready'))).toThrow(/is failed.*at most 16384/);
});

test('two indexes of one column are built side by side', async () => {
  await using db = await opened(700, String);
  const { statements } = await db.run(buildIndex('a', ['v']), buildIndex('b', ['v', 'id'], true));
  const ids = statements.map(({ control }) => control?.transition_id as string);
  await db.run(create(['800', '800']));
  await db.settle();
  for (const id of ids) expect((await db.get(id)).state).toBe('ready');
  expectFine(await audit(db.engine));
});
