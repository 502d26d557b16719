/** What is sent, what an answer means, and how long one is waited for. */

import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection, isTerminal, SchemaApi, ServerProblem, Unreachable } from '#client';
import { transitionIn } from '../cli/within.ts';
import { type ManualWorld, manualWorld } from '../support/manual-world.ts';
import { outcomeOf } from '../support/outcome.ts';

const home = mkdtempSync(join(tmpdir(), 'svc-client-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

interface Sent {
  readonly url: string;
  readonly init: RequestInit;
}

function connected(
  answer: (sent: Sent) => Response | Promise<Response>,
  more: { readonly tokenFile?: string; readonly token?: string; readonly timeoutMs?: number } = {},
) {
  const world: ManualWorld = manualWorld();
  const sent: Sent[] = [];
  const connection = new Connection({
    origin: 'http://db:1',
    scheduler: world.scheduler,
    fetch: async (url, init) => {
      sent.push({ url, init });
      return answer({ url, init });
    },
    ...more,
  });
  return { connection, api: new SchemaApi(connection), sent, world };
}

const problem = { status: 422, title: 'Invalid', detail: 'why', code: 'invalid', reason: 'type' };

describe('an answer', () => {
  test('to TLS that is none is told in words', async () => {
    const { connection } = connected(() => {
      throw Object.assign(new Error('EPROTO: The TLS handshake failed.'), { code: 'EPROTO' });
    });
    expect(await outcomeOf(connection.send('GET', '/x'))).toThrow(
      'no svc server answers at http://db:1: the server there does not use TLS',
    );
  });

  test('is its JSON, and undefined without a body', async () => {
    const { connection } = connected(() => Response.json({ a: 1 }));
    expect(await connection.send('GET', '/x')).toEqual({ a: 1 });
    const empty = connected(() => new Response(''));
    expect(await empty.connection.send('GET', '/x')).toBeUndefined();
  });

  test('that is a problem document is thrown with its members', async () => {
    const { connection } = connected(() => Response.json(problem, { status: 422 }));
    const error = await connection.send('GET', '/x').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ServerProblem);
    expect(error).toMatchObject({ status: 422, message: 'why', problem });
  });

  test('of a problem without a detail is its title', async () => {
    const { connection } = connected(() =>
      Response.json({ status: 500, title: 'Internal Error' }, { status: 500 }),
    );
    expect(await outcomeOf(connection.send('GET', '/x'))).toThrow('Internal Error');
  });

  test.each([
    ['an error without a body', new Response('', { status: 502 }), 502],
    ['an error in HTML', new Response('<html>', { status: 502 }), 502],
    ['a success in HTML', new Response('<html>'), 200],
    ['another error document', Response.json({ title: 'x' }, { status: 400 }), 400],
    ['null', Response.json(null, { status: 400 }), 400],
  ])('%s is no answer of svc', async (_, response, status) => {
    const { connection } = connected(() => response);
    const error = await connection.send('GET', '/x').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Unreachable);
    expect((error as Error).message).toContain('http://db:1');
    expect((error as Error).message).toContain(`not svc (its response has status ${status})`);
  });
});

describe('a request', () => {
  test('has a body and its type only when there is one', async () => {
    const { connection, sent } = connected(() => Response.json({}));
    await connection.send('GET', '/a');
    await connection.send('POST', '/b', { x: [1] });
    expect(sent.map(({ url }) => url)).toEqual(['http://db:1/a', 'http://db:1/b']);
    expect(sent[0]?.init).toMatchObject({ method: 'GET', headers: { accept: 'application/json' } });
    expect(sent[0]?.init.headers).not.toHaveProperty('content-type');
    expect(sent[0]?.init).not.toHaveProperty('body');
    expect(sent[1]?.init).toMatchObject({ method: 'POST', body: '{"x":[1]}' });
    expect(sent[1]?.init.headers).toMatchObject({ 'content-type': 'application/json' });
  });

  test('carries the token that its file holds at that moment', async () => {
    const tokenFile = join(home, 'token');
    const { connection, sent } = connected(() => Response.json({}), { tokenFile });
    for (const token of ['one', 'two']) {
      writeFileSync(tokenFile, `${token}\n`);
      await connection.send('GET', '/');
    }
    const tokens = sent.map(
      ({ init }) => (init.headers as Record<string, string>)['authorization'],
    );
    expect(tokens).toEqual(['Bearer one', 'Bearer two']);
  });

  test('is not sent when the token file does not exist', async () => {
    const { connection, sent } = connected(() => Response.json({}), {
      tokenFile: join(home, 'no'),
    });
    expect(await outcomeOf(connection.send('GET', '/'))).toThrow(
      `${join(home, 'no')} does not exist`,
    );
    expect(sent).toEqual([]);
  });
});

