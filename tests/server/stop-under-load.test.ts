/** A stop under load, of a whole process: what runs on and on is ended in time, and what was committed has been answered. */

import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create, endless } from '../http/governance/governed.ts';
import { startServerProcess } from '../support/server-process.ts';

test('SIGTERM under sixteen endless queries ends within the drain time', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'svc-stop-'));
  const flags = ['--storage-path', directory, '--drain-timeout-ms', '2000'];
  const server = await startServerProcess(flags);
  const post = async (path: string, body: unknown) => {
    const headers = { 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    const response = await fetch(server.url + path, init);
    await response.text();
    return response.status;
  };
  const columns = ['id', 'text'].map((name) => ({ name, type: name === 'id' ? 'int64' : name }));
  await post('/tables', { name: 't', columns, primary_key: ['id'] });
  expect(await post('/execute', create(0, 3000))).toBe(200);
  const queries = Array.from({ length: 16 }, () => post('/execute', endless));
  const writes = Array.from({ length: 8 }, (_, i) => post('/execute', create(10_000 + i, 1)));
  expect(await Promise.all(writes)).toEqual(Array(8).fill(200));
  const startedMs = performance.now();
  server.kill('SIGTERM');
  expect(await Promise.all(queries)).toEqual(Array(16).fill(503));
  expect(await server.exited).toBe(0);
  expect(performance.now() - startedMs).toBeLessThan(2000 + 3000);
  rmSync(directory, { recursive: true });
}, 60_000);
