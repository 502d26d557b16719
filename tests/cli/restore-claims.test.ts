/** `svc doctor store --restore-claims` against a server that was killed and whose claims are gone (docs/storage-failures.md). */

import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemWorld } from '#base';
import { openStore } from '#storage';
import { write } from '../storage/transaction/support.ts';
import { startServerProcess } from '../support/server-process.ts';
import { runCommand } from './run.ts';
import { runWithin, shellFor } from './within.ts';

const home = mkdtempSync(join(tmpdir(), 'svc-claims-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

let directories = 0;
const newDirectory = () => join(home, String(++directories));
const headers = { 'content-type': 'application/json' };
const table = {
  name: 't',
  columns: [
    { name: 'id', type: 'int64' },
    { name: 'text', type: 'text' },
  ],
  primary_key: ['id'],
};

async function post(url: string, body: object): Promise<unknown> {
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  expect(answer.status).toBeLessThan(300);
  return answer.json();
}

/** Rows `from` and after; each request is acknowledged before the next one. */
async function insert(url: string, from: number, count: number): Promise<void> {
  for (let first = from; first < from + count; first += 200) {
    const rows = Array.from({ length: Math.min(200, from + count - first) }, (_, i) => [
      String(first + i),
      `row ${first + i} `.repeat(30),
    ]);
    const columns = table.columns.map(({ name, type }) => ({ name, type }));
    const nodes = { r: { kind: 'rows', scope: 'r', columns, rows } };
    const relation = { nodes, root: { node: 'r', cardinality: 'many' } };
    const statements = [{ kind: 'create', name: 'made', table: 't', relation }];
    await post(`${url}/execute`, { statements });
  }
}

const count = {
  nodes: {
    t: { kind: 'scan', table: 't', scope: 't' },
    n: { kind: 'aggregate', input: 't', aggs: [{ fn: 'count', as: 'n' }] },
  },
  root: { node: 'n', cardinality: 'scalar' },
};

async function rowsOf(url: string): Promise<unknown> {
  const statements = [{ kind: 'query', name: 'q', relation: count }];
  const { result } = (await post(`${url}/execute`, { statements, result: 'q' })) as {
    result: unknown;
  };
  return result;
}

/** Everything below `path`, with what tells a change; `lock` is locked by whoever looks. */
function everything(path: string): string[] {
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const { ino, size, mtimeMs } = statSync(join(path, name));
      return `${name} ${ino} ${size} ${mtimeMs}`;
    });
}

/** Time passes at once; `meanwhile` happens first. */
function hastyWorld(meanwhile: () => void = () => {}) {
  const world = systemWorld();
  const after = (_delayMs: number, task: () => void) => {
    meanwhile();
    setImmediate(task);
    return { cancel: () => {} };
  };
  return { ...world, scheduler: { ...world.scheduler, after } };
}

const command = (path: string, ...more: string[]) => [
  'doctor',
  'store',
  '--storage-path',
  path,
  '--restore-claims',
  ...more,
];

/** Two lives of a server, the second one killed; tables and log hold rows. */
async function killed() {
  const path = newDirectory();
  const flags = ['--storage-path', path, '--store-l0-sst-size-mib', '1'];
  const first = await startServerProcess(flags);
  await post(`${first.url}/tables`, table);
  await insert(first.url, 0, 1000);
  first.kill('SIGTERM');
  await first.exited;
  const second = await startServerProcess(flags);
  await insert(second.url, 1000, 1300);
  return { path, flags, second };
}

test('rows are acknowledged, the server is killed, a claim is deleted: refused, restored, and complete', async () => {
  const { path, flags, second } = await killed();
  const running = await runCommand(command(path, '--yes'));
  expect(running.exitCode).toBe(1);
  expect(running.stderr).toContain(
    `the storage directory ${path} is in use by process ${second.pid}`,
  );
  second.kill('SIGKILL');
  await second.exited;
  unlinkSync(join(path, 'epoch/0000000001'));
  const refused = await startServerProcess(flags).catch((error: Error) => error.message);
  expect(refused).toContain('epoch/0000000001 is missing');
  expect(refused).toContain('svc doctor store --restore-claims');
  const before = everything(path);
  const unasked = await runCommand(command(path));
  expect(unasked.exitCode).toBe(5);
  const claim = join(path, 'epoch/0000000001');
  expect(unasked.stderr).toContain(`${claim} would be written, and nothing else`);
  expect(unasked.stderr).toContain('use --yes to confirm');
  expect(everything(path)).toEqual(before);
  const restored = await runCommand(command(path, '--yes', '--json'));
  expect(restored.exitCode).toBe(0);
  const { healthy, checks } = JSON.parse(restored.stdout);
  expect(healthy).toBe(true);
  expect(checks).toMatchObject([
    { name: 'claims', status: 'pass', details: { restored: ['epoch/0000000001'] } },
    { name: 'log', status: 'pass' },
    { name: 'tables', status: 'pass' },
  ]);
  const again = await startServerProcess(flags);
  expect(await rowsOf(again.url)).toBe(2300);
  await insert(again.url, 2300, 1);
  again.kill('SIGTERM');
  await again.exited;
}, 60_000);

