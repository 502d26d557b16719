/** Requests without a valid token that have a body: which of them keep their connection. */

import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { drawKey } from '#access';
import { systemWorld } from '#base';
import { readConfiguration, Server } from '#server';
import { openRawClient } from '../support/raw-client.ts';

const directory = mkdtempSync(join(tmpdir(), 'svc-refused-bodies-'));
const keyFile = join(directory, 'key');
writeFileSync(keyFile, drawKey(systemWorld().random).text, { mode: 0o600 });
const log = { has: () => false, write: () => {} };
const flags = {
  addr: '127.0.0.1:0',
  storage: 'memory',
  auth: 'keys',
  'auth-bootstrap-key-file': keyFile,
};
const server = new Server(readConfiguration(flags, {}), systemWorld(), log);
await server.opened;
const port = Number(new URL(server.url).port);
afterAll(async () => {
  await server.stop();
  rmSync(directory, { recursive: true });
});

const head = (...headers: string[]) =>
  `${['POST /execute HTTP/1.1', 'host: localhost', 'authorization: Bearer wrong', ...headers].join('\r\n')}\r\n\r\n`;
const probe = 'GET /livez HTTP/1.1\r\nhost: localhost\r\n\r\n';

function statuses(received: string): string[] {
  return [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map((match) => match[1] as string);
}

describe('a connection goes on after a refused request', () => {
  test.each([
    ['without a body', head()],
    ['with an empty body', head('content-length: 0')],
    ['with a body of two bytes', `${head('content-length: 2')}{}`],
    ['with a body that looks like a request', `${head(`content-length: ${probe.length}`)}${probe}`],
  ])('%s', async (_, request) => {
    const client = await openRawClient(port);
    client.send(request);
    const refused = await client.until('invalid_token');
    expect(refused.toLowerCase()).not.toContain('connection: close');
    client.send(probe);
    expect(statuses(await client.until('"live"'))).toEqual(['401', '200']);
    client.end();
  });
});

describe('a connection is closed if the body of a refused request', () => {
  test.each([
    ['has not arrived', head('content-length: 2')],
    ['is not complete', `${head('content-length: 3')}{}`],
    ['is large', `${head(`content-length: ${(64 << 10) + 1}`)}${'x'.repeat((64 << 10) + 1)}`],
    ['has no declared length', `${head('transfer-encoding: chunked')}2\r\n{}\r\n0\r\n\r\n`],
    ['is sent only when the server asks for it', head('content-length: 2', 'expect: 100-Continue')],
  ])('%s', async (_, request) => {
    const client = await openRawClient(port);
    client.send(request);
    const received = await client.closed;
    expect(statuses(received)).toEqual(['401']);
    expect(received.toLowerCase()).toContain('connection: close');
  });
});

test('all refused requests get the same response', async () => {
  const responses = new Set<string>();
  for (const request of [head(), `${head('content-length: 2')}{}`, head()]) {
    const client = await openRawClient(port);
    client.send(request);
    const received = await client.until('valid now"}');
    responses.add(received.replace(/^date: .*\r\n/im, ''));
    client.end();
  }
  expect(responses.size).toBe(1);
});
