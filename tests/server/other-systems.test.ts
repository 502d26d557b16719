/** Everything that svc uses of Linux, taken away: `/proc`, control groups, flock, O_DSYNC, options of sockets. (It uses no fallocate.) */

import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { concurrencyOf, poolBytesDefault } from '../../src/base/allowance.ts';
import { descriptorLimit } from '../../src/server/connections/connection-limit.ts';
import { startedIgnoringHangup } from '../../src/server/signals.ts';

const home = mkdtempSync(join(tmpdir(), 'svc-other-system-'));
afterAll(() => rmSync(home, { recursive: true }));

const absent = (): never => {
  throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
};
const isLinux = process.platform === 'linux';

test.if(isLinux)('without /proc/self/limits the C library has the limit of open files', () => {
  expect(descriptorLimit(absent)).toBe(descriptorLimit());
  expect(descriptorLimit(absent)).toBeGreaterThan(255);
});

test.if(isLinux)('without /proc/self/status the C library knows whether SIGHUP is ignored', () => {
  const module = JSON.stringify(join(import.meta.dir, '../../src/server/signals.ts'));
  const script = `
    const { startedIgnoringHangup } = await import(${module});
    const absent = () => { throw new Error('no such file'); };
    console.log(startedIgnoringHangup(absent), startedIgnoringHangup());`;
  const ignoring = (before: string): string => {
    const argv = ['sh', '-c', `${before} exec "$0" -e "$1"`, process.execPath, script];
    return Bun.spawnSync(argv).stdout.toString();
  };
  expect(ignoring(`trap '' HUP;`)).toBe('true true\n');
  expect(ignoring('')).toBe('false false\n');
  expect(startedIgnoringHangup(absent)).toBe(startedIgnoringHangup());
});

test('without control groups the machine is the limit', () => {
  const nothing = () => undefined;
  expect(poolBytesDefault(nothing)).toBe(Math.min(2 ** 30, Math.floor(totalmem() * 0.4)));
  const expected = Math.min(64, Math.max(4, availableParallelism() * 4));
  expect(concurrencyOf(nothing)).toBe(expected);
});

const root = join(import.meta.dir, '../..');
const preload = join(import.meta.dir, 'other-system.ts');
const program = [process.execPath, '--preload', preload, join(root, 'src/main.ts')];

interface Running {
  readonly child: Bun.Subprocess<'ignore', 'ignore', 'pipe'>;
  readonly url: string;
}

async function start(path: string): Promise<Running> {
  const flags = ['--addr', '127.0.0.1:0', '--storage-path', path, '--log-format', 'json'];
  const child = Bun.spawn([...program, 'serve', ...flags], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  });
  const { promise, resolve } = Promise.withResolvers<string>();
  let log = '';
  void (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of child.stderr) {
      log += decoder.decode(chunk);
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(log)?.[0];
      if (url !== undefined) resolve(url);
    }
    resolve(log);
  })();
  const url = await promise;
  while ((await fetch(`${url}/readyz`)).status !== 200) await Bun.sleep(10);
  return { child, url };
}

async function post(url: string, path: string, body: unknown): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
}

const table = {
  name: 'note',
  columns: [{ name: 'id', type: 'int64' }],
  primary_key: ['id'],
};

test('a server on another system keeps its data over SIGKILL, and is fenced by epochs without flock', async () => {
  const path = join(home, 'data');
  const first = await start(path);
  expect((await post(first.url, '/tables', table)).ok).toBe(true);
  first.child.kill('SIGKILL');
  await first.child.exited;

  const second = await start(path);
  const again = await post(second.url, '/tables', table);
  expect(await again.text()).toContain('already exists');

  // Without a lock another writer can start. Its epoch keeps the one before it from writing.
  const third = await start(path);
  await post(second.url, '/tables', { ...table, name: 'late' }).catch(() => undefined);
  expect(await second.child.exited).toBe(6);
  expect((await post(third.url, '/tables', { ...table, name: 'late' })).ok).toBe(true);
  third.child.kill('SIGTERM');
  expect(await third.child.exited).toBe(0);

  const doctor = Bun.spawnSync([...program, 'doctor', 'store', '--storage-path', path]);
  expect([doctor.exitCode, doctor.stdout.toString()]).toEqual([
    0,
    expect.stringContaining('pass '),
  ]);
}, 180_000);

test('without the table of sockets a client that waits for 100 Continue is served', async () => {
  const { child, url } = await start(join(home, 'continue'));
  const statement = { statements: [], padding: 'x'.repeat(200_000) };
  const answer = await fetch(`${url}/execute`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', expect: '100-continue' },
    body: JSON.stringify(statement),
  });
  expect(answer.status).toBeGreaterThanOrEqual(400);
  expect((await answer.text()).length).toBeGreaterThan(0);
  child.kill('SIGTERM');
  expect(await child.exited).toBe(0);
});
