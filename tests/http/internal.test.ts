/** The internal route: what it answers, and which answers end their connection. */

import { expect, test } from 'bun:test';
import { createInternalHandler } from '#http';
import { manualWorld } from '../support/manual-world.ts';

const token = 'a'.repeat(32);
const url = 'http://localhost/internal/statistics/observations';

interface Setting {
  readonly admitted?: { readonly status: number; readonly reason: string };
  readonly isFull?: boolean;
}

function opened({ admitted = { status: 200, reason: 'taken' }, isFull = false }: Setting = {}) {
  const unauthorized: unknown[] = [];
  const bodies: string[] = [];
  const admit = (body: string) => {
    bodies.push(body);
    return admitted;
  };
  const { scheduler, advance } = manualWorld();
  const { handle } = createInternalHandler({
    token,
    receiver: { saturated: () => (isFull ? { reason: 'saturated' } : undefined), admit } as never,
    scheduler,
    onUnauthorized: (address) => unauthorized.push(address),
  });
  const send = async (
    body: string | ReadableStream | undefined,
    given: RequestInit = {},
    to = url,
  ) => {
    const headers = { authorization: `Bearer ${token}` };
    const init = { method: 'POST', headers, ...given, ...(body !== undefined && { body }) };
    const answer = await handle(new Request(to, init));
    const { reason } = (await answer.json()) as { readonly reason: string };
    return { said: `${answer.status} ${reason}`, headers: answer.headers };
  };
  return { send, advance, bodies, unauthorized };
}

test('a batch is handed on, and the connection goes on', async () => {
  const { send, bodies } = opened();
  const { said, headers } = await send('{"a":1}');
  expect([said, headers.get('connection')]).toEqual(['200 taken', null]);
  expect(bodies).toEqual(['{"a":1}']);
});

test('every refusal, also one of the receiver, ends the connection', async () => {
  const broken = () =>
    new ReadableStream({
      pull: () => {
        throw new Error('the client is gone');
      },
    });
  const long = 'x'.repeat((4 << 20) + 1);
  const refusals: readonly (readonly [string, ReturnType<ReturnType<typeof opened>['send']>])[] = [
    ['401 unauthorized', opened().send('{}', { headers: {} })],
    ['404 not_found', opened().send('{}', {}, `${url}/other`)],
    ['405 method_not_allowed', opened().send(undefined, { method: 'GET' })],
    ['429 saturated', opened({ isFull: true }).send('{}')],
    ['413 batch_too_large', opened().send(long)],
    ['400 malformed_batch', opened().send(broken())],
    ['400 wrong', opened({ admitted: { status: 400, reason: 'wrong' } }).send('{}')],
  ];
  for (const [expected, sent] of refusals) {
    const { said, headers } = await sent;
    expect([said, headers.get('connection')]).toEqual([expected, 'close']);
  }
});

test('answers say what the client needs: a challenge, the method, when to come again', async () => {
  const challenge = await opened().send('{}', { headers: {} });
  expect(challenge.headers.get('www-authenticate')).toBe('Bearer');
  const method = await opened().send(undefined, { method: 'GET' });
  expect(method.headers.get('allow')).toBe('POST');
  const full = await opened({ isFull: true }).send('{}');
  expect(full.headers.get('retry-after')).toBe('1');
});

test('a request without the token is told of, and its body is not read', async () => {
  const { send, bodies, unauthorized } = opened();
  for (const authorization of ['', `Bearer ${token}x`, `Basic ${token}`]) {
    expect((await send('{}', { headers: { authorization } })).said).toBe('401 unauthorized');
  }
  expect([bodies.length, unauthorized.length]).toEqual([0, 3]);
});

/** A body of which nothing arrives before `end`. */
function slowBody() {
  let end = () => {};
  const body = new ReadableStream({
    start: (controller) => {
      end = () => {
        controller.enqueue(new TextEncoder().encode('{}'));
        controller.close();
      };
    },
  });
  return { body, end: () => end() };
}

test('a body that does not arrive in time is refused', async () => {
  const { send, advance, bodies } = opened();
  const sent = send(slowBody().body);
  await new Promise(setImmediate);
  advance(60_000);
  expect((await sent).said).toBe('408 body_timeout');
  expect(bodies).toEqual([]);
});

test('a body that is too large by its declared length is not read', async () => {
  const { send, bodies } = opened();
  const headers = { authorization: `Bearer ${token}`, 'content-length': `${(4 << 20) + 1}` };
  expect((await send(slowBody().body, { headers })).said).toBe('413 batch_too_large');
  expect(bodies).toEqual([]);
});

test('of more batches than eight at a time the others come again later', async () => {
  const { send, bodies } = opened();
  const arriving = Array.from({ length: 8 }, slowBody);
  const sent = arriving.map(({ body }) => send(body));
  const refused = await send('{}');
  expect([refused.said, refused.headers.get('retry-after')]).toEqual(['429 saturated', '1']);
  arriving[0]?.end();
  expect((await sent[0])?.said).toBe('200 taken');
  expect((await send('{"later":1}')).said).toBe('200 taken');
  for (const { end } of arriving.slice(1)) end();
  for (const { said } of await Promise.all(sent)) expect(said).toBe('200 taken');
  expect(bodies).toHaveLength(9);
});
