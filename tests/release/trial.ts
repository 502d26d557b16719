/**
 * Tries an executable on the platform that a command emulates: it starts, takes a load, is killed, starts again with all rows, is checked by `svc doctor store`, and stops.
 *
 *   bun run tests/release/trial.ts DIRECTORY DIRECTORY-INSIDE COMMAND…
 *
 * COMMAND is the executable with everything before it, such as `chroot ROOT /svc` or `qemu-aarch64-static -L ROOT svc`. DIRECTORY is an empty one for the data, and DIRECTORY-INSIDE
 * its name for the executable.
 */

import { mkdirSync, rmSync } from 'node:fs';

const [outside = '', inside = '', ...command] = process.argv.slice(2);
const batches = 20;
const batchRows = 500;
const startMs = 120_000;

function expectThat(condition: boolean, text: string): void {
  if (!condition) throw new Error(`not so: ${text}`);
  console.log(`ok: ${text}`);
}

async function start() {
  const startedMs = performance.now();
  const child = Bun.spawn(
    [
      ...command,
      'serve',
      '--addr',
      '127.0.0.1:0',
      '--storage-path',
      inside,
      '--log-format',
      'json',
      '--store-l0-sst-size-mib',
      '1',
    ],
    { stdout: 'ignore', stderr: 'pipe' },
  );
  // A trial that fails leaves no server behind.
  process.on('exit', () => child.kill('SIGKILL'));
  const decoder = new TextDecoder();
  let log = '';
  let url: string | undefined;
  for await (const chunk of child.stderr) {
    log += decoder.decode(chunk);
    url = /http:\/\/127\.0\.0\.1:\d+/.exec(log)?.[0];
    if (url !== undefined || performance.now() - startedMs > startMs) break;
  }
  if (url === undefined) throw new Error(`the server has not started:\n${log}`);
  while ((await fetch(`${url}/readyz`)).status !== 200) await Bun.sleep(10);
  console.log(`ready after ${Math.round(performance.now() - startedMs)} ms`);
  return { child, url };
}

async function post(url: string, path: string, body: unknown): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return JSON.parse(text);
}

function run(...args: readonly string[]): void {
  const ran = Bun.spawnSync([...command, ...args], { stdout: 'pipe', stderr: 'pipe' });
  console.log(`$ svc ${args.join(' ')}\n${ran.stdout}${ran.stderr}`.trim());
  expectThat(ran.exitCode === 0, `svc ${args.join(' ')} ends with 0`);
}

const columns = [
  { name: 'id', type: 'int64' },
  { name: 'text', type: 'text' },
];

rmSync(outside, { recursive: true, force: true });
mkdirSync(outside, { recursive: true });
run('version');
const first = await start();
await post(first.url, '/tables', { name: 'note', columns, primary_key: ['id'] });
for (let batch = 0; batch < batches; batch++) {
  const rows = Array.from({ length: batchRows }, (_, i) => [
    String(batch * batchRows + i),
    `${i} ${'x'.repeat(200)}`,
  ]);
  const node = { kind: 'rows', scope: 'r', columns, rows };
  const relation = { nodes: { r: node }, root: { node: 'r', cardinality: 'many' } };
  const statement = { kind: 'create', name: 'c', table: 'note', relation };
  await post(first.url, '/execute', { statements: [statement] });
}
console.log(`ok: takes ${batches * batchRows} rows`);
first.child.kill('SIGKILL');
await first.child.exited;

const second = await start();
const scan = { kind: 'scan', scope: 'n', table: 'note' };
const terms = [{ expr: { kind: 'col', scope: 'n', column: 'id' } }];
const order = { kind: 'order', input: 'n', terms };
const relation = { nodes: { n: scan, o: order }, root: { node: 'o', cardinality: 'many' } };
const answer = JSON.stringify(
  await post(second.url, '/execute', { statements: [{ kind: 'query', name: 'q', relation }] }),
);
const found = answer.match(/x{200}/g)?.length;
expectThat(found === batches * batchRows, `has all rows after SIGKILL: ${found}`);
second.child.kill('SIGTERM');
expectThat((await second.child.exited) === 0, 'ends with 0 after SIGTERM');
run('doctor', 'store', '--storage-path', inside);
