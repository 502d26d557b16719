/** Smoke test of the built binary: starts, answers soon, keeps its data over SIGKILL, stops orderly, needs little memory. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServerProcess } from './support/server-process.ts';

const binary = join(import.meta.dir, '..', 'dist', 'svc');
const directory = mkdtempSync(join(tmpdir(), 'svc-smoke-'));
const flags = ['--storage-path', directory];
const table = {
  name: 'note',
  columns: [
    { name: 'id', type: 'int64' },
    { name: 'text', type: 'text' },
  ],
  primary_key: ['id'],
};

function expectThat(condition: boolean, what: string): void {
  if (!condition) throw new Error(what);
  console.log(`ok: ${what}`);
}

async function call(url: string, path: string, body?: unknown): Promise<Response> {
  if (body === undefined) return fetch(url + path);
  const headers = { 'content-type': 'application/json' };
  return fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
}

try {
  const started = performance.now();
  const first = await startServerProcess(flags, { binary });
  const ready = await call(first.url, '/readyz');
  const answeredMs = Math.round(performance.now() - started);
  expectThat(ready.status === 200, `ready ${answeredMs} ms after its start`);
  const status = readFileSync(`/proc/${first.pid}/status`, 'utf8');
  const residentMiB = Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
  expectThat(residentMiB <= 150, `idle with ${residentMiB} MiB resident`);
  expectThat((await call(first.url, '/tables', table)).ok, 'creates a table');
  first.kill('SIGKILL');
  await first.exited;
  const second = await startServerProcess(flags, { binary });
  const tables = await (await call(second.url, '/tables')).text();
  expectThat(tables.includes('"note"'), 'finds the table after SIGKILL');
  second.kill('SIGTERM');
  expectThat((await second.exited) === 0, 'ends with 0 after SIGTERM');
} finally {
  rmSync(directory, { recursive: true, force: true });
}
