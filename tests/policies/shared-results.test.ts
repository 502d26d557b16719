/** Programs that are planned once and results that are kept: no user ever receives the rows of another one. */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { fail } from '#failure';
import { openMemoryEngine } from '../http/support.ts';
import { databaseOver, type Reply, type TestDatabase } from '../support/database.ts';
import {
  all,
  claim,
  column,
  create,
  equal,
  fillNotes,
  notesPolicies,
  send,
  setPolicies,
  user,
} from './support.ts';

const own: Readonly<Record<string, readonly number[]>> = {
  ada: [1, 2],
  bob: [2, 3],
  eve: [4],
  nobody: [],
};

let db: TestDatabase;

beforeEach(async () => {
  const engine = await openMemoryEngine('direct');
  await fillNotes(engine, notesPolicies);
  const authenticate = ({ authorization }: { readonly authorization: string | null }) => {
    const name = authorization?.replace('Bearer ', '');
    if (name === undefined) throw fail('missing_token', 'the request has no access token');
    return user(name, name === 'nobody' ? {} : { sub: name });
  };
  db = databaseOver(engine, undefined, { authenticator: { authenticate } });
});

afterEach(() => db[Symbol.asyncDispose]());

const notes = (all('note') as { readonly relation: unknown }).relation;

function ask(name: string, headers: Record<string, string> = {}): Promise<Reply> {
  return db.send('QUERY', '/execute', notes, { authorization: `Bearer ${name}`, ...headers });
}

const idsIn = ({ json }: Reply) => (json as { readonly id: number }[]).map(({ id }) => Number(id));

/** Changes a row as an open client does. */
async function change(statement: object): Promise<void> {
  await send(db.engine, undefined, [statement]);
}

describe('one text of several users', () => {
  test('one after the other and all at once, cold and warm', async () => {
    for (let round = 0; round < 20; round++) {
      const names = Object.keys(own);
      const replies = await Promise.all(
        Array.from({ length: 40 }, async (_, i) => {
          const name = names[(i * 7 + round) % names.length] as string;
          return { name, reply: await ask(name) };
        }),
      );
      for (const { name, reply } of replies) expect(idsIn(reply)).toEqual([...(own[name] ?? [])]);
      for (const name of names) expect(idsIn(await ask(name))).toEqual([...(own[name] ?? [])]);
    }
    expect(db.counters.templateHits).toBeGreaterThan(100);
  });

  test('results are kept for each value of the claims, and shared by users with the same', async () => {
    for (let i = 0; i < 5; i++) for (const name of ['ada', 'bob']) await ask(name);
    const before = db.engine.admissionStatistics().query;
    for (const name of ['ada', 'bob'])
      expect(idsIn(await ask(name))).toEqual([...(own[name] ?? [])]);
    expect(db.engine.admissionStatistics().query).toEqual(before);
  });

  test('new policies are in force for the next request', async () => {
    for (let i = 0; i < 4; i++) expect(idsIn(await ask('ada'))).toEqual([1, 2]);
    const tables = notesPolicies.tables.filter(({ table }) => table !== 3);
    const owners = { where: equal(column('row', 2), claim('sub')) };
    await setPolicies(db.engine, {
      ...notesPolicies,
      tables: [...tables, { table: 3, read: owners }],
    });
    for (let i = 0; i < 4; i++) expect(idsIn(await ask('ada'))).toEqual([1]);
    await setPolicies(db.engine, { ...notesPolicies, tables: [...tables, { table: 3 }] });
    expect(idsIn(await ask('ada'))).toEqual([]);
    await setPolicies(db.engine, { ...notesPolicies, tables });
    expect((await ask('ada')).status).toBe(422);
  });
});

describe('the tag of a query', () => {
  test('stays while hidden rows change, and changes with visible rows', async () => {
    const tag = (await ask('ada')).headers.get('etag') as string;
    expect(tag).toStartWith('W/"svc-query-');
    await change(create('note', [['4', 'other']], 'update', ['id', 'body']));
    expect((await ask('ada', { 'if-none-match': tag })).status).toBe(304);
    await change(create('note', [['2', 'other']], 'update', ['id', 'body']));
    const later = await ask('ada', { 'if-none-match': tag });
    expect(later.status).toBe(200);
    expect(later.headers.get('etag')).not.toBe(tag);
  });

  test('a condition is always executed', async () => {
    const tag = (await ask('ada')).headers.get('etag') as string;
    const before = db.engine.admissionStatistics().query;
    expect((await ask('ada', { 'if-none-match': tag })).status).toBe(304);
    expect(db.engine.admissionStatistics().query).not.toEqual(before);
  });

  test('of a row by its key stays while the row is hidden', async () => {
    const relation = {
      nodes: {
        s: { kind: 'scan', table: 'note', scope: 's' },
        f: {
          ...{ kind: 'filter', input: 's' },
          predicate: {
            ...{ kind: 'binary', op: 'eq' },
            left: { kind: 'col', scope: 's', column: 'id' },
            right: { kind: 'lit', value: { type: 'int64', value: '4' } },
          },
        },
      },
      root: { node: 'f', cardinality: 'first' },
    };
    const read = () => db.send('QUERY', '/execute', relation, { authorization: 'Bearer ada' });
    const first = await read();
    expect(first.text).toBe('null');
    await change(create('note', [['4', 'guessed']], 'update', ['id', 'body']));
    expect((await read()).headers.get('etag')).toBe(first.headers.get('etag'));
  });
});
