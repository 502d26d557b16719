/** Commands and a proxy of the environment: a server of this machine is asked directly, another one through the proxy. */

import { expect, setDefaultTimeout, test } from 'bun:test';
import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  openCountingProxy,
  proxiedBy,
  proxyVariables,
  withoutProxies,
} from '../support/counting-proxy.ts';
import { program } from '../support/program.ts';
import { startServerProcess } from '../support/server-process.ts';
import { runCommand } from './run.ts';
import { projectAt } from './within.ts';

// Only ends what hangs.
setDefaultTimeout(60_000);

const schema = `tables:
  - id: 1
    name: notes
    columns:
      - { id: 1, name: id, type: int64, pk: true }
      - { id: 2, name: text, type: text }
`;

function project(url: string): string {
  const config = projectAt(url, schema);
  appendFileSync(config, 'generate:\n  - { language: typescript, output: db }\n');
  const root = dirname(config);
  writeFileSync(join(root, 'svc.seed.json'), '{"notes": [{"id": 1, "text": "one"}]}');
  return root;
}

const startServer = () =>
  startServerProcess(['--storage', 'memory', '--catalog-mode', 'schema'], { env: withoutProxies });

test('a command asks a server of this machine, whichever variable names a proxy', async () => {
  await using proxy = await openCountingProxy();
  const server = await startServer();
  const root = project(server.url.replace('http', 'svc'));
  for (const name of proxyVariables) {
    const env = { ...withoutProxies, [name]: proxy.url };
    const { exitCode, stdout } = await runCommand(['schema', 'diff'], env, root);
    expect([name, exitCode, stdout]).toEqual([name, 0, expect.stringContaining('notes')]);
    expect([name, proxy.asked]).toEqual([name, []]);
  }
  server.kill('SIGKILL');
});

test('so do all commands that ask', async () => {
  await using proxy = await openCountingProxy();
  const server = await startServer();
  const local = server.url.replace('http://127.0.0.1', 'svc://localhost');
  const root = project(local);
  const lines = [
    ['schema', 'status'],
    ['schema', 'migrate'],
    ['schema', 'pull'],
    ['seed'],
    ['validate'],
    ['generate'],
    ['doctor'],
    ['top', '--once', '--json'],
    ['top', '--once', '--json', '--database-url', server.url.replace('http', 'svc')],
  ];
  for (const argv of lines) {
    const { exitCode, stderr } = await runCommand(argv, proxiedBy(proxy), root);
    // Before the migration the status is another schema's.
    const expected = argv[1] === 'status' ? 3 : 0;
    expect([argv, exitCode, stderr]).toEqual([argv, expected, expect.any(String)]);
    expect([argv, proxy.asked]).toEqual([argv, []]);
  }
  server.kill('SIGKILL');
});

test('a server of another machine is asked through the proxy', async () => {
  const server = await startServer();
  await using proxy = await openCountingProxy(server.url);
  const root = project('svc://db.invalid');
  const { exitCode, stdout } = await runCommand(['schema', 'diff'], proxiedBy(proxy), root);
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining('notes')]);
  expect(proxy.asked[0]).toStartWith('GET http://db.invalid:7237/');
  server.kill('SIGKILL');
});

test('unless NO_PROXY names that machine', async () => {
  await using proxy = await openCountingProxy();
  const root = project('svc://db.invalid');
  const env = { ...proxiedBy(proxy), NO_PROXY: '.invalid' };
  const { exitCode, stderr } = await runCommand(['schema', 'diff'], env, root);
  expect([exitCode, stderr]).toEqual([7, expect.stringContaining('the host does not exist')]);
  expect(proxy.asked).toEqual([]);
});

test('a seed that is a program asks a server of this machine', async () => {
  await using proxy = await openCountingProxy();
  const server = await startServer();
  const root = project(server.url.replace('http', 'svc'));
  expect((await runCommand(['schema', 'migrate'], withoutProxies, root)).exitCode).toBe(0);
  rmSync(join(root, 'svc.seed.json'));
  writeFileSync(
    join(root, 'svc.seed.ts'),
    `const url = process.env.SVC_DATABASE_URL.replace('svc:', 'http:');
for (const at of [url, url.replace('127.0.0.1', 'localhost')]) {
  const { status } = await fetch(at + '/readyz');
  console.log(process.env.NO_PROXY.split(',')[0], status);
}`,
  );
  for (const [variable, list] of [
    ['NO_PROXY', ''],
    ['NO_PROXY', 'x.invalid'],
    ['no_proxy', 'x.invalid'],
  ] as const) {
    const env = { ...proxiedBy(proxy), [variable]: list };
    const { exitCode, stdout } = await runCommand(['seed'], env, root);
    const first = list || 'localhost';
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringContaining(`${first} 200\n${first} 200\n`),
    ]);
  }
  expect(proxy.asked).toEqual([]);
  server.kill('SIGKILL');
});

test('svc dev asks its own server', async () => {
  await using proxy = await openCountingProxy();
  const decoder = new TextDecoder();
  const seeded = Promise.withResolvers<void>();
  let output = '';
  const dev = Bun.spawn([...program, 'dev'], {
    cwd: project('svc://127.0.0.1'),
    env: { ...process.env, ...proxiedBy(proxy), NO_COLOR: '1', SVC_ADDR: '127.0.0.1:0' },
    terminal: {
      cols: 120,
      rows: 24,
      data(_, bytes) {
        output += decoder.decode(bytes, { stream: true });
        if (output.includes('seeded  svc.seed.json')) seeded.resolve();
      },
    },
  });
  const ended = dev.exited.then(() => seeded.reject(new Error(`it ended: ${output}`)));
  await seeded.promise;
  dev.kill('SIGTERM');
  await ended;
  expect(proxy.asked).toEqual([]);
});

test('the operator asks an API server of this machine', async () => {
  await using proxy = await openCountingProxy();
  const asked: string[] = [];
  using api = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request) => {
      asked.push(new URL(request.url).pathname);
      return Response.json({ metadata: { resourceVersion: '1' }, items: [] });
    },
  });
  const server = `http://127.0.0.1:${api.port}`;
  const flags = ['--image', 'svc:1', '--namespace', 'default', '--api-server', server, '--once'];
  const { exitCode } = await runCommand(['operator', ...flags], proxiedBy(proxy));
  expect(exitCode).toBe(0);
  expect(asked).toContain('/apis/svc.dev/v1alpha1/namespaces/default/databases');
  expect(proxy.asked).toEqual([]);
});
