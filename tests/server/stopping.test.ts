/** A server that stops opens no database again and serves none; one whose directory another process has taken is fenced. */

import { expect, test } from 'bun:test';
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { lockDirectory } from '../../src/storage/object/directory-lock.ts';
import { eventually, startTestServer, type TestServer } from './test-server.ts';

const drainMs = 5000;

/** What only tests look at. */
interface Inside {
  readonly engine: Promise<unknown>;
  readonly lifecycle: { readonly engine: { readonly former: unknown } | undefined };
  readonly opening: {
    readonly stopped: AbortController;
    stop(): void;
    reopen(former: unknown): Promise<unknown>;
  };
}

const insideOf = ({ server }: TestServer) => server as unknown as Inside;
const second = (running: TestServer) => () => running.world.advance(1000);
const eventsOf = ({ events }: TestServer) => events.map(({ event }) => event);
const claimsOf = (directory: string) => readdirSync(join(directory, 'epoch')).sort();

async function create({ server }: TestServer, name: string): Promise<number> {
  const table = { name, columns: [{ name: 'id', type: 'int64' }], primary_key: ['id'] };
  const response = await fetch(`${server.url}/tables`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(table),
  });
  await response.text();
  return response.status;
}

/** Takes the directory away until the database is closed. Where it is now; `comeBack` puts it into its place again. */
async function lose(running: TestServer) {
  const { directory } = running;
  const away = `${directory}-away`;
  renameSync(directory, away);
  mkdirSync(directory);
  await create(running, 'lost');
  await eventually(() => insideOf(running).lifecycle.engine === undefined, second(running));
  const comeBack = () => {
    rmSync(directory, { recursive: true });
    renameSync(away, directory);
  };
  return { away, comeBack };
}

test('a database that is open only after the stop has begun is closed, and never served', async () => {
  await using running = await startTestServer();
  const stopped = running.server.stop();
  await running.server.opened;
  expect(insideOf(running).lifecycle.engine).toBeUndefined();
  expect(await stopped).toBe('closed');
  expect(eventsOf(running)).not.toContain('process.ready');
  expect(await running.server.stop()).toBe('closed');
});

test('a database that comes back during the drain time is not served again', async () => {
  await using running = await startTestServer({}, { SVC_SHUTDOWN_DRAIN_MS: String(drainMs) });
  await running.server.opened;
  const { comeBack } = await lose(running);
  const stopped = running.server.stop();
  comeBack();
  let isOpen = false;
  void insideOf(running).engine.then(() => {
    isOpen = true;
  });
  running.world.advance(1000);
  await eventually(() => isOpen);
  expect(await create(running, 'late')).toBe(503);
  expect(await running.get('/readyz')).toEqual({ status: 503, json: { reason: 'draining' } });
  running.world.advance(drainMs);
  expect(await stopped).toBe('closed');
  expect(eventsOf(running)).not.toContain('storage.recovered');
});

test('a stop ends the attempts to open the database again, though its directory is back', async () => {
  await using running = await startTestServer();
  await running.server.opened;
  const { comeBack } = await lose(running);
  await eventually(() => running.world.pending.includes(1000));
  const stopped = running.server.stop();
  await eventually(() => insideOf(running).opening.stopped.signal.aborted);
  comeBack();
  const claims = claimsOf(running.directory);
  running.world.advance(1000);
  expect(await stopped).toBe('closed');
  expect(claimsOf(running.directory)).toEqual(claims);
});

test('an attempt that fails after the stop is the last one, and nothing is waited for', async () => {
  await using running = await startTestServer();
  await running.server.opened;
  const { lifecycle, opening } = insideOf(running);
  const former = lifecycle.engine?.former;
  const { comeBack } = await lose(running);
  opening.stop();
  let failure: unknown;
  void opening.reopen(former).catch((error: unknown) => {
    failure = error;
  });
  await eventually(() => failure !== undefined);
  expect(failure).toMatchObject({ fault: { kind: 'io' } });
  comeBack();
});

test('a directory that another process has locked meanwhile is its own: this server is fenced, no task has failed', async () => {
  await using running = await startTestServer({}, { SVC_SHUTDOWN_DRAIN_MS: String(drainMs) });
  await running.server.opened;
  const { away, comeBack } = await lose(running);
  const lock = lockDirectory(away, { pid: 1, hostname: 'other', startedUnixMs: 0 });
  comeBack();
  let loss: string | undefined;
  void running.server.lost.then((how) => {
    loss = how;
  });
  await eventually(() => loss !== undefined, second(running));
  expect(loss).toBe('fenced');
  expect(await running.get('/livez')).toEqual({ status: 200, json: { reason: 'live' } });
  expect(await running.get('/readyz')).toEqual({ status: 503, json: { reason: 'fenced' } });
  expect(eventsOf(running)).toContain('storage.fenced');
  lock.release();
});
