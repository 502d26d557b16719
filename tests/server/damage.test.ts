/** A server whose store has a damaged table: it starts, names the file to whoever needs it, and serves all others. */

import { afterAll, expect, test } from 'bun:test';
import {
  copyFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, startTestServer } from './test-server.ts';

const root = mkdtempSync(join(tmpdir(), 'svc-damage-'));
afterAll(() => rmSync(root, { recursive: true }));

type TestServer = Awaited<ReturnType<typeof startTestServer>>;

const table = (name: string) => ({
  name,
  columns: [{ name: 'id', type: 'int64' }],
  primary_key: ['id'],
});

async function post(server: TestServer, path: string, body: unknown) {
  const response = await fetch(server.server.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
}

function create(name: string, from: number) {
  const columns = [{ name: 'id', type: 'int64' }];
  const rows = Array.from({ length: 200 }, (_, i) => [`${from + i}`]);
  const nodes = { r: { kind: 'rows', scope: 'r', columns, rows } };
  const relation = { nodes, root: { node: 'r', cardinality: 'many' } };
  return { statements: [{ kind: 'create', name: 'c', table: name, relation }] };
}

function count(name: string) {
  const nodes = {
    s: { kind: 'scan', table: name, scope: 's' },
    a: { kind: 'aggregate', input: 's', aggs: [{ as: 'n', fn: 'count' }] },
  };
  const relation = { nodes, root: { node: 'a', cardinality: 'exactly_one' } };
  return { statements: [{ kind: 'query', name: 'q', relation }] };
}

const flags = { 'store-max-wal-flushes-before-l0-flush': '3' };

/** The first flushed table holds the catalog and the rows of `t`; those of `u` are in others. */
const whole = await (async () => {
  const path = join(root, 'whole');
  await using running = await startTestServer({ ...flags, 'storage-path': path });
  await running.server.opened;
  // Flushes of the log count once in a while.
  const later = async (route: string, body: unknown) => {
    running.world.advance(200);
    await post(running, route, body);
  };
  for (const name of ['t', 'u']) await later('/tables', table(name));
  await later('/execute', create('t', 0));
  await eventually(() => readdirSync(join(path, 'sst')).length > 0);
  for (let i = 0; i < 3; i++) await later('/execute', create('u', i * 1000));
  await eventually(() => readdirSync(join(path, 'sst')).length > 1);
  return path;
})();
const [first, second] = readdirSync(join(whole, 'sst')).sort() as [string, string];

function flip(path: string, at: number): void {
  const bytes = readFileSync(path);
  const place = at < 0 ? bytes.length + at : at;
  bytes[place] = (bytes[place] as number) ^ 1;
  writeFileSync(path, bytes);
}

const damages: Readonly<Record<string, (file: string) => void>> = {
  // The block of the rows comes behind that of the catalog, before the index.
  'in a block': (file) => flip(file, Math.floor(statSync(file).size * 0.74)),
  'in the index': (file) => flip(file, -150),
  'in the footer': (file) => flip(file, -10),
  'cut short': (file) => truncateSync(file, 300),
  empty: (file) => truncateSync(file, 0),
  swapped: (file) => copyFileSync(join(whole, 'sst', second), file),
  missing: (file) => rmSync(file),
};

test.each(Object.keys(damages))('a table that is damaged: %s', async (how) => {
  const path = join(root, how.replaceAll(' ', '-'));
  cpSync(whole, path, { recursive: true });
  const file = join(path, 'sst', first);
  damages[how]?.(file);
  await using running = await startTestServer({ ...flags, 'storage-path': path });
  await running.server.opened;
  expect((await running.get('/readyz')).status).toBe(200);
  const needs = await post(running, '/execute', count('t'));
  expect([needs.status, needs.json.reason]).toEqual([500, 'storage_unavailable']);
  expect(String(needs.json.detail)).toContain(`sst/${first}`);
  expect(String(needs.json.detail)).toContain('restored from a backup');
  expect((await post(running, '/execute', count('u'))).json).toMatchObject({ result: { n: 600 } });
  expect((await post(running, '/execute', create('u', 9000))).status).toBe(200);
  await eventually(
    () => running.events.some(({ event }) => event === 'storage.damaged'),
    () => running.world.advance(1000),
  );
  const told = running.events.find(({ event }) => event === 'storage.damaged');
  expect(told?.fields).toMatchObject({ table: `sst/${first}` });
  expect((await running.get('/readyz')).status).toBe(200);
});