/** Three claims, of which the first two are gone; the log holds a commit. */
async function robbed() {
  const path = newDirectory();
  const options = { storage: 'file', path, world: systemWorld() } as const;
  for (let life = 1; life <= 3; life++) {
    const store = await openStore(options);
    await write(store, { [`life ${life}`]: '1' });
    await store.close();
  }
  for (const epoch of [1, 2]) unlinkSync(join(path, `epoch/000000000${epoch}`));
  return { path, options };
}

test('somebody is asked, and a no changes nothing', async () => {
  const { path, options } = await robbed();
  const before = everything(path);
  const no = shellFor({ answers: ['n'], world: hastyWorld() });
  expect((await runWithin(no.shell, command(path))).trouble).toMatchObject({
    code: 'claims_not_restored',
    exitCode: 5,
  });
  expect(no.asked).toEqual(['Write them? [y/N] ']);
  expect(no.said.join('\n')).toContain(
    `${join(path, 'epoch/0000000001')}, ${join(path, 'epoch/0000000002')} would be written`,
  );
  expect(everything(path)).toEqual(before);
  const yes = shellFor({ answers: ['y'], world: hastyWorld() });
  const { exitCode, stdout } = await runWithin(yes.shell, command(path));
  expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 });
  expect(stdout).toContain('3 claims, none is missing: 2 were restored');
  await (await openStore(options)).close();
  const nothing = await runWithin(yes.shell, command(path));
  expect(nothing.stdout).toContain('4 claims, none is missing');
  expect(yes.asked).toHaveLength(1);
});

test('nothing is made again while more is missing than claims', async () => {
  const { path } = await robbed();
  const [manifest] = readdirSync(join(path, 'manifest'));
  unlinkSync(join(path, 'manifest', manifest as string));
  const before = everything(path);
  const { shell, asked } = shellFor({ answers: ['y'], world: hastyWorld() });
  const { exitCode, stdout } = await runWithin(shell, command(path, '--yes'));
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/fail +claims +2 of 3 claims are missing: epoch\/0000000001 and others/);
  expect(stdout).toMatch(/fail +log +manifest\/\d{10}-\* is missing/);
  expect(asked).toEqual([]);
  expect(everything(path)).toEqual(before);
});

test('a writer that is alive is noticed without its lock', async () => {
  const { path } = await robbed();
  unlinkSync(join(path, 'lock'));
  const alive = hastyWorld(() => writeFileSync(join(path, 'runtime'), '{}'));
  const { shell } = shellFor({ world: alive });
  const { trouble } = await runWithin(shell, command(path, '--yes'));
  expect(trouble).toMatchObject({ code: 'storage_locked', exitCode: 1 });
  expect(readdirSync(join(path, 'epoch'))).toEqual(['0000000003']);
});

test('where no store is nothing is made', async () => {
  const path = newDirectory();
  const { shell } = shellFor({ world: hastyWorld() });
  const { exitCode, stdout } = await runWithin(shell, command(path, '--yes'));
  expect(exitCode).toBe(0);
  expect(stdout).toContain('the location contains no store');
  expect(readdirSync(home)).not.toContain(String(directories));
});

test('other stores have no claims, and --yes agrees to nothing else', async () => {
  const { shell } = shellFor({ world: hastyWorld() });
  for (const argv of [
    ['doctor', 'store', '--storage', 'memory', '--restore-claims'],
    ['doctor', 'store', '--storage', 'memory', '--yes'],
  ]) {
    expect((await runWithin(shell, argv)).trouble).toMatchObject({ code: 'usage', exitCode: 2 });
  }
});
