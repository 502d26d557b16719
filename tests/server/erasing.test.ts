/** The admin listener: erasing the workload corpus (docs/corpus.md), from the bytes of a store as well. */

import { afterEach, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../support/manual-world.ts';
import { outcomeOf } from '../support/outcome.ts';
import { eventually, startTestServer, type TestServer } from './test-server.ts';

const path = '/api/statistics/corpus';
const secret = 'captured-literal-4711';
const capturing = { 'capture-workload-corpus': 'true' };

const directories: string[] = [];
afterEach(() => {
  for (const one of directories.splice(0)) rmSync(one, { recursive: true, force: true });
});

function directory(): string {
  const made = mkdtempSync(join(tmpdir(), 'svc-erasing-'));
  directories.push(made);
  return made;
}

function adminOf({ events }: TestServer): string | undefined {
  const started = events.find(({ fields }) => fields?.['listener'] === 'admin');
  return started && `http://${started.fields?.['address']}`;
}

async function ask(
  server: TestServer,
  below = '',
  init: RequestInit = {},
): Promise<{ readonly status: number; readonly json: Readonly<Record<string, unknown>> }> {
  const response = await fetch(adminOf(server) + path + below, { method: 'DELETE', ...init });
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
}

async function post({ server }: TestServer, target: string, body: unknown): Promise<void> {
  const response = await fetch(server.url + target, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect([response.status, await response.text()]).toEqual([200, expect.anything()]);
}

const relation = (value: string) => ({
  nodes: {
    r: {
      kind: 'rows',
      scope: 'r',
      columns: [{ name: 'a', type: 'text', nullable: false }],
      rows: [[value]],
    },
  },
  root: { node: 'r', cardinality: 'exactly_one' },
});
const asking = (value: string) => ({
  statements: [{ kind: 'query', name: 'q', relation: relation(value) }],
});
const creating = (value: string) => ({
  statements: [{ kind: 'create', name: 'c', table: 't', relation: relation(value) }],
});
const table = { name: 't', columns: [{ name: 'a', type: 'text' }], primary_key: ['a'] };

/** As the store names a program without blanks whose members are sorted. */
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32);
const sorted = (value: string) =>
  `{"statements":[{"kind":"query","name":"q","relation":{"nodes":{"r":{"columns":[{"name":"a","nullable":false,"type":"text"}],"kind":"rows","rows":[["${value}"]],"scope":"r"}},"root":{"cardinality":"exactly_one","node":"r"}}}]}`;

async function maintenance(server: TestServer) {
  const { json } = await server.get('/statistics');
  return (json as { corpus: { maintenance: Record<string, number> } }).corpus.maintenance;
}

/** Whether a file has been moved or removed between the listing and the reading. */
const hasGone = (error: unknown) => (error as { readonly code?: unknown }).code === 'ENOENT';

/** Files of the store that hold the text: segments of the log, tables, manifests, all there are. Reads them again where one has gone meanwhile. */
function holders(place: string, text: string): string[] {
  for (;;) {
    try {
      return holdersNow(place, text);
    } catch (error) {
      if (!hasGone(error)) throw error;
    }
  }
}

function holdersNow(place: string, text: string): string[] {
  const files = readdirSync(place, { recursive: true, withFileTypes: true });
  return files
    .filter((it) => it.isFile())
    .map((it) => join(it.parentPath, it.name))
    .filter((file) => readFileSync(file).includes(text));
}

test('captured literals are gone from the bytes of the store after the next merge', async () => {
  const place = directory();
  const flags = {
    ...capturing,
    'storage-path': place,
    'store-flush-interval-ms': '1',
    'store-max-wal-flushes-before-l0-flush': '1',
  };
  const first = await startTestServer(flags);
  await first.server.opened;
  await post(first, '/tables', table);
  await post(first, '/execute', asking(secret));
  await first[Symbol.asyncDispose]();
  expect(holders(place, secret).length).toBeGreaterThan(0);

  await using server = await startTestServer(flags);
  await server.server.opened;
  let rows = 0;
  // Writes wait for merges by the clock of the server.
  const write = () => until(post(server, '/execute', creating(`row ${rows++}`)), server.world);
  const step = () => server.world.advance(50);
  // Into tables, as far from the log as it gets by itself.
  const isInTable = () => holders(place, secret).some((file) => file.includes('sst'));
  await eventually(async () => {
    await write();
    return isInTable();
  }, step);
  const { status, json } = await until(ask(server), server.world);
  expect(status).toBe(200);
  await eventually(async () => {
    await write();
    return holders(place, secret).length === 0;
  }, step);
  expect(await maintenance(server)).toMatchObject({
    erasedExecutions: json['executions'],
    erasedPrograms: json['programs'],
  });
  // Nothing moves any more.
  await server[Symbol.asyncDispose]();
  expect(holders(place, secret)).toEqual([]);
  expect(holders(place, 'row 0').length).toBeGreaterThan(0);
});

test('one program by its hash; what was not there, and what is no hash', async () => {
  await using server = await startTestServer(capturing);
  await server.server.opened;
  await post(server, '/execute', asking('a'));
  await post(server, '/execute', asking('b'));
  expect(await ask(server, `/${hashOf(sorted('a'))}`)).toEqual({
    status: 200,
    json: { deleted: 2, executions: 1, programs: 1 },
  });
  const gone = await ask(server, `/${hashOf(sorted('a'))}`);
  expect([gone.status, gone.json['reason']]).toEqual([404, 'not_found']);
  expect((await ask(server, '/xyz')).status).toBe(400);
  expect((await ask(server, `/${hashOf('')}/x`)).status).toBe(400);
  expect((await ask(server, '?all=true')).status).toBe(400);
  expect(await ask(server)).toMatchObject({ json: { executions: 1, programs: 1 } });
  expect(await ask(server)).toMatchObject({ status: 200, json: { deleted: 0 } });
  expect(await maintenance(server)).toMatchObject({ erasedExecutions: 2, erasedPrograms: 2 });
});

test('only DELETE, only here, and for no web page from elsewhere', async () => {
  await using server = await startTestServer(capturing);
  await server.server.opened;
  await post(server, '/execute', asking('a'));
  const refused = async (init: RequestInit) => (await ask(server, '', init)).status;
  expect(await refused({ method: 'GET' })).toBe(405);
  expect(await refused({ headers: { host: 'example.com' } })).toBe(403);
  expect(await refused({ headers: { origin: 'http://example.com' } })).toBe(403);
  expect(await refused({ headers: { 'sec-fetch-site': 'cross-site' } })).toBe(403);
  expect((await fetch(`${adminOf(server)}/statistics`)).status).toBe(404);
  expect((await fetch(server.server.url + path, { method: 'DELETE' })).status).toBe(404);
  expect(await ask(server)).toMatchObject({ status: 200, json: { programs: 1 } });
});

test('a writer that keeps no programs erases what an earlier one has kept; a reader does not', async () => {
  const place = directory();
  const first = await startTestServer({ ...capturing, 'storage-path': place });
  await first.server.opened;
  await post(first, '/execute', asking('a'));
  await first[Symbol.asyncDispose]();
  const flags = { 'storage-path': place, 'admin-addr': '127.0.0.1:0' };
  await using writer = await startTestServer(flags);
  await writer.server.opened;
  await using reader = await startTestServer({ ...flags, role: 'read' });
  const step = () => {
    writer.world.advance(50);
    reader.world.advance(50);
  };
  await eventually(async () => (await ask(reader)).status !== 503, step);
  expect(await ask(reader)).toMatchObject({ status: 409, json: { reason: 'read_only' } });
  expect(await ask(writer)).toMatchObject({ json: { deleted: 2, executions: 1, programs: 1 } });
  expect(await ask(writer)).toMatchObject({ json: { deleted: 0 } });
});

test('where it listens: nowhere by default, on the next port where programs are kept', async () => {
  await using plain = await startTestServer();
  expect(adminOf(plain)).toBe(undefined);
  const none = startTestServer({ 'admin-addr': '0.0.0.0:7238' });
  expect(await outcomeOf(none)).toThrow('--admin-addr is "0.0.0.0:7238"');
  const bad = startTestServer({ 'admin-addr': 'nowhere' });
  expect(await outcomeOf(bad)).toThrow('a loopback address');
  const taken = startTestServer({ 'admin-addr': `127.0.0.1:${plain.port}` });
  expect(await outcomeOf(taken)).toThrow('the address is in use');
});

test('the next port is taken: the server starts without, and says so', async () => {
  // Of two neighbours that are free the upper one is held.
  for (;;) {
    const lower = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() });
    const { port } = lower;
    let upper: ReturnType<typeof Bun.serve> | undefined;
    try {
      upper = Bun.serve({
        port: Number(port) + 1,
        hostname: '127.0.0.1',
        fetch: () => new Response(),
      });
    } catch {
      // Somebody else has it, which is as good.
    }
    await lower.stop(true);
    const addr = `127.0.0.1:${port}`;
    const started = await startTestServer({ ...capturing, addr }).catch(() => undefined);
    if (started !== undefined) {
      await started.server.opened;
      expect(started.events.map(({ event }) => event)).toContain('admin.unavailable');
      expect((await started.get('/readyz')).status).toBe(200);
      await started[Symbol.asyncDispose]();
    }
    await upper?.stop(true);
    if (started !== undefined) return;
  }
});
