/**
 * `bun run tests/torture/disk-full.ts [--binary dist/svc]`: a server on a small tmpfs until it is full, and what it does then; needs the right to
 * mount (root). Writes get a clear problem, reads go on, and once there is room the server takes writes again by itself.
 */

import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startServerProcess } from '../support/server-process.ts';
import { idsFrom, tortureTables } from './workload.ts';

const { values } = parseArgs({ options: { binary: { type: 'string' } } });
const path = mkdtempSync(join(tmpdir(), 'svc-full-'));
const roomMiB = 96;
const ballastMiB = 32;
const rowsAtOnce = 100;
const ballast = join(path, 'ballast');

function mount(...args: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(args);
  if (exitCode !== 0) throw new Error(`${args.join(' ')}: ${stderr.toString()}`);
}

function expectThat(condition: boolean, what: string): void {
  if (!condition) throw new Error(`not so: ${what}`);
  console.log(`ok: ${what}`);
}

mount('mount', '-t', 'tmpfs', '-o', `size=${roomMiB}m`, 'tmpfs', path);
try {
  writeFileSync(ballast, Buffer.alloc(ballastMiB << 20));
  const server = await start();
  try {
    await run(server.url);
    const written = await count(server.url);
    server.kill('SIGTERM');
    expectThat((await server.exited) === 0, 'it ends with 0');
    fillDisk();
    await startFull(written);
  } finally {
    server.kill('SIGKILL');
    await server.exited;
  }
} finally {
  mount('umount', path);
  rmSync(path, { recursive: true });
}

function start() {
  return startServerProcess(
    ['--storage-path', join(path, 'store'), '--store-l0-sst-size-mib', '4'],
    values.binary === undefined ? {} : { binary: values.binary },
  );
}

/** With a file that takes all that is left. */
function fillDisk(): void {
  for (let bytes = 8 << 20; bytes > 0; bytes >>= 1) {
    for (let isRoom = true; isRoom; ) {
      try {
        appendFileSync(ballast, Buffer.alloc(bytes));
      } catch {
        isRoom = false;
      }
    }
  }
}

/** A restart on the full disk: reads at once, writes when there is room. */
async function startFull(written: number): Promise<void> {
  const server = await start();
  try {
    const { url } = server;
    expectThat((await fetch(`${url}/startupz`)).status === 200, 'it starts on a full disk');
    expectThat((await ready(url)) === 'storage_unavailable', 'and is not ready');
    expectThat((await count(url)) === written, 'every row is read');
    const refused = await post(url, '/execute', rows(written + 1));
    expectThat(
      refused.status === 503 && refused.text.includes('the storage is full'),
      'a write is refused',
    );
    rmSync(ballast);
    const since = performance.now();
    while ((await ready(url)) !== 'serving') await pause(since);
    const taken = await post(url, '/execute', rows(written + 1));
    expectThat(taken.status === 200, 'writes go on once there is room');
    expectThat((await count(url)) === written + rowsAtOnce, 'nothing is missing');
    server.kill('SIGTERM');
    expectThat((await server.exited) === 0, 'it ends with 0');
  } finally {
    server.kill('SIGKILL');
    await server.exited;
  }
}

async function ready(url: string): Promise<string> {
  return ((await (await fetch(`${url}/readyz`)).json()) as { reason: string }).reason;
}

async function pause(since: number): Promise<void> {
  if (performance.now() - since > 60_000) throw new Error('it takes too long');
  await new Promise((resolve) => setTimeout(resolve, 100));
}

async function run(url: string): Promise<void> {
  const table = tortureTables[0];
  expectThat((await post(url, '/tables', table)).status === 200, 'a table is made');
  const [written, refusal] = await fillUp(url, 1);
  console.log(`${written - 1} rows, then ${refusal.status} ${refusal.text}`);
  expectThat(refusal.status === 503, 'a full disk is a 503');
  expectThat(refusal.retryAfter !== null, 'it says when to try again');
  expectThat(refusal.text.includes('"overloaded"'), 'its reason is overloaded');
  expectThat((await count(url)) === written - 1, 'reads show every row that was acknowledged');
  const refusedAt = performance.now();
  while ((await ready(url)) !== 'storage_unavailable') await pause(refusedAt);
  console.log(`not ready after ${Math.round(performance.now() - refusedAt)} ms`);
  rmSync(ballast);
  const since = performance.now();
  let next = written;
  while (next < written + 4000) {
    const reply = await post(url, '/execute', rows(next));
    if (reply.status === 200) next += rowsAtOnce;
    else await new Promise((resolve) => setTimeout(resolve, 100));
    if (performance.now() - since > 60_000) throw new Error(`still ${reply.status} ${reply.text}`);
  }
  console.log(`writes went on ${Math.round(performance.now() - since)} ms after there was room`);
  expectThat((await count(url)) === next - 1, 'nothing is missing');
  while ((await ready(url)) !== 'serving') await pause(since);
  expectThat(true, 'and the server is ready again');
}

async function fillUp(url: string, from: number) {
  for (let id = from; ; id += rowsAtOnce) {
    const reply = await post(url, '/execute', rows(id));
    if (reply.status !== 200) return [id, reply] as const;
  }
}

function rows(from: number): unknown {
  const columns = [
    { name: 'id', type: 'int64' },
    { name: 'note', type: 'text' },
  ];
  const note = (id: number) => `${id} ${'x'.repeat(1000)}`;
  const all = Array.from({ length: rowsAtOnce }, (_, i) => [`${from + i}`, note(from + i)]);
  const relation = {
    nodes: { r: { kind: 'rows', scope: 'r', columns, rows: all } },
    root: { node: 'r', cardinality: 'many' },
  };
  return { statements: [{ kind: 'create', name: 'c', table: 'debit', relation }] };
}

async function count(url: string): Promise<number> {
  const reply = await post(url, '/execute', idsFrom('debit', 'id', 0));
  if (reply.status !== 200) throw new Error(reply.text);
  return (JSON.parse(reply.text) as { result: unknown[] }).result.length;
}

async function post(url: string, route: string, body: unknown) {
  const response = await fetch(url + route, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const retryAfter = response.headers.get('retry-after');
  return { status: response.status, retryAfter, text: await response.text() };
}
