/** A reader tells its writer what it has executed (docs/relay.md), and hostile neighbours of the internal listener. */

import { expect, test } from 'bun:test';
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { textOf } from '../relay/support.ts';
import { until } from '../support/manual-world.ts';
import { outcomeOf } from '../support/outcome.ts';
import { eventually, startTestServer, type TestServer } from './test-server.ts';

const token = 'a'.repeat(16) + 'B'.repeat(16);

function tokenFile(content = token, mode = 0o600): string {
  const path = join(mkdtempSync(join(tmpdir(), 'svc-relay-')), 'token');
  writeFileSync(path, `${content}\n`);
  chmodSync(path, mode);
  return path;
}

const writing = () =>
  startTestServer({
    'internal-addr': '127.0.0.1:0',
    'relay-token-file': tokenFile(),
    'statement-timeout-ms': '0',
  });

function internalOf(server: TestServer): string {
  const started = server.events.find((it) => it.fields?.['listener'] === 'internal');
  return `http://${started?.fields?.['address']}`;
}

async function tell(
  server: TestServer,
  body: string | undefined,
  {
    authorization = `Bearer ${token}`,
    path = '/internal/statistics/observations',
    method = 'POST',
  } = {},
): Promise<string> {
  const sent = { method, headers: { authorization }, ...(body === undefined ? {} : { body }) };
  const response = await fetch(internalOf(server) + path, sent);
  const { reason } = (await response.json()) as { reason: string };
  return `${response.status} ${reason}`;
}

interface Shown {
  readonly absorbed: number;
  readonly relay: Record<string, unknown>;
  readonly models: readonly { kind: string; family: string; retainedExecutions: number }[];
}

const statistics = async (server: TestServer) => (await server.get('/statistics')).json as Shown;

