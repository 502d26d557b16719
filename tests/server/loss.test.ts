/** A process that may not go on says so on its probes, for the whole drain time, before it ends (docs/deploy.md, "Stop"); meanwhile it acknowledges no write. */

import { expect, test } from 'bun:test';
import { cpSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, startTestServer, type TestServer } from './test-server.ts';

const drainMs = 5000;

async function startDraining(): Promise<TestServer> {
  const running = await startTestServer({}, { SVC_SHUTDOWN_DRAIN_MS: String(drainMs) });
  await running.server.opened;
  expect(await create(running, 'before')).toBe(200);
  return running;
}

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

/** Probes and a write, right after the loss and at the end of the drain time; then the listener closes. */
async function expectDrain(running: TestServer, live: string, ready: string) {
  const { server, world } = running;
  let closing: string | undefined;
  const stopped = server.stop().then((how) => {
    closing = how;
  });
  for (const elapsedMs of [0, drainMs - 1]) {
    world.advance(elapsedMs);
    await world.scheduler.yield();
    expect(await running.get('/livez')).toEqual({ status: 503, json: { reason: live } });
    expect(await running.get('/readyz')).toEqual({ status: 503, json: { reason: ready } });
    expect(await create(running, 'after')).toBeOneOf([500, 503]);
    expect(closing).toBeUndefined();
  }
  world.advance(1);
  await stopped;
  expect(closing).toBe('closed');
}

const second =
  ({ world }: TestServer) =>
  () =>
    world.advance(1000);

test('a log that fails, in a database that cannot be opened again', async () => {
  await using running = await startDraining();
  const copy = `${running.directory}-copy`;
  cpSync(running.directory, copy, { recursive: true });
  expect(await create(running, 'later')).toBe(200);
  rmSync(running.directory, { recursive: true });
  renameSync(copy, running.directory);
  await create(running, 'lost');
  let lost: string | undefined;
  void running.server.lost.then((how) => {
    lost = how;
  });
  await eventually(() => lost !== undefined, second(running));
  expect(lost).toBe('task_failed');
  await expectDrain(running, 'task_failed', 'draining');
});

test('the worker of transitions, which has come to an end', async () => {
  await using running = await startDraining();
  const { lifecycle } = running.server as unknown as {
    lifecycle: { engine: { transitions: { worker: { failure: unknown } } } };
  };
  lifecycle.engine.transitions.worker.failure = new Error('a mistake');
  running.world.advance(1000);
  expect(await running.server.lost).toBe('task_failed');
  await expectDrain(running, 'task_failed', 'draining');
  expect(running.events.map(({ event }) => event)).toContain('scheduler.worker_lost');
});

test('a fenced writer', async () => {
  await using running = await startDraining();
  writeFileSync(join(running.directory, 'epoch', '0000000002'), '{}');
  running.world.advance(1000);
  expect(await running.server.lost).toBe('fenced');
  await expectDrain(running, 'draining', 'fenced');
});
