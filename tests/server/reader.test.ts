/** A server that reads what another one writes (docs/readers.md, docs/cli.md). */

import { describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { outcomeOf } from '../support/outcome.ts';
import { eventually, startTestServer } from './test-server.ts';

type TestServer = Awaited<ReturnType<typeof startTestServer>>;

const table = {
  name: 't',
  columns: [
    { name: 'id', type: 'int64' },
    { name: 'n', type: 'int64' },
  ],
  primary_key: ['id'],
};

async function send(
  server: TestServer,
  method: string,
  path: string,
  body?: unknown,
  headers = {},
) {
  const type = method === 'QUERY' ? 'application/vnd.svc.lir+json' : 'application/json';
  const response = await fetch(server.server.url + path, {
    method,
    headers: { 'content-type': type, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const json = text === '' ? undefined : JSON.parse(text);
  return { status: response.status, etag: response.headers.get('etag') ?? '', json };
}

const rows = (id: number, n: number) => ({
  nodes: {
    r: {
      kind: 'rows',
      scope: 'r',
      columns: [
        { name: 'id', type: 'int64' },
        { name: 'n', type: 'int64' },
      ],
      rows: [[`${id}`, `${n}`]],
    },
  },
  root: { node: 'r', cardinality: 'many' },
});

const create = (id: number, n: number) => ({
  statements: [{ kind: 'create', name: 'c', table: 't', relation: rows(id, n) }],
  result: 'c',
});

const everything = {
  nodes: {
    s: { kind: 'scan', table: 't', scope: 's' },
    o: { kind: 'order', input: 's', terms: [{ expr: { kind: 'col', scope: 's', column: 'id' } }] },
    p: {
      kind: 'project',
      input: 'o',
      fields: ['id', 'n'].map((as) => ({ as, expr: { kind: 'col', scope: 's', column: as } })),
    },
  },
  root: { node: 'p', cardinality: 'many' },
};

/** A writer and a reader of one directory. The clock of the writer publishes, that of the reader polls. */
async function pair(...flags: Record<string, string>[]) {
  const writer = await startTestServer(flags[0]);
  await writer.server.opened;
  const reader = await startTestServer({
    role: 'read',
    'storage-path': writer.directory,
    ...flags[1],
  });
  let isOpen = false;
  const opened = reader.server.opened.finally(() => {
    isOpen = true;
  });
  opened.catch(() => {});
  const second = () => {
    writer.world.advance(1000);
    reader.world.advance(1000);
  };
  await eventually(() => isOpen, second);
  return {
    writer,
    reader,
    opened,
    second,
    [Symbol.asyncDispose]: async () => {
      await reader[Symbol.asyncDispose]();
      await writer[Symbol.asyncDispose]();
    },
  };
}

describe('start', () => {
  test('a reader waits for a store, and makes none', async () => {
    await using writer = await startTestServer({ storage: 'memory' });
    const path = join(writer.directory, 'later');
    await using reader = await startTestServer({ role: 'read', 'storage-path': path });
    reader.server.opened.catch(() => {});
    const told = () => reader.events.filter(({ event }) => event === 'process.startup_held');
    await eventually(() => told().length > 0);
    for (let second = 0; second < 5; second++) {
      reader.world.advance(1000);
      await reader.world.scheduler.yield();
    }
    expect(await reader.get('/startupz')).toEqual({ status: 503, json: { reason: 'starting' } });
    expect(await reader.get('/readyz')).toEqual({ status: 503, json: { reason: 'starting' } });
    expect((await reader.get('/healthz')).status).toBe(503);
    expect(existsSync(path)).toBe(false);
    expect(told()).toHaveLength(1);
    // What it waits for is said before anything is in the way.
    expect(reader.events.map(({ event }) => event)).toContain('storage.opening');
    expect(String(told()[0]?.fields?.error)).toContain(`there is no store in ${path} yet`);
  });

  test('a reader that waits opens when a writer has made the database', async () => {
    await using reader = await startTestServer({ role: 'read' });
    let isOpen = false;
    void reader.server.opened.then(() => {
      isOpen = true;
    });
    await using writer = await startTestServer({
      'storage-path': reader.directory,
      'catalog-mode': 'schema',
    });
    await writer.server.opened;
    await eventually(
      () => isOpen,
      () => {
        writer.world.advance(1000);
        reader.world.advance(1000);
      },
    );
    expect(await reader.get('/startupz')).toEqual({ status: 200, json: { reason: 'started' } });
    expect(await reader.get('/readyz')).toEqual({ status: 200, json: { reason: 'serving' } });
    expect(await reader.get('/healthz')).toEqual({
      status: 200,
      json: { status: 'ok', access: 'read', mode: 'schema' },
    });
    expect((await reader.get('/info')).json).toMatchObject({ access: 'read', mode: 'schema' });
  });

  test('a reader that waits can be stopped', async () => {
    const reader = await startTestServer({ role: 'read', 'storage-path': '/nowhere/at/all' });
    const opened = reader.server.opened.catch((error: unknown) => error);
    await reader[Symbol.asyncDispose]();
    expect(String(await opened)).toContain('stopped before the store was open');
  });

  test('a reader of another catalog mode is refused', async () => {
    await using both = await pair({}, { 'catalog-mode': 'schema' });
    expect(await outcomeOf(both.opened)).toThrow('created with --catalog-mode direct');
  });
});

describe('requests', () => {
  test('what a writer answers, a reader answers soon after, with the same entity tag', async () => {
    await using both = await pair();
    const { writer, reader, second } = both;
    expect((await send(writer, 'POST', '/tables', table)).status).toBe(200);
    for (let id = 0; id < 5; id++) {
      expect((await send(writer, 'POST', '/execute', create(id, id * id))).status).toBe(200);
      const written = await send(writer, 'QUERY', '/execute', everything);
      const seen = async () => {
        const read = await send(reader, 'QUERY', '/execute', everything);
        // Equal tags are equal results, and the other way round: a state has one tag.
        if (read.status === 200) {
          expect(read.etag === written.etag).toBe(
            JSON.stringify(read.json) === JSON.stringify(written.json),
          );
        }
        return read.status === 200 && read.etag === written.etag;
      };
      await eventually(seen, second);
      const headers = { 'if-none-match': written.etag };
      expect((await send(reader, 'QUERY', '/execute', everything, headers)).status).toBe(304);
    }
    // Of one row too, which lies in the memory of the writer and in a table of the reader.
    const filter = {
      kind: 'binary',
      op: 'eq',
      left: { kind: 'col', scope: 's', column: 'id' },
      right: { kind: 'lit', value: { type: 'int64', value: '3' } },
    };
    const { s } = everything.nodes;
    const row = {
      nodes: { s, f: { kind: 'filter', input: 's', predicate: filter } },
      root: { node: 'f', cardinality: 'first' },
    };
    const ofRow = await send(writer, 'QUERY', '/execute', row);
    expect(ofRow.json).toEqual({ id: 3, n: 9 });
    expect(await send(reader, 'QUERY', '/execute', row)).toEqual(ofRow);
    // A change elsewhere leaves the tag alone, here and there.
    const before = await send(writer, 'QUERY', '/execute', everything);
    await send(writer, 'POST', '/tables', { ...table, name: 'other' });
    await eventually(async () => {
      const { json } = await send(reader, 'GET', '/tables');
      return json.tables.length === 2;
    }, second);
    expect((await send(reader, 'QUERY', '/execute', everything)).etag).toBe(before.etag);
    const info = await Promise.all([writer, reader].map((one) => send(one, 'GET', '/info')));
    expect(info[0]?.json.schema_hash).toBe(info[1]?.json.schema_hash);
  });

  test('a kept program is planned again when the catalog has moved', async () => {
    await using both = await pair();
    const { writer, reader, second } = both;
    await send(writer, 'POST', '/tables', table);
    await send(writer, 'POST', '/execute', create(1, 1));
    const program = { statements: [{ kind: 'query', name: 'q', relation: everything }] };
    await eventually(
      async () => (await send(reader, 'POST', '/execute', program)).status === 200,
      second,
    );
    const renamed = await send(writer, 'PATCH', '/tables/t', { name: 'u' });
    expect(renamed.status).toBe(200);
    await eventually(async () => {
      const { json } = await send(reader, 'POST', '/execute', program);
      return json.reason === 'unknown_table';
    }, second);
  });

  test('everything that writes is refused with 403', async () => {
    await using both = await pair();
    const { reader, second } = both;
    await send(both.writer, 'POST', '/tables', table);
    await eventually(
      async () => (await send(reader, 'GET', '/tables')).json.tables.length > 0,
      second,
    );
    const keyColumns = [{ name: 'id', type: 'int64' }];
    const keyRow = {
      nodes: { r: { kind: 'rows', scope: 'r', columns: keyColumns, rows: [['1']] } },
      root: { node: 'r', cardinality: 'many' },
    };
    const statements: readonly unknown[] = [
      create(1, 1).statements[0],
      { kind: 'update', name: 'u', table: 't', relation: rows(1, 2) },
      { kind: 'delete', name: 'd', table: 't', relation: keyRow },
      { kind: 'create_table', name: 'ct', table: { ...table, name: 'x' } },
      { kind: 'delete_table', name: 'dt', table_id: 1 },
    ];
    const requests: readonly (readonly [string, string, unknown])[] = [
      ['POST', '/tables', table],
      // Write access comes before the body and the path.
      ['POST', '/tables', { nonsense: true }],
      ['PATCH', '/tables/nobody', { name: 'x' }],
      ['DELETE', '/tables/t', undefined],
      ['POST', '/tables/t/columns', { name: 'x', type: 'int64' }],
      ['PATCH', '/tables/t/columns/n', { name: 'x' }],
      ['DELETE', '/tables/t/columns/n', undefined],
      ['POST', '/tables/t/indexes', { columns: ['n'] }],
      ['DELETE', '/tables/t/indexes/x', undefined],
      ['POST', '/schema/migrate', { nonsense: true }],
      ['POST', '/schema/transitions/x/cancel', undefined],
      ...statements.map((statement) => ['POST', '/execute', { statements: [statement] }] as const),
    ];
    for (const [method, path, body] of requests) {
      const { status, json } = await send(reader, method, path, body);
      expect([method, path, JSON.stringify(body), status, json?.reason, json?.stage]).toEqual([
        method,
        path,
        JSON.stringify(body),
        403,
        'read_only',
        'preflight',
      ]);
    }
    // A dry run writes nothing, wherever it is asked for.
    for (const statement of statements) {
      const dry = await send(reader, 'POST', '/execute?dry-run=true', { statements: [statement] });
      expect([dry.status, dry.json]).toEqual([200, { result: null, statements: [] }]);
    }
    const unknown = { ...create(1, 1).statements[0], table: 'nobody' };
    const refused = await send(reader, 'POST', '/execute?dry-run=true', { statements: [unknown] });
    expect([refused.status, refused.json.reason]).toEqual([422, 'unknown_table']);
    // What is no program at all is told so first.
    expect(
      (await send(reader, 'POST', '/execute', { statements: [{ kind: 'create' }] })).status,
    ).toBe(400);
  });
});

test('a store that another one has replaced ends the reader', async () => {
  await using both = await pair();
  const { writer, reader } = both;
  // A writer that is alive would write its mark again.
  await writer.server.stop();
  const { rmSync } = await import('node:fs');
  for (const part of ['manifest', 'pin', 'sst', 'epoch', 'wal', 'runtime']) {
    rmSync(join(writer.directory, part), { recursive: true });
  }
  await using other = await startTestServer({ storage: 'memory' });
  await other.server.opened;
  await using second = await startTestServer({ 'storage-path': writer.directory });
  await second.server.opened;
  let isLost = false;
  void reader.server.lost.then(() => {
    isLost = true;
  });
  await eventually(
    () => isLost,
    () => reader.world.advance(1000),
  );
  expect((await reader.get('/livez')).json).toEqual({ reason: 'task_failed' });
  expect(reader.events.map(({ event }) => event)).toContain('storage.failed');
});
