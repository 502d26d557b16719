/** No answer, of a read or of a write, before the state that it shows is durable. */

import { afterEach, beforeEach, expect, spyOn, test } from 'bun:test';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { outcomeOf } from '../support/outcome.ts';

const table = {
  name: 't',
  columns: [{ name: 'id', type: 'int64' }],
  primary_key: ['id'],
};

const id = { kind: 'col', scope: 't', column: 'id' };
const nodes = {
  t: { kind: 'scan', table: 't', scope: 't' },
  o: { kind: 'order', input: 't', terms: [{ expr: id }] },
};
const all = { nodes, root: { node: 'o', cardinality: 'many' } };
const read = { statements: [{ kind: 'query', name: 'q', relation: all }], result: 'q' };

const row = (cell: string) => ({
  nodes: {
    r: { kind: 'rows', scope: 'r', columns: [{ name: 'id', type: 'int64' }], rows: [[cell]] },
  },
  root: { node: 'r', cardinality: 'many' },
});
const create = { kind: 'create', name: 'c', table: 't', relation: row('1') };

let db: TestDatabase;
beforeEach(async () => {
  db = await openTestDatabase();
  expect((await db.send('POST', '/tables', table)).status).toBe(200);
  const filled = await db.send('POST', '/execute', { statements: [create] });
  expect(filled.status).toBe(200);
});
afterEach(() => db[Symbol.asyncDispose]());

/** The log is on its way with the newest commit until the test says how that ends. */
function undurable() {
  const log = Promise.withResolvers<void>();
  log.promise.catch(() => {});
  const asked = spyOn(db.engine['database'].store, 'durable').mockReturnValue(log.promise);
  return { ...log, asked };
}

/** Resolves when everything has happened that waits for nothing outside. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

test.each([
  ['a query', read],
  ['a write that fails', { statements: [create] }],
])('%s is answered when what it has seen is durable', async (_, program) => {
  const { resolve, asked } = undurable();
  const { slots } = db.engine['admission'];
  const idle = slots['free'];
  let isAnswered = false;
  const answer = db.send('POST', '/execute', program).then((reply) => {
    isAnswered = true;
    return reply;
  });
  while (asked.mock.calls.length === 0) await settled();
  await settled();
  expect(isAnswered).toBe(false);
  // Meanwhile it keeps nobody else out.
  expect(slots['free']).toBe(idle);
  resolve();
  expect((await answer).status).toBe(program === read ? 200 : 422);
});

test.each(['/tables', '/info'])('%s tells of a catalog that is durable', async (path) => {
  const { resolve, asked } = undurable();
  let isAnswered = false;
  const answer = db.send('GET', path).finally(() => {
    isAnswered = true;
  });
  for (let turn = 0; turn < 20; turn++) await settled();
  expect([isAnswered, asked.mock.calls.length]).toEqual([false, 1]);
  resolve();
  expect((await answer).status).toBe(200);
});

test.each([
  ['a query', read],
  ['a write', { statements: [{ ...create, relation: row('2') }] }],
  ['a write that fails', { statements: [create] }],
])('%s lets go of the state that it has read', async (_, program) => {
  const { store } = db.engine['database'];
  const before = store.statistics().views;
  await db.send('POST', '/execute', program);
  expect(store.statistics().views).toBe(before);
});

test('what was seen is not told when the log has failed', async () => {
  const { reject } = undurable();
  const answer = db.send('POST', '/execute', read);
  reject(new Error('the log failed'));
  expect(await outcomeOf(answer)).toThrow('internal failure');
});
