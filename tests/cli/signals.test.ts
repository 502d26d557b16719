/** Each signal has its stated effect (docs/deploy.md, "Signals"): none ends a server without a drain, none loses acknowledged rows. */

import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { program } from '../support/program.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';

const home = mkdtempSync(join(tmpdir(), 'svc-signals-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const headers = { 'content-type': 'application/json' };
const table = JSON.stringify({
  name: 't',
  columns: [{ name: 'id', type: 'int64' }],
  primary_key: ['id'],
});

/** Its answer comes before the log is on the disk. */
function startUnsynced(directory: string): Promise<ServerProcess> {
  return startServerProcess(['--storage-path', directory, '--store-commit-durability', 'memory']);
}

const tablesOf = async ({ url }: ServerProcess) => (await fetch(`${url}/tables`)).text();

describe('a signal that stops', () => {
  test.each(['SIGHUP', 'SIGQUIT'] as const)(
    '%s keeps what was acknowledged in memory',
    async (signal) => {
      const directory = join(home, signal);
      const first = await startUnsynced(directory);
      const made = await fetch(`${first.url}/tables`, { method: 'POST', headers, body: table });
      expect(made.ok).toBe(true);
      first.kill(signal);
      expect(await first.exited).toBe(0);
      expect(await first.stderr()).toContain('process.draining');
      const second = await startUnsynced(directory);
      expect(await tablesOf(second)).toContain('"name":"t"');
      second.kill('SIGKILL');
      await second.exited;
    },
  );

  test.each(['SIGHUP', 'SIGQUIT'] as const)(
    'a second %s does not cut the stop short',
    async (signal) => {
      const env = { SVC_SHUTDOWN_DRAIN_MS: '600000' };
      const server = await startServerProcess(['--storage', 'memory'], { env });
      const state = async () => (await fetch(`${server.url}/livez`)).status;
      server.kill(signal);
      while ((await state()) === 200);
      server.kill(signal);
      expect([await state(), await tablesOf(server)]).toEqual([503, '{"tables":[]}']);
      server.kill('SIGKILL');
      await server.exited;
    },
  );
});

test.each(['SIGTERM', 'SIGHUP', 'SIGQUIT'] as const)(
  '%s ends `svc operator` in order, SIGUSR1 and SIGUSR2 do not end it',
  async (signal) => {
    const asked = Promise.withResolvers<void>();
    const refuse = () => {
      asked.resolve();
      return new Response('{}', { status: 403 });
    };
    using cluster = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: refuse });
    const flags = ['--image', 'svc', '--api-server', cluster.url.origin, '--all-namespaces'];
    const child = Bun.spawn([...program, 'operator', ...flags], { stdout: 'pipe', stderr: 'pipe' });
    await asked.promise;
    for (const name of ['SIGUSR1', 'SIGUSR2', signal] as const) child.kill(name);
    expect(await child.exited).toBe(0);
  },
);

describe('a signal without effect', () => {
  test.each(['SIGUSR1', 'SIGUSR2'] as const)('%s is told of in the log', async (signal) => {
    const server = await startServerProcess(['--storage', 'memory']);
    server.kill(signal);
    expect(await tablesOf(server)).toBe('{"tables":[]}');
    server.kill('SIGTERM');
    expect(await server.exited).toBe(0);
    expect(await server.stderr()).toMatch(new RegExp(`process.signal_ignored.* signal=${signal}`));
  });

  test('SIGPIPE', async () => {
    const server = await startServerProcess(['--storage', 'memory']);
    server.kill('SIGPIPE');
    expect(await tablesOf(server)).toBe('{"tables":[]}');
    server.kill('SIGTERM');
    expect(await server.exited).toBe(0);
  });

  test('SIGHUP, under nohup', async () => {
    const flags = ['serve', '--addr', '127.0.0.1:0', '--storage', 'memory'];
    const ignoring = ['sh', '-c', 'trap "" HUP; exec "$@"', 'sh', ...program, ...flags];
    const child = Bun.spawn(ignoring, { stdout: 'pipe', stderr: 'pipe' });
    const reader = child.stdout.getReader();
    const decoder = new TextDecoder();
    let banner = '';
    while (!banner.includes('\n')) banner += decoder.decode((await reader.read()).value);
    const url = /http:\/\/\S+:\d+/.exec(banner)?.[0] as string;
    child.kill('SIGHUP');
    expect((await fetch(`${url}/livez`)).status).toBe(200);
    child.kill('SIGTERM');
    expect(await child.exited).toBe(0);
  });

  test('a reader of stdout that is gone', async () => {
    const flags = ['serve', '--addr', '127.0.0.1:0', '--storage', 'memory', '--log-level', 'debug'];
    const child = Bun.spawn([...program, ...flags], { stdout: 'pipe', stderr: 'pipe' });
    await child.stdout.cancel();
    const reader = child.stderr.getReader();
    const decoder = new TextDecoder();
    let log = '';
    while (!log.includes('process.ready')) log += decoder.decode((await reader.read()).value);
    const address = /listener.started address=(\S+)/.exec(log)?.[1] as string;
    expect((await fetch(`http://${address}/livez`)).status).toBe(200);
    child.kill('SIGTERM');
    expect(await child.exited).toBe(0);
  });
});

/** Runs a command on a terminal of its own, closes the terminal once the server listens, and prints how the command ended. */
const onTerminal = `
import os, pty, sys
child, terminal = pty.fork()
if child == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
seen = b''
while b'listening' not in seen:
    seen += os.read(terminal, 4096)
os.close(terminal)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
`;

test.skipIf(Bun.which('python3') === null)(
  'a terminal that is closed is an orderly end',
  async () => {
    const command = [...program, 'serve', '--storage', 'memory', '--addr', '127.0.0.1:0'];
    const child = Bun.spawn(['python3', '-c', onTerminal, ...command], {
      stdout: 'pipe',
      stderr: 'inherit',
    });
    expect((await child.stdout.text()).trim()).toBe('0');
  },
);