describe('silence', () => {
  const never = ({ init }: Sent) =>
    new Promise<Response>((_, reject) => {
      init.signal?.addEventListener('abort', () => reject(new Error('aborted')));
    });

  test('is given up after the time limit of the connection, or that of the request', async () => {
    const { connection, world } = connected(never, { timeoutMs: 2000 });
    const short = connection.send('GET', '/').catch((error: unknown) => error);
    await world.scheduler.yield();
    expect(world.pending).toEqual([2000]);
    world.advance(2000);
    expect(String(await short)).toContain('nothing within 2 s');
    const waiting = connection
      .send('GET', '/', undefined, { timeoutMs: 2500 })
      .catch((error: unknown) => error);
    await world.scheduler.yield();
    expect(world.pending).toEqual([2500]);
    world.advance(2500);
    expect(String(await waiting)).toContain('nothing within 2.5 s');
    expect(world.pending).toEqual([]);
  });

  test('lasts 30 s unless said otherwise, and the timer goes with the answer', async () => {
    const { connection, world } = connected(never);
    const waiting = connection.send('GET', '/').catch((error: unknown) => error);
    await world.scheduler.yield();
    expect(world.pending).toEqual([30_000]);
    world.advance(30_000);
    expect(await waiting).toBeInstanceOf(Unreachable);
    const answered = connected(() => Response.json({}));
    await answered.connection.send('GET', '/');
    expect(answered.world.pending).toEqual([]);
  });

  test.each([
    [{ code: 'ConnectionRefused' }, 'no server listens there'],
    [{ code: 'ECONNREFUSED', message: 'x' }, 'no server listens there'],
    [{ code: 'ENOTFOUND', message: 'x' }, 'the host does not exist'],
    [{ code: 'ECONNRESET', message: 'x' }, 'the connection was closed; if the server uses TLS'],
    [
      { code: 'ERR_TLS_CERT_ALTNAME_INVALID', message: 'x' },
      'the certificate of the server there is for other names; use one',
    ],
    [
      { code: 'CERT_HAS_EXPIRED', message: 'x' },
      'the certificate of the server there has expired; renew it',
    ],
    [{ message: 'certificate has expired' }, 'certificate has expired'],
    ['odd', 'odd'],
  ])('%j is told as such', async (thrown, why) => {
    const { connection } = connected(() => Promise.reject(thrown));
    expect(await outcomeOf(connection.send('GET', '/'))).toThrow(`http://db:1: ${why}`);
  });
});

describe('the interface', () => {
  test('each question has its method, path and body', async () => {
    const { api, sent } = connected(() => Response.json({ transitions: [], result: 3 }));
    await api.health();
    await api.info();
    await api.schema();
    await api.diff('text');
    const migration = {
      schema: 's',
      current_version: 1,
      current_hash: 'h',
      accept_data_loss: true,
    };
    await api.migrate(migration);
    await api.transitions();
    await api.transitions({ kind: 'index_build', state: 'ready' });
    await api.transition('tr/1');
    await api.cancel('tr1');
    expect(await api.count('t')).toBe(3);
    expect(api.origin).toBe('http://db:1');
    expect(
      sent.map(({ url, init }) => `${init.method} ${url.slice('http://db:1'.length)}`),
    ).toEqual([
      'GET /healthz',
      'GET /info',
      'GET /schema',
      'POST /schema/diff',
      'POST /schema/migrate',
      'GET /schema/transitions',
      'GET /schema/transitions?kind=index_build&state=ready',
      'GET /schema/transitions/tr%2F1',
      'POST /schema/transitions/tr1/cancel',
      'POST /execute',
    ]);
    expect(JSON.parse(sent[3]?.init.body as string)).toEqual({ schema: 'text' });
    expect(JSON.parse(sent[4]?.init.body as string)).toEqual(migration);
  });

  test('three states are the end of a transition', () => {
    const ended = [
      'waiting',
      'building',
      'catching_up',
      'validating',
      'ready',
      'failed',
      'cancelled',
    ].filter((state) => isTerminal(transitionIn(state)));
    expect(ended).toEqual(['ready', 'failed', 'cancelled']);
  });
});

describe('an access token', () => {
  test('is sent, and that of the file has priority', async () => {
    const own = connected(() => Response.json({}), { token: 'abc' });
    await own.connection.send('GET', '/x');
    expect(own.sent[0]?.init.headers).toMatchObject({ authorization: 'Bearer abc' });
    const tokenFile = join(home, 'priority');
    writeFileSync(tokenFile, 'of-the-file\n');
    const both = connected(() => Response.json({}), { token: 'abc', tokenFile });
    await both.connection.send('GET', '/x');
    expect(both.sent[0]?.init.headers).toMatchObject({ authorization: 'Bearer of-the-file' });
  });

  test.each(['', 'a b', 'a\r\nx: y', 'ä'])('is refused if it can be none: %j', async (token) => {
    const { connection, sent } = connected(() => Response.json({}), { token });
    expect(await outcomeOf(connection.send('GET', '/x'))).toThrow('the access token is empty, or');
    expect(sent).toEqual([]);
  });

  test.each([301, 302, 307, 308])('follows no redirect (%d)', async (status) => {
    const headers = { location: 'http://elsewhere:1/' };
    const { connection, sent } = connected(() => new Response(null, { status, headers }), {
      token: 'abc',
    });
    const error = await connection.send('GET', '/x').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Unreachable);
    expect(String(error)).toContain('its response is a redirect, which commands do not follow');
    expect(sent.map(({ init }) => init.redirect)).toEqual(['manual']);
  });
});
