/** Requests as no proper client would make them, over real sockets; and how long connections are kept. */

import { afterAll, describe, expect, test } from 'bun:test';
import { createHandler, type Lifecycle } from '#http';
import { openMemoryEngine, testLimits } from '../support.ts';
import { head, serveHandler } from './served.ts';

const engine = await openMemoryEngine();
const lifecycle: Lifecycle = {
  access: 'write',
  engine,
  live: () => 'live',
  ready: () => 'serving',
  startup: () => 'started',
};
const loopback = serveHandler({ lifecycle });
const exposed = serveHandler({ lifecycle, loopbackOnly: false });
afterAll(async () => {
  for (const { server } of [loopback, exposed]) await server.stop(true);
});

async function answerTo(request: string, served = loopback): Promise<string> {
  const client = await served.connect();
  client.send(request);
  const received = await client.until('\r\n\r\n');
  client.end();
  return received;
}

const statusOf = (answer: string) => Number(answer.split(' ')[1]);

describe('hosts', () => {
  const doubled = 'GET /tables HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n';
  const malformed = ['a b', 'x/y', 'x?y', 'a@b:c', 'localhost#', ''];

  for (const [name, served] of Object.entries({ loopback, exposed })) {
    test(`two are refused: ${name}`, async () => {
      const answer = await answerTo(doubled, served);
      expect(statusOf(answer)).toBe(400);
      expect(answer).toContain('schema_violation');
    });

    test(`none is refused in HTTP/1.0, whatever the path looks like: ${name}`, async () => {
      const paths = ['/tables', '/aaaaaaaaaaaaaaaaaaaaaaaa/livez', '//livez', '/a://b/livez', '/'];
      for (const path of paths) {
        const answer = await answerTo(`GET ${path} HTTP/1.0\r\n\r\n`, served);
        expect([path, statusOf(answer)]).toEqual([path, 400]);
        expect(answer).toContain('application/problem+json');
      }
      for (const method of ['POST', 'DELETE', 'OPTIONS', 'CONNECT', 'TRACE']) {
        const answer = await answerTo(`${method} /readyz HTTP/1.0\r\n\r\n`, served);
        expect([method, statusOf(answer)]).toEqual([method, 400]);
      }
      expect(
        statusOf(await answerTo('GET /livez HTTP/1.0\r\nHost: localhost\r\n\r\n', served)),
      ).toBe(200);
    });

    test(`malformed ones are refused: ${name}`, async () => {
      for (const host of malformed) {
        const answer = await answerTo(`GET /tables HTTP/1.1\r\nHost: ${host}\r\n\r\n`, served);
        expect([host, [400, 403].includes(statusOf(answer))]).toEqual([host, true]);
      }
    });
  }
});

describe('probes of HTTP/1.0 without a host', () => {
  const probes = ['/livez', '/readyz', '/startupz', '/healthz'];

  for (const [name, served] of Object.entries({ loopback, exposed })) {
    test(`are answered, and the connection ends: ${name}`, async () => {
      for (const path of [...probes, '/readyz?from=balancer']) {
        const client = await served.connect();
        client.send(`GET ${path} HTTP/1.0\r\n\r\n`);
        const answer = await client.closed;
        expect([path, statusOf(answer)]).toEqual([path, 200]);
        expect(answer).toContain('{"');
      }
      const client = await served.connect();
      client.send('HEAD /readyz HTTP/1.0\r\nConnection: close\r\n\r\n');
      const head = await client.closed;
      expect([statusOf(head), head.endsWith('\r\n\r\n')]).toEqual([200, true]);
    });
  }

  test('fail as any other probe does, and are no completed requests of the log', async () => {
    const completed: string[] = [];
    const failing = serveHandler({
      lifecycle: { ...lifecycle, ready: () => 'draining' },
      onCompleted: ({ url }, { status }) => void completed.push(`${url} ${status}`),
    });
    const answer = await answerTo('GET /readyz HTTP/1.0\r\n\r\n', failing);
    expect([statusOf(answer), answer.includes('"draining"')]).toEqual([503, true]);
    await answerTo('GET /livez HTTP/1.0\r\n\r\n', failing);
    expect(completed).toEqual(['http://localhost/readyz 503']);
    await failing.server.stop(true);
  });
});

