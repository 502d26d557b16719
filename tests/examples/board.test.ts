/** The task board of `examples/board`, without a browser: every route, what it refuses, two people at once, and what is live. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { app } from '../../examples/board/src/app.ts';
import { connect, t } from '../../examples/board/src/db/db.gen.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import type { SchemaFile } from '../support/schema-file.ts';

const project = join(import.meta.dir, '../../examples/board');
const read = (name: string) => readFileSync(join(project, name), 'utf8');

let database: TestDatabase;
let db: ReturnType<typeof connect>;
let answer: (request: Request) => Promise<Response>;

beforeAll(async () => {
  database = await openTestDatabase('direct', parse(read('svc.schema.yaml')) as SchemaFile);
  db = connect({
    url: 'http://127.0.0.1:1',
    schema: 'off',
    fetch: async (url, { method, headers, body }) => {
      const { pathname, search } = new URL(url);
      const reply = await database.send(method, pathname + search, body, { ...headers });
      const text = reply.text === '' ? null : reply.text;
      return new Response(text, { status: reply.status, headers: reply.headers });
    },
  });
  const seed = JSON.parse(read('svc.seed.json'));
  await db.run(t.accounts.insertMany(seed.accounts));
  await db.run(t.boards.insertMany(seed.boards));
  await db.run(t.cards.insertMany(seed.cards));
  answer = app(db);
});
afterAll(() => database[Symbol.asyncDispose]());

const base = 'http://board.example';
const asAda = { cookie: 'account=1' };

async function get(path: string, headers: Record<string, string> = asAda) {
  const response = await answer(new Request(base + path, { headers }));
  return { status: response.status, text: await response.text() };
}

async function post(
  path: string,
  form: Record<string, string>,
  headers: Record<string, string> = asAda,
) {
  const body = new URLSearchParams(form);
  const response = await answer(new Request(base + path, { method: 'POST', headers, body }));
  const text = await response.text();
  const { status } = response;
  return {
    status,
    location: response.headers.get('location'),
    cookie: response.headers.get('set-cookie'),
    text,
  };
}

test('who is not known is asked, and then is', async () => {
  expect((await get('/boards/1', {})).text).toContain('Choose an account');
  const { status, cookie } = await post('/sign-in', { account: '2' }, {});
  expect([status, cookie]).toEqual([303, 'account=2; HttpOnly; SameSite=Strict; Path=/']);
  expect((await get('/', { cookie: 'account=2' })).text).toContain('Grace');
  expect((await get('/', { cookie: 'account=99' })).text).toContain('Choose an account');
  expect((await post('/sign-out', {})).cookie).toContain('account=;');
});

test('boards have cards, cards have comments, and all of that is in the activity', async () => {
  const { location } = await post('/boards', { name: 'A <b> & "c"' });
  const board = location as string;
  expect((await get(board)).text).toContain('A &#60;b&#62; &#38; &#34;c&#34;');
  await post(`${board}/cards`, { title: 'First card' });
  const [, card] = /href="(\/cards\/\d+)">First card/.exec((await get(board)).text) ?? [];
  await post(`${card}/comments`, { body: 'Looks good.' });
  await post(`${card}/assign`, { account: '3' });
  await post(`${card}/move`, { from: 'todo', to: 'done' });
  const shown = await get(card as string);
  expect(shown.text).toContain('Looks good.');
  expect(shown.text).toContain('<option value="3" selected>Edgar</option>');
  await post(`${card}/assign`, { account: '' });
  const { text } = await get(board);
  for (const what of ['added', 'commented', 'assigned', 'moved to done', 'gave away']) {
    expect(text).toContain(`</span> ${what} <a`);
  }
  expect(text).toMatch(/data-state="done"><h2>Done <small>1<\/small>/);
  expect(text).toContain('<small>1 comment</small>');
});

test('of two who move a card at once one does, and the other is told', async () => {
  const move = { from: 'todo', to: 'doing' };
  const grace = { cookie: 'account=2' };
  const both = await Promise.all([post('/cards/2/move', move), post('/cards/2/move', move, grace)]);
  expect(both.map(({ status }) => status).sort()).toEqual([303, 409]);
  const { text } = both.find(({ status }) => status === 409) as { text: string };
  expect(text).toContain('Somebody else has moved that card.');
  expect(await db.run(t.activity.where((a) => a.card_id.eq(2)).count())).toBe(1);
});

test('the activity has pages', async () => {
  for (let i = 0; i < 12; i++) await post('/boards/2/cards', { title: `card ${i}` });
  const first = await get('/boards/2');
  expect(first.text).toContain('card 11');
  const [, older] = /href="([^"]+)">Older/.exec(first.text) ?? [];
  const second = await get(older as string);
  expect(second.text.match(/<li>/g)?.length).toBe(2);
  expect(second.text).not.toContain('Older');
  expect((await get('/boards/2/activity?after=nothing')).status).toBe(400);
});

test('what is missing, wrong, or comes from elsewhere is refused', async () => {
  expect((await get('/boards/999')).status).toBe(404);
  expect((await get('/cards/999')).status).toBe(404);
  expect((await get('/nowhere')).status).toBe(404);
  expect((await post('/boards', { name: '  ' })).status).toBe(400);
  expect((await post('/cards/1/move', { from: 'todo', to: 'nowhere' })).status).toBe(400);
  expect((await post('/cards/999/comments', { body: 'x' })).status).toBe(404);
  const foreign = { ...asAda, origin: 'http://evil.example' };
  expect((await post('/boards', { name: 'x' }, foreign)).status).toBe(403);
  expect((await get('/style.css')).status).toBe(200);
  expect((await post('/style.css', { a: 'b' })).status).toBe(404);
  expect((await get('/boards/:id')).status).toBe(404);
  for (const rest of ['', '/activity', '/live']) {
    expect((await get(`/boards/999${rest}`)).status).toBe(404);
  }
  expect((await post('/boards/999/cards', { title: 'x' })).status).toBe(404);
  expect((await post('/cards/1/assign', { account: '99' })).status).toBe(404);
  for (const account of ['abc', '1.5', '1e3', '-1'])
    expect((await post('/cards/1/assign', { account })).status).toBe(400);
  expect((await post('/cards/1/move', { from: 'todo', to: 'todo' })).status).toBe(400);
  const long = `${'a'.repeat(3999)}😀`;
  expect((await post('/cards/1/comments', { body: long })).status).toBe(400);
  expect((await post('/cards/1/comments', { body: long.slice(1) })).status).toBe(303);
  for (const origin of ['null', 'nonsense'])
    expect((await post('/boards', { name: 'x' }, { ...asAda, origin })).status).toBe(403);
  const send = async (
    path: string,
    body: string | FormData | null,
    headers: Record<string, string>,
  ) => (await answer(new Request(base + path, { method: 'POST', body, headers }))).status;
  for (const [path, headers] of [
    ['/sign-in', {}],
    ['/boards', asAda],
  ] as const) {
    expect(await send(path, null, headers)).toBe(400);
    expect(await send(path, '{}', { ...headers, 'content-type': 'application/json' })).toBe(400);
  }
  const upload = new FormData();
  upload.set('name', new Blob(['x']), 'x.txt');
  expect(await send('/boards', upload, asAda)).toBe(400);
  const head = await answer(new Request(`${base}/`, { method: 'HEAD', headers: asAda }));
  expect(head.status).toBe(200);
});

test('somebody signs in who is known, once or again', async () => {
  for (const account of ['abc', '99', ''])
    expect((await post('/sign-in', { account }, {})).status).toBe(400);
  const { status, cookie } = await post('/sign-in', { account: '2' });
  expect([status, cookie?.split(';')[0]]).toEqual([303, 'account=2']);
  expect((await get('/favicon.ico', {})).status).toBe(401);
});

test('somebody who looks at a board is sent what changes', async () => {
  const ended = new AbortController();
  const { signal } = ended;
  const response = await answer(new Request(`${base}/boards/1/live`, { headers: asAda, signal }));
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const next = async () => new TextDecoder().decode((await reader.read()).value);
  expect(await next()).toMatch(/^data: <div class="columns">.*Measure the start.*\n\n$/);
  // A title is text, whatever lines it has.
  await post('/boards/1/cards', { title: 'Came later\r\n\r\ndata: nothing else\rhere\n' });
  const changed = await next();
  expect(changed).toMatch(/Came later\ndata: \ndata: data: nothing else\ndata: here/);
  expect(changed.match(/\n\n/g)?.length).toBe(1);
  ended.abort();
});
