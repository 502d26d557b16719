/** Storage that fails under a running server, and comes back (docs/storage-failures.md): probes, log, and what was acknowledged. */

import { expect, test } from 'bun:test';
import { cpSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, startTestServer } from './test-server.ts';

type TestServer = Awaited<ReturnType<typeof startTestServer>>;

const table = {
  name: 't',
  columns: [{ name: 'id', type: 'int64' }],
  primary_key: ['id'],
};

async function post(server: TestServer, path: string, body: unknown) {
  const response = await fetch(server.server.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
}

const create = (id: number) => ({
  statements: [
    {
      kind: 'create',
      name: 'c',
      table: 't',
      relation: {
        nodes: {
          r: {
            kind: 'rows',
            scope: 'r',
            columns: [{ name: 'id', type: 'int64' }],
            rows: [[`${id}`]],
          },
        },
        root: { node: 'r', cardinality: 'many' },
      },
    },
  ],
  result: 'c',
});

const count = {
  statements: [
    {
      kind: 'query',
      name: 'q',
      relation: {
        nodes: {
          s: { kind: 'scan', table: 't', scope: 's' },
          a: { kind: 'aggregate', input: 's', aggs: [{ as: 'n', fn: 'count' }] },
        },
        root: { node: 'a', cardinality: 'exactly_one' },
      },
    },
  ],
};

const readiness = async (server: TestServer) =>
  ((await server.get('/readyz')).json as { reason: string }).reason;

const named = (server: TestServer, prefix: string) =>
  server.events.map(({ event }) => event).filter((event) => event.startsWith(prefix));

const second = (server: TestServer) => () => server.world.advance(1000);

test('a directory that goes away and comes back is an outage, and no more', async () => {
  await using running = await startTestServer();
  await running.server.opened;
  await post(running, '/tables', table);
  const away = `${running.directory}-away`;
  renameSync(running.directory, away);
  await eventually(
    async () => (await readiness(running)) === 'storage_unavailable',
    second(running),
  );
  expect((await running.get('/livez')).status).toBe(200);
  renameSync(away, running.directory);
  await eventually(async () => (await readiness(running)) === 'serving', second(running));
  expect(named(running, 'storage.')).toEqual(['storage.unavailable', 'storage.recovered']);
  expect((await post(running, '/execute', create(1))).status).toBe(200);
});

test('a log that fails ends no server: the database is opened again, with all that was acknowledged', async () => {
  await using running = await startTestServer({ 'store-max-wal-flushes-before-l0-flush': '40' });
  await running.server.opened;
  await post(running, '/tables', table);
  for (let id = 0; id < 20; id++)
    expect((await post(running, '/execute', create(id))).status).toBe(200);
  const away = `${running.directory}-away`;
  renameSync(running.directory, away);
  // What is empty in its place is no store, and is made none.
  mkdirSync(running.directory);
  // The open segment of the log takes one more, but nobody is told so.
  let written = 100;
  await eventually(async () => {
    const { status, json } = await post(running, '/execute', create(++written));
    expect(status).not.toBe(200);
    return status === 503 && json.detail === 'the database is not open';
  }, second(running));
  expect(await readiness(running)).toBe('storage_unavailable');
  expect((await running.get('/startupz')).status).toBe(200);
  for (let i = 0; i < 5; i++) {
    running.world.advance(1000);
    await running.world.scheduler.yield();
  }
  rmSync(running.directory, { recursive: true });
  renameSync(away, running.directory);
  await eventually(async () => (await readiness(running)) === 'serving', second(running));
  // What was under way when it failed may be there.
  const { json } = await post(running, '/execute', count);
  expect([20, 21]).toContain((json.result as { n: number }).n);
  expect((await post(running, '/execute', create(999))).status).toBe(200);
  expect(named(running, 'storage.').at(-1)).toBe('storage.recovered');
});

test('a server that is stopped while its database cannot be opened again ends in order, and says of no failure', async () => {
  await using running = await startTestServer();
  await running.server.opened;
  await post(running, '/tables', table);
  const away = `${running.directory}-away`;
  renameSync(running.directory, away);
  mkdirSync(running.directory);
  let written = 0;
  await eventually(async () => {
    const { status, json } = await post(running, '/execute', create(++written));
    return status === 503 && json.detail === 'the database is not open';
  }, second(running));
  let closing: string | undefined;
  void running.server.stop().then((how) => {
    closing = how;
  });
  await eventually(() => closing !== undefined, second(running));
  for (let i = 0; i < 5; i++) {
    running.world.advance(1000);
    await running.world.scheduler.yield();
  }
  expect(closing).toBe('closed');
  expect(named(running, 'storage.')).not.toContain('storage.failed');
  rmSync(running.directory, { recursive: true });
  renameSync(away, running.directory);
});

test('nothing is acknowledged once the directory is gone; a write that is under way is of unknown outcome, later ones are refused', async () => {
  await using running = await startTestServer();
  await running.server.opened;
  await post(running, '/tables', table);
  const away = `${running.directory}-away`;
  renameSync(running.directory, away);
  const first = await post(running, '/execute', create(1));
  expect([first.status, first.json.reason]).toEqual([500, 'commit_outcome_unknown']);
  const next = await post(running, '/execute', create(2));
  expect([next.status, next.json.reason]).toEqual([500, 'storage_unavailable']);
  expect(String(next.json.detail)).toStartWith('nothing was written');
  renameSync(away, running.directory);
  await eventually(
    async () => (await post(running, '/execute', create(2))).status === 200,
    second(running),
  );
});

test('once a look has found the directory gone, writes are refused, reads go on, and nothing has to be opened again', async () => {
  await using running = await startTestServer();
  await running.server.opened;
  await post(running, '/tables', table);
  await post(running, '/execute', create(1));
  const away = `${running.directory}-away`;
  renameSync(running.directory, away);
  await eventually(
    async () => (await readiness(running)) === 'storage_unavailable',
    second(running),
  );
  const refused = await post(running, '/execute', create(2));
  expect([refused.status, refused.json.reason]).toEqual([500, 'storage_unavailable']);
  expect((await post(running, '/execute', count)).json).toMatchObject({ result: { n: 1 } });
  renameSync(away, running.directory);
  await eventually(async () => (await readiness(running)) === 'serving', second(running));
  expect((await post(running, '/execute', create(2))).status).toBe(200);
  expect((await post(running, '/execute', count)).json).toMatchObject({ result: { n: 2 } });
  expect(named(running, 'storage.')).toEqual(['storage.unavailable', 'storage.recovered']);
});

test('while nothing can be written, a refused write says what to do, and the log what the system refused', async () => {
  await using running = await startTestServer();
  await running.server.opened;
  await post(running, '/tables', table);
  // A file in its place refuses everybody, the superuser too.
  const [tmp, away] = [join(running.directory, 'tmp'), join(running.directory, 'away')];
  renameSync(tmp, away);
  writeFileSync(tmp, '');
  await eventually(
    async () => (await readiness(running)) === 'storage_unavailable',
    second(running),
  );
  const refused = await post(running, '/execute', create(1));
  expect(String(refused.json.detail)).toBe(
    'nothing was written: test write of runtime failed (ENOTDIR); make the storage location accessible: writes resume without a restart',
  );
  const logged = running.events.find(({ event }) => event === 'storage.unavailable');
  expect(String(logged?.fields?.error)).toContain('ENOTDIR: not a directory');
  rmSync(tmp);
  renameSync(away, tmp);
  await eventually(async () => (await readiness(running)) === 'serving', second(running));
  expect((await post(running, '/execute', create(1))).status).toBe(200);
});

test('an older copy in the place of the database is refused, for it lacks what was acknowledged', async () => {
  await using running = await startTestServer();
  await running.server.opened;
  await post(running, '/tables', table);
  const copy = `${running.directory}-copy`;
  cpSync(running.directory, copy, { recursive: true });
  await post(running, '/execute', create(1));
  rmSync(running.directory, { recursive: true });
  renameSync(copy, running.directory);
  await post(running, '/execute', create(2));
  await eventually(async () => (await running.get('/livez')).status === 503, second(running));
  const failed = running.events.find(({ event }) => event === 'storage.failed');
  expect(String(failed?.fields?.error)).toContain('another store has replaced this one');
});

test('a reader outlives the same outage', async () => {
  await using writer = await startTestServer();
  await writer.server.opened;
  await post(writer, '/tables', table);
  await using reader = await startTestServer({ role: 'read', 'storage-path': writer.directory });
  const both = () => {
    writer.world.advance(1000);
    reader.world.advance(1000);
  };
  await eventually(async () => (await reader.get('/startupz')).status === 200, both);
  const away = `${writer.directory}-away`;
  renameSync(writer.directory, away);
  await eventually(async () => (await readiness(reader)) === 'storage_unavailable', both);
  expect((await reader.get('/healthz')).status).toBe(200);
  renameSync(away, writer.directory);
  await eventually(async () => (await readiness(reader)) === 'serving', both);
  await eventually(async () => (await readiness(writer)) === 'serving', both);
  await post(writer, '/execute', create(7));
  await eventually(async () => {
    const { json, status } = await post(reader, '/execute', count);
    return status === 200 && (json.result as { n: number }).n === 1;
  }, both);
  expect(named(reader, 'storage.')).toEqual([
    'storage.opening',
    'storage.unavailable',
    'storage.recovered',
  ]);
});

test('a database that fails for good is told by the probes for the drain time, and acknowledges nothing', async () => {
  const drainMs = 5000;
  await using running = await startTestServer({}, { SVC_SHUTDOWN_DRAIN_MS: `${drainMs}` });
  await running.server.opened;
  await post(running, '/tables', table);
  const away = `${running.directory}-away`;
  renameSync(running.directory, away);
  mkdirSync(running.directory);
  let written = 0;
  await eventually(async () => {
    const { status, json } = await post(running, '/execute', create(++written));
    return status === 503 && json.detail === 'the database is not open';
  }, second(running));
  // It comes back without what names its tables: opening it again does not mend that.
  rmSync(running.directory, { recursive: true });
  rmSync(join(away, 'manifest'), { recursive: true });
  renameSync(away, running.directory);
  let loss: string | undefined;
  void running.server.lost.then((how) => {
    loss = how;
  });
  await eventually(() => loss !== undefined, second(running));
  expect(loss).toBe('task_failed');
  let closing: string | undefined;
  void running.server.stop().then((how) => {
    closing = how;
  });
  for (let i = 0; i < 4; i++) {
    expect(await running.get('/livez')).toEqual({ status: 503, json: { reason: 'task_failed' } });
    expect(await running.get('/readyz')).toEqual({ status: 503, json: { reason: 'draining' } });
    expect((await post(running, '/execute', create(++written))).status).toBe(503);
    running.world.advance(drainMs / 4 - 1);
  }
  expect(closing).toBeUndefined();
  await eventually(() => closing !== undefined, second(running));
  expect(closing).toBe('closed');
  expect(named(running, 'storage.')).toContain('storage.failed');
});

test('acknowledged commits that a failed log takes along are counted in the log, where they need not be durable', async () => {
  await using running = await startTestServer({
    'store-commit-durability': 'memory',
  });
  await running.server.opened;
  await post(running, '/tables', table);
  const acknowledged = new Set<number>();
  const { lifecycle } = running.server as unknown as {
    lifecycle: { engine: { database: { newestSequence: number } } };
  };
  const { database } = lifecycle.engine;
  let written = 0;
  const write = async () => {
    const { status, json } = await post(running, '/execute', create(++written));
    if (status === 200) acknowledged.add(written);
    return { status, json };
  };
  for (let i = 0; i < 5; i++) await write();
  const away = `${running.directory}-away`;
  renameSync(running.directory, away);
  mkdirSync(running.directory);
  await eventually(async () => {
    const { status, json } = await write();
    return status === 503 && json.detail === 'the database is not open';
  }, second(running));
  // As if some more had not come to the disk: how many do is a matter of chance.
  const more = 3;
  database.newestSequence += more;
  rmSync(running.directory, { recursive: true });
  renameSync(away, running.directory);
  await eventually(async () => (await readiness(running)) === 'serving', second(running));
  const { json } = await post(running, '/execute', count);
  const lost = acknowledged.size - (json.result as { n: number }).n;
  const told = running.events.filter(({ event }) => event === 'storage.commits_lost');
  expect(told.map(({ fields }) => fields?.['commits'])).toEqual([lost + more]);
});
