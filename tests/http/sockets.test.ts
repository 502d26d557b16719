/** What only a real connection shows: large and broken bodies, 100-continue, connections that go on after a refusal. */

import { afterAll, describe, expect, test } from 'bun:test';
import { systemWorld } from '#base';
import { readConfiguration, Server } from '#server';
import { openRawClient } from '../support/raw-client.ts';

const mib = 1 << 20;
const events: string[] = [];
const log = { has: () => false, write: (_level: string, event: string) => void events.push(event) };
const flags = { addr: '127.0.0.1:0', storage: 'memory' };
const server = new Server(readConfiguration(flags, {}), systemWorld(), log);
await server.opened;
const port = Number(new URL(server.url).port);
afterAll(() => server.stop());

const head = (method: string, path: string, ...headers: string[]) =>
  `${[`${method} ${path} HTTP/1.1`, 'host: localhost', 'content-type: application/json', ...headers].join('\r\n')}\r\n\r\n`;
const block = Buffer.alloc(mib, 'x');
const chunkOf = (bytes: number) => `${bytes.toString(16)}\r\n`;

/** Statuses of the answers in what was received. */
function statuses(received: string): string[] {
  return [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map((match) => match[1] as string);
}

describe('a body that is too large is a problem, and the connection goes on', () => {
  for (const sizeMib of [5, 200]) {
    test(`${sizeMib} MiB with its length`, async () => {
      const client = await openRawClient(port);
      client.send(head('POST', '/execute', `content-length: ${sizeMib * mib}`));
      const refused = await client.until('4194304 bytes');
      expect(statuses(refused)).toEqual(['413']);
      expect(refused).toContain('application/problem+json');
      for (let i = 0; i < sizeMib; i++) client.send(block);
      client.send(head('GET', '/livez'));
      expect(statuses(await client.until('"live"'))).toEqual(['413', '200']);
      client.end();
    });

    test(`${sizeMib} MiB in chunks`, async () => {
      const client = await openRawClient(port);
      client.send(head('POST', '/execute', 'transfer-encoding: chunked'));
      for (let i = 0; i < sizeMib; i++) {
        client.send(chunkOf(mib));
        client.send(block);
        client.send('\r\n');
      }
      client.send(`0\r\n\r\n${head('GET', '/livez')}`);
      expect(statuses(await client.until('"live"'))).toEqual(['413', '200']);
      client.end();
    });
  }
});

test('a body of exactly the limit is read, with its length and in chunks', async () => {
  const body = '{"statements":[]}'.padEnd(4 * mib);
  for (const framed of [
    head('POST', '/execute', `content-length: ${body.length}`) + body,
    `${head('POST', '/execute', 'transfer-encoding: chunked')}${chunkOf(body.length)}${body}\r\n0\r\n\r\n`,
  ]) {
    const client = await openRawClient(port);
    client.send(framed);
    expect(statuses(await client.until('schema_violation'))).toEqual(['400']);
    client.end();
  }
});

const continued = 'HTTP/1.1 100 Continue\r\n\r\n';

describe('a client that waits for 100 Continue', () => {
  const spellings = ['100-continue', '100-Continue', '100-CONTINUE', ' 100-Continue '];
  for (const expected of spellings) {
    test(`is invited to send by "${expected}", once`, async () => {
      const client = await openRawClient(port);
      // The second request is on a connection that is known.
      for (const _ of [1, 2]) {
        client.forget();
        client.send(head('POST', '/execute', `Expect: ${expected}`, 'content-length: 2'));
        expect(await client.until('\r\n\r\n')).toBe(continued);
        client.send('{}');
        expect(statuses(await client.until('schema_violation'))).toEqual(['100', '400']);
      }
      client.end();
    });
  }

  test('is invited to send a body in chunks', async () => {
    const client = await openRawClient(port);
    const chunked = 'transfer-encoding: chunked';
    client.send(head('POST', '/execute', 'expect: 100-Continue', chunked));
    expect(await client.until('\r\n\r\n')).toBe(continued);
    client.send('2\r\n{}\r\n0\r\n\r\n');
    expect(statuses(await client.until('schema_violation'))).toEqual(['100', '400']);
    client.end();
  });

  test('is not invited by anything else', async () => {
    const client = await openRawClient(port);
    client.send(`${head('POST', '/execute', 'expect: 100-continues', 'content-length: 2')}{}`);
    expect(statuses(await client.until('schema_violation'))).toEqual(['400']);
    client.end();
  });

  const refused = {
    'that is too large': ['413', 'POST', '/execute', `content-length: ${5 * mib}`],
    'of an encoding': ['415', 'POST', '/execute', 'content-encoding: gzip'],
    'to a path that is not there': ['404', 'POST', '/nothing', 'content-length: 2'],
    'by a method that is not there': ['405', 'PUT', '/tables', 'content-length: 2'],
    'with a deadline that is none': ['400', 'POST', '/execute', 'svc-deadline-ms: soon'],
  } as const;
  for (const [name, [status, method, path, header]] of Object.entries(refused)) {
    test(`is refused without the body ${name}`, async () => {
      const client = await openRawClient(port);
      client.send(head(method, path, 'expect: 100-Continue', header));
      const received = await client.until('"status"');
      expect(statuses(received)).toEqual([status]);
      expect(received).toContain('application/problem+json');
      client.end();
    });
  }

  test('is refused without the body of another media type', async () => {
    const client = await openRawClient(port);
    const lines = ['host: localhost', 'content-type: text/plain', 'Expect: 100-Continue'];
    client.send(`POST /execute HTTP/1.1\r\n${lines.join('\r\n')}\r\ncontent-length: 2\r\n\r\n`);
    expect(statuses(await client.until('"status"'))).toEqual(['415']);
    client.end();
  });

  // docs/http.md: the runtime invites these before the request is looked at.
  test('in lower case alone is invited in any case, and refused then', async () => {
    const client = await openRawClient(port);
    client.send(head('POST', '/execute', 'expect: 100-continue', `content-length: ${5 * mib}`));
    const received = await client.until('4194304 bytes');
    expect(received).toStartWith(`${continued}HTTP/1.1 413 Payload Too Large\r\n`);
    client.end();
  });
});

test('a refusal that never looked at the body leaves the connection usable', async () => {
  const client = await openRawClient(port);
  const refused = [
    head('PUT', '/tables', 'content-length: 3'),
    head('POST', '/nothing', 'content-length: 3'),
    head('POST', '/execute', 'content-encoding: gzip', 'content-length: 3'),
  ];
  for (const request of refused) client.send(`${request}abc`);
  client.send(head('GET', '/livez'));
  expect(statuses(await client.until('"live"'))).toEqual(['405', '404', '415', '200']);
  client.end();
});

test('a client that goes away in the middle of its body is no incident', async () => {
  const client = await openRawClient(port);
  client.send(head('POST', '/execute', 'expect: 100-continue', 'content-length: 10'));
  await client.until('100 Continue');
  client.send('{"a');
  client.end();
  await client.closed;
  expect((await fetch(`${server.url}/livez`)).status).toBe(200);
  expect(events).not.toContain('request.failed');
});

test('HEAD tells the length of GET and sends no body', async () => {
  const client = await openRawClient(port);
  client.send(head('HEAD', '/livez') + head('GET', '/info'));
  const received = await client.until('"location"');
  expect(statuses(received)).toEqual(['200', '200']);
  expect(received.slice(0, received.indexOf('HTTP', 1))).toMatch(/content-length: 17\r\n/i);
  expect(received).not.toContain('"live"');
  client.end();
});

test('QUERY over the wire, with an entity tag and without a body the second time', async () => {
  const body = `{"nodes":{"r":{"kind":"rows","scope":"r","columns":[{"name":"n","type":"int64"}],"rows":[["1"]]}},"root":{"node":"r","cardinality":"first"}}`;
  const ask = (headers: Record<string, string>) =>
    fetch(`${server.url}/execute`, {
      method: 'QUERY',
      body,
      headers: { 'content-type': 'application/vnd.svc.lir+json', ...headers },
    });
  const first = await ask({});
  expect([first.status, await first.text()]).toEqual([200, '{"n":1}']);
  const second = await ask({ 'if-none-match': first.headers.get('etag') as string });
  expect([second.status, await second.text()]).toEqual([304, '']);
  expect(second.headers.get('accept-query')).toBe('"application/vnd.svc.lir+json"');
});

test('requests on one connection are answered in their order', async () => {
  const client = await openRawClient(port);
  client.send(head('GET', '/livez') + head('GET', '/nothing') + head('GET', '/readyz'));
  const received = await client.until('"serving"');
  expect(statuses(received)).toEqual(['200', '404', '200']);
  client.end();
});
