/** A server with a place for what programs have no memory for. */

import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemWorld } from '#base';
import { type LogFields, RefusedOption } from '#server';
import { spillOpener } from '../../src/server/spill-space.ts';
import { outcomeOf } from '../support/outcome.ts';
import { startTestServer, type TestServer } from './test-server.ts';

const place = mkdtempSync(join(tmpdir(), 'svc-spill-'));
afterAll(() => rmSync(place, { recursive: true }));

const columns = [
  { name: 'id', type: 'int64' },
  { name: 'name', type: 'text' },
];

const execute = (server: TestServer, statement: object) =>
  send(server, { statements: [statement] });

async function send({ port }: TestServer, program: object) {
  const response = await fetch(`http://127.0.0.1:${port}/execute`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(program),
  });
  return (await response.json()) as {
    readonly result?: unknown;
    readonly reason?: string;
    readonly detail?: string;
  };
}

/** Some 6 MB of rows, in batches that fit into a program. */
async function fill(server: TestServer): Promise<void> {
  const table = { name: 'item', columns, primary_key: ['id'] };
  await execute(server, { kind: 'create_table', name: 'q', table });
  for (let from = 0; from < 4000; from += 50) {
    const rows = Array.from({ length: 50 }, (_, i) => {
      const id = from + i;
      return [`${id}`, `${(id * 7919) % 4000} ${'x'.repeat(1500)}`];
    });
    const relation = {
      nodes: { r: { kind: 'rows', scope: 'r', columns, rows } },
      root: { node: 'r', cardinality: 'many' },
    };
    await execute(server, { kind: 'create', name: 'q', table: 'item', relation });
  }
}

/** The id of the last row by name. */
const lastByName = {
  kind: 'query',
  name: 'q',
  relation: {
    nodes: {
      s: { kind: 'scan', table: 'item', scope: 'i' },
      o: {
        kind: 'order',
        input: 's',
        terms: [{ expr: { kind: 'col', scope: 'i', column: 'name' } }],
      },
      a: {
        kind: 'aggregate',
        input: 'u',
        scope: 'a',
        aggs: [{ fn: 'max', as: 'id', arg: { kind: 'col', scope: 'i', column: 'id' } }],
      },
      u: { kind: 'slice', input: 'o', offset: 3999 },
    },
    root: { node: 'a', cardinality: 'exactly_one' },
  },
};

test('a sort beyond the memory of its program', async () => {
  const limits = { 'program-memory-mib': '2' };
  await using server = await startTestServer({ ...limits, 'spill-path': place });
  await server.server.opened;
  await fill(server);
  const { result } = await execute(server, lastByName);
  const names = Array.from({ length: 4000 }, (_, id) => `${(id * 7919) % 4000} x`);
  const last = names.indexOf(names.toSorted().at(-1) as string);
  expect(result).toEqual({ id: last });
  expect(readdirSync(place)).toEqual([]);
});

test('a sort beyond the memory of its program, with the defaults', async () => {
  await using server = await startTestServer({ 'program-memory-mib': '2' });
  await server.server.opened;
  await fill(server);
  expect((await execute(server, lastByName)).result).toBeDefined();
  expect(readdirSync(join(server.directory, 'tmp', 'spill'))).toEqual([]);
  const metrics = await (await fetch(`http://127.0.0.1:${server.port}/metrics`)).text();
  const value = (name: string) => Number(new RegExp(`^${name} (.+)$`, 'm').exec(metrics)?.[1]);
  expect(value('svc_program_spill_written_bytes_total')).toBeGreaterThan(2 << 20);
  expect(value('svc_program_spill_limit_bytes')).toBeGreaterThan(2 << 20);
});

test.each(['store', 'temporary'] as const)(
  'a default directory (%s) that takes no files is named in the log, and nothing spills',
  (kind) => {
    const file = join(place, `a file instead of ${kind}`);
    writeFileSync(file, '');
    const lines: [string, string, LogFields | undefined][] = [];
    const log = {
      has: () => true,
      write: (...line: (typeof lines)[number]) => void lines.push(line),
    };
    const configuration = {
      path: join(file, 'spill'),
      place: kind,
      limitBytes: undefined,
      reserve: undefined,
    };
    const open = spillOpener(configuration, systemWorld().random, log);
    expect(lines).toEqual([]);
    expect(open()).toBeUndefined();
    expect(lines).toMatchObject([['warn', 'spill.unavailable', { path: configuration.path }]]);
  },
);

