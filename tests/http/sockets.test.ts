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

describe('expect: 100-continue', () => {
  test('is invited to send', async () => {
    const client = await openRawClient(port);
    client.send(head('POST', '/execute', 'expect: 100-continue', 'content-length: 2'));
    await client.until('100 Continue');
    client.send('{}');
    expect(statuses(await client.until('schema_violation'))).toEqual(['100', '400']);
    client.end();
  });

  test('is refused without the body when that would be too large', async () => {
    const client = await openRawClient(port);
    client.send(head('POST', '/execute', 'expect: 100-continue', `content-length: ${5 * mib}`));
    expect(statuses(await client.until('4194304 bytes')).at(-1)).toBe('413');
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