test('a loopback listener answers to loopback in every spelling, and to nothing else', async () => {
  const hosts = [
    'LOCALHOST',
    'localhost.:80',
    '127.1:7237',
    '[::ffff:127.0.0.1]:80',
    '[::1]:',
    '0x7f.1',
  ];
  for (const host of hosts) {
    const answer = await answerTo(`GET /livez HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    expect([host, statusOf(answer)]).toEqual([host, 200]);
  }
  for (const host of [
    '10.1',
    '[::ffff:10.0.0.1]',
    '127.0.0.1.evil.example',
    '::1',
    'localhost:1:2',
  ]) {
    const answer = await answerTo(`GET /livez HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    expect([host, [400, 403].includes(statusOf(answer))]).toEqual([host, true]);
  }
});

test('a host of one letter is a host', async () => {
  for (const path of ['/livez', '/schema/transitions', '/nothing/livez']) {
    const answer = await answerTo(`GET ${path} HTTP/1.1\r\nHost: d\r\n\r\n`, exposed);
    expect([path, statusOf(answer)]).toEqual([path, path.startsWith('/nothing') ? 404 : 200]);
  }
});

test('the host of an absolute target counts for nothing', async () => {
  const target = 'GET http://evil.example/livez HTTP/1.1\r\n';
  expect(statusOf(await answerTo(`${target}Host: localhost\r\n\r\n`))).toBe(200);
  expect(statusOf(await answerTo(`${target}Host: evil.example\r\n\r\n`))).toBe(403);
});

describe('methods that a listener lets through', () => {
  for (const method of ['TRACE', 'CONNECT', 'PROPFIND']) {
    test(method, async () => {
      expect(statusOf(await answerTo(head(method, '/execute')))).toBe(405);
      expect(statusOf(await answerTo(head(method, '/nothing')))).toBe(404);
    });
  }

  test('CONNECT to another host', async () => {
    const answer = await answerTo('CONNECT evil.example:443 HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect(statusOf(answer)).toBe(400);
  });
});

/** The seconds that the socket of each request is given after its answer. */
async function secondsKept(options: { readonly keepAliveMs?: number }, requests: Request[]) {
  const { world } = loopback;
  const { handle } = createHandler({
    lifecycle,
    limits: testLimits,
    random: world.random,
    clock: world.clock,
    scheduler: world.scheduler,
    loopbackOnly: true,
    onInternalError: () => {},
    ...options,
  });
  const kept: number[] = [];
  const sockets = {
    timeout: (_request: Request, seconds: number) => void kept.push(seconds),
    requestIP: () => null,
  };
  for (const request of requests) await handle(request, sockets);
  return kept;
}

describe('the time that a connection may be idle', () => {
  const live = () => new Request('http://localhost/livez');

  // Four seconds more: the first tick of the runtime's timer comes early.
  test('is 75 s after each answer, refusals included', async () => {
    const answered = ['/livez', '/tables', '/nothing'].map(
      (path) => new Request(`http://localhost${path}`),
    );
    const refused = new Request('http://localhost/tables', { headers: { host: 'evil.example' } });
    expect(await secondsKept({}, [...answered, refused])).toEqual([79, 79, 79, 79]);
  });

  test('is never shorter than the option', async () => {
    for (const [keepAliveMs, seconds] of [
      [1000, 5],
      [1001, 6],
      [236_000, 240],
      // Beyond four minutes the timer counts whole minutes.
      [237_000, 300],
      [620_000, 720],
      [3_600_000, 3660],
    ] as const) {
      expect([keepAliveMs, await secondsKept({ keepAliveMs }, [live()])]).toEqual([
        keepAliveMs,
        [seconds],
      ]);
    }
  });
});