test('a temporary directory is only for this user', () => {
  const path = join(place, 'own', 'svc-spill');
  const log = { has: () => true, write: () => {} };
  const configuration = {
    path,
    place: 'temporary',
    limitBytes: 1 << 20,
    reserve: undefined,
  } as const;
  expect(spillOpener(configuration, systemWorld().random, log)()?.limitBytes).toBe(1 << 20);
  expect(statSync(path).mode & 0o777).toBe(0o700);
});

test('the reserve of a store counts on its own file system', () => {
  const path = join(place, 'reserved');
  const log = { has: () => true, write: () => {} };
  const open = (of: string) =>
    spillOpener(
      { path, place: 'store', limitBytes: undefined, reserve: { path: of, bytes: 2 ** 60 } },
      systemWorld().random,
      log,
    )();
  expect(open(join(place, 'of a store that is not there yet'))?.limitBytes).toBe(0);
  expect(open('/proc/self')?.limitBytes).toBeGreaterThan(0);
});

test('a spill that finds the disk full ends its program, and nothing else', async () => {
  await using server = await startTestServer({ 'program-memory-mib': '2', 'spill-limit-mib': '1' });
  await server.server.opened;
  await fill(server);
  const refused = await execute(server, lastByName);
  expect(refused.reason).toBe('memory_limit');
  expect(refused.detail).toContain('all programs together may use 1 MiB, by --spill-limit-mib');
  const rows = { id: '5000', name: 'written after it' };
  const relation = {
    nodes: { r: { kind: 'rows', scope: 'r', columns, rows: [Object.values(rows)] } },
    root: { node: 'r', cardinality: 'many' },
  };
  const written = await execute(server, { kind: 'create', name: 'q', table: 'item', relation });
  expect(written.reason).toBeUndefined();
  const metrics = await (await fetch(`http://127.0.0.1:${server.port}/metrics`)).text();
  expect(metrics).toContain('svc_program_spill_used_bytes 0');
  expect(metrics).toContain('svc_program_spill_refused_total 1');
});

test('off, a program ends with its memory', async () => {
  await using server = await startTestServer({ 'program-memory-mib': '2', 'spill-path': 'off' });
  await server.server.opened;
  await fill(server);
  expect((await execute(server, lastByName)).reason).toBe('memory_limit');
});

test('a place that takes no files is refused before the server listens', async () => {
  const occupied = join(place, 'occupied');
  writeFileSync(occupied, '');
  const start = startTestServer({ 'spill-path': occupied });
  expect(await outcomeOf(start)).toThrow(RefusedOption);
  expect(await outcomeOf(start)).toThrow('--spill-path is "');
});

/** Writes each name again. */
const rename = {
  kind: 'update',
  name: 'rename',
  table: 'item',
  relation: {
    nodes: { s: { kind: 'scan', table: 'item', scope: 'i' } },
    root: { node: 's', cardinality: 'many' },
  },
};

test('a mutation whose changed rows are too many for the response names the remedy', async () => {
  await using server = await startTestServer({ 'program-memory-mib': '2' });
  await server.server.opened;
  await fill(server);
  const refused = await execute(server, rename);
  expect(refused).toMatchObject({
    reason: 'memory_limit',
    detail: expect.stringContaining('add a query to the program and name it in "result"'),
  });
  const rows = [['true']];
  const relation = {
    nodes: { r: { kind: 'rows', scope: 'r', columns: [{ name: 'done', type: 'bool' }], rows } },
    root: { node: 'r', cardinality: 'exactly_one' },
  };
  const done = { kind: 'query', name: 'done', relation };
  const written = await send(server, { statements: [rename, done], result: 'done' });
  expect(written).toMatchObject({ result: { done: true }, statements: [{ affected: 4000 }, {}] });
});
