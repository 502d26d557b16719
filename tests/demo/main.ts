/** `npm run demo`: loads this repository's lock file, queries it, kills the server with SIGKILL, and finds everything again. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { loadPackages, tables } from './load.ts';
import { readLockfile } from './lockfile.ts';
import { licences, mostDependedOn, totals, unasked, withDependencies } from './queries.ts';
import { printTable } from './table.ts';

const lock = await readLockfile(join(import.meta.dir, '..', '..', 'package-lock.json'));
const directory = mkdtempSync(join(tmpdir(), 'svc-demo-'));
let server = await startServerProcess(['--storage-path', directory]);

async function post(path: string, body: unknown): Promise<unknown> {
  const response = await fetch(server.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const json = await response.json();
  if (!response.ok) throw new Error(`${path} answered ${JSON.stringify(json)}`);
  return json;
}

async function show(title: string, program: unknown): Promise<string> {
  const started = performance.now();
  const { result } = (await post('/execute', program)) as { result: unknown };
  const tookMs = performance.now() - started;
  console.log(`\n${title}  (${tookMs.toFixed(1)} ms)`);
  printTable(Array.isArray(result) ? result : [result]);
  return JSON.stringify(result);
}

async function kill(target: ServerProcess): Promise<void> {
  target.kill('SIGKILL');
  await target.exited;
}

try {
  console.log(server.banner);
  for (const table of tables) await post('/tables', table);
  const started = performance.now();
  for (const program of loadPackages(lock)) await post('/execute', program);
  const rows = lock.packages.length + lock.dependencies.length;
  console.log(`loaded ${rows} rows in ${(performance.now() - started).toFixed(0)} ms`);

  await show('Most depended on', mostDependedOn);
  await show('elysia with its dependencies', withDependencies('elysia'));
  await show('Licences', licences);
  await show('Nobody asks for', unasked);
  const before = await show('Totals', totals);

  await kill(server);
  server = await startServerProcess(['--storage-path', directory]);
  const after = await show('Totals after SIGKILL and a new start', totals);
  if (after !== before) throw new Error(`after the restart: ${after}, before: ${before}`);
  console.log('\nEverything is still there.');
} finally {
  await kill(server);
  rmSync(directory, { recursive: true, force: true });
}