async function post(server: TestServer, path: string, body: unknown): Promise<number> {
  const response = await fetch(server.server.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  await response.text();
  return response.status;
}

const table = {
  name: 't',
  columns: [
    { name: 'id', type: 'int64' },
    { name: 'n', type: 'int64' },
  ],
  primary_key: ['id'],
};

const filtered = (n: number) => ({
  statements: [
    {
      kind: 'query',
      name: 'q',
      relation: {
        nodes: {
          s: { kind: 'scan', table: 't', scope: 's' },
          o: {
            kind: 'order',
            input: 'f',
            terms: [{ expr: { kind: 'col', scope: 's', column: 'id' } }],
          },
          f: {
            kind: 'filter',
            input: 's',
            predicate: {
              kind: 'binary',
              op: 'gt',
              left: { kind: 'col', scope: 's', column: 'n' },
              right: { kind: 'lit', value: { type: 'int64', value: `${n}` } },
            },
          },
        },
        root: { node: 'o', cardinality: 'many' },
      },
    },
  ],
  result: 'q',
});

/** A reader that shows what the writer has made. */
async function reading(
  writer: TestServer,
  target: string,
  content = token,
): Promise<TestServer & { readonly step: () => void }> {
  const reader = await startTestServer({
    role: 'read',
    'storage-path': writer.directory,
    'statement-timeout-ms': '0',
    'relay-target': target,
    'relay-token-file': tokenFile(content),
    'instance-id': 'reader-0',
  });
  // An answer takes turns of the event loop, more of them on a busy machine: it must not seem to take the seconds after which a batch is given up.
  const step = () => {
    writer.world.advance(50);
    reader.world.advance(50);
  };
  await eventually(async () => (await post(reader, '/execute', filtered(0))) === 200, step);
  return Object.assign(reader, { step });
}

async function database(): Promise<TestServer> {
  const writer = await writing();
  await writer.server.opened;
  expect(await post(writer, '/tables', table)).toBe(200);
  return writer;
}

test('what a reader executes arrives in the models of the writer; without the writer its answers are the same', async () => {
  const writer = await database();
  await using reader = await reading(writer, internalOf(writer));
  const { step } = reader;
  for (let n = 2; n < 12; n++) expect(await post(reader, '/execute', filtered(n))).toBe(200);
  const merged = async () => Number((await statistics(writer)).relay['mergedObservations']);
  await eventually(async () => (await merged()) >= 11, step);
  const [shown, told] = [await statistics(writer), await statistics(reader)];
  expect(shown.relay).toMatchObject({ sources: 1, refusedStaleFamilies: 0, receivedRejected: 0 });
  expect(shown.relay['state']).toBe(undefined);
  expect(told.relay).toMatchObject({ state: 'connected', abandoned: 0, rejected: 0 });
  expect(told.relay['sent']).toBe(shown.relay['received'] as number);
  const runs = (of: Shown) =>
    of.models
      .filter((it) => it.kind === 'statement')
      .map((it) => `${it.family} ${it.retainedExecutions}`);
  expect(runs(told).length).toBeGreaterThan(0);
  for (const one of runs(told)) expect(runs(shown)).toContain(one);
  await writer[Symbol.asyncDispose]();
  for (let n = 0; n < 20; n++) {
    expect(await post(reader, '/execute', filtered(n))).toBe(200);
    reader.world.advance(3_000);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  const isLosing = async () => Number((await statistics(reader)).relay['abandoned']) > 0;
  await eventually(isLosing, () => reader.world.advance(3_000));
  expect((await statistics(reader)).relay).toMatchObject({ rejected: 0 });
});

test('what a reader has not told yet goes out when it stops', async () => {
  await using writer = await database();
  const reader = await reading(writer, internalOf(writer));
  const stopped = reader.server.stop();
  await eventually(
    async () => (await statistics(writer)).relay['mergedObservations'] === 1,
    () => reader.world.advance(10),
  );
  await until(stopped, reader.world);
});

test('with another token nothing arrives, and the writer says so in its log', async () => {
  await using writer = await database();
  await using reader = await reading(writer, internalOf(writer), 'c'.repeat(32));
  // The clock of the writer stands still: then one line is all.
  const step = () => reader.world.advance(1_000);
  await eventually(async () => (await statistics(reader)).relay['state'] === 'losing', step);
  expect((await statistics(writer)).relay).toMatchObject({ received: 0, sources: 0 });
  expect(writer.events.filter((it) => it.event === 'relay.unauthorized').length).toBe(1);
  expect(reader.events.map((it) => it.event)).toContain('relay.losing');
});

test('tables that are others by now, and formats', async () => {
  await using writer = await database();
  expect(await tell(writer, textOf())).toBe('202 accepted');
  await eventually(async () => (await statistics(writer)).relay['refusedStaleFamilies'] === 1);
  expect(await tell(writer, textOf())).toBe('202 already_admitted');
  expect(await tell(writer, `\ufeff${textOf()}`)).toBe('202 already_admitted');
  expect(await tell(writer, textOf({ format: 2 }))).toBe('400 format_mismatch');
  expect((await statistics(writer)).relay).toMatchObject({
    received: 1,
    receivedAlreadyApplied: 2,
    receivedRejected: 1,
    mergedObservations: 0,
  });
});

test('the internal listener answers nobody without the token, and nothing but its route', async () => {
  await using writer = await writing();
  await writer.server.opened;
  for (const authorization of ['', 'Bearer', `Bearer ${token}x`, `Basic ${token}`, token]) {
    expect(await tell(writer, textOf(), { authorization })).toBe('401 unauthorized');
  }
  expect(await tell(writer, undefined, { path: '/statistics', method: 'GET' })).toBe(
    '404 not_found',
  );
  expect(await tell(writer, undefined, { method: 'GET' })).toBe('405 method_not_allowed');
  expect(await tell(writer, '')).toBe('400 malformed_batch');
  expect(await tell(writer, 'x'.repeat((4 << 20) + 1))).toBe('413 batch_too_large');
  const response = await fetch(`${writer.server.url}/internal/statistics/observations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: textOf(),
  });
  expect(response.status).toBe(404);
});

test('bodies that never come: eight are waited for, ten seconds, and nobody else is held up', async () => {
  await using writer = await writing();
  await writer.server.opened;
  const { port } = new URL(internalOf(writer));
  const answers: string[] = [];
  const head = `POST /internal/statistics/observations HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\ncontent-length: 1000\r\n\r\n{`;
  const sockets = Array.from({ length: 9 }, () => {
    const socket = connect(Number(port), '127.0.0.1', () => void socket.write(head));
    socket.on('data', (data) => void answers.push(String(data).split('\r\n', 1)[0] as string));
    socket.on('error', () => {});
    return socket;
  });
  await eventually(() => answers.length === 1);
  expect(answers).toEqual(['HTTP/1.1 429 Too Many Requests']);
  expect((await writer.get('/healthz')).status).toBe(200);
  await eventually(
    () => answers.length === 9,
    () => writer.world.advance(1_000),
  );
  expect(answers.slice(1)).toEqual(Array(8).fill('HTTP/1.1 408 Request Timeout'));
  expect(await tell(writer, textOf())).toBe('202 accepted');
  for (const socket of sockets) socket.destroy();
});

const refused: readonly (readonly [flags: Record<string, string>, message: string])[] = [
  [{ 'internal-addr': ':0' }, '--relay-token-file is not set'],
  [{ 'internal-addr': 'nowhere', 'relay-token-file': 'x' }, '--internal-addr is "nowhere"'],
  [{ 'internal-addr': ':0', role: 'read' }, 'only a writer receives statistics'],
  [{ 'relay-target': 'http://w:1' }, 'only with --role read'],
  [{ 'relay-target': 'w:1', 'relay-token-file': 'x', role: 'read' }, 'http:// or https://'],
  [
    { 'relay-target': 'http://w:1/x', 'relay-token-file': 'x', role: 'read' },
    'http:// or https://',
  ],
  [{ 'relay-token-file': 'x' }, '--internal-addr of a writer'],
  [{ 'internal-addr': '127.0.0.1:0', 'relay-token-file': '/nowhere/x' }, 'a file that can be read'],
  [{ 'internal-addr': '127.0.0.1:0', 'relay-token-file': tokenFile('short') }, '32 bytes or more'],
  [
    { 'internal-addr': '127.0.0.1:0', 'relay-token-file': tokenFile(`${token} x`) },
    'without white space',
  ],
  [
    { 'internal-addr': '127.0.0.1:0', 'relay-token-file': tokenFile('x'.repeat(5_000)) },
    'at most 4096',
  ],
  [{ 'internal-addr': '127.0.0.1:0', 'relay-token-file': tokenFile(token, 0o644) }, 'chmod 600'],
];

test.each(refused)('refused options %#', async (flags, message) => {
  const started = startTestServer({ 'storage-path': '/nowhere', ...flags });
  expect(await outcomeOf(started)).toThrow(message);
});
