/** `svc serve` as a process: what it prints, how it ends, and what it refuses (docs/deploy.md, docs/cli.md). */

import { afterAll, describe, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openRawClient } from '../support/raw-client.ts';
import { startServerProcess } from '../support/server-process.ts';
import { runCommand } from './run.ts';

const home = mkdtempSync(join(tmpdir(), 'svc-cli-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

let directories = 0;
const newDirectory = () => join(home, String(++directories));

const table = JSON.stringify({
  name: 't',
  columns: [{ name: 'id', type: 'int64' }],
  primary_key: ['id'],
});
const headers = { 'content-type': 'application/json' };

describe('start', () => {
  test('prints one line with the address and where the data is', async () => {
    const directory = newDirectory();
    const server = await startServerProcess(['--storage-path', directory]);
    const banner = `svc is listening on ${server.url}, data in ${directory}`;
    expect(server.banner).toBe(`${banner} (a new, empty store)`);
    server.kill('SIGKILL');
    await server.exited;
    expect(await server.stderr()).toBe('');
    const again = await startServerProcess(['--storage-path', directory]);
    expect(again.banner).toBe(`svc is listening on ${again.url}, data in ${directory}`);
    again.kill('SIGKILL');
    await again.exited;
  });

  test('refuses a directory that holds other files, and leaves it as it is', async () => {
    const directory = newDirectory();
    mkdirSync(directory);
    writeFileSync(join(directory, 'letters.txt'), 'ours');
    const { exitCode, stderr } = await runCommand(['serve', '--storage-path', directory]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(
      `${directory} contains no store and is not empty: it contains letters.txt`,
    );
    expect(readdirSync(directory)).toEqual(['letters.txt']);
  });

  test('takes an empty directory, whatever a file system or a repository keeps in one', async () => {
    const directory = newDirectory();
    mkdirSync(join(directory, 'lost+found'), { recursive: true });
    writeFileSync(join(directory, '.gitkeep'), '');
    const server = await startServerProcess(['--storage-path', directory]);
    expect(server.banner).toEndWith('(a new, empty store)');
    server.kill('SIGKILL');
    await server.exited;
  });

  test('takes its options from the environment, too', async () => {
    const env = { SVC_STORAGE: 'memory', SVC_CATALOG_MODE: 'schema', SVC_LOG_FORMAT: 'json' };
    const server = await startServerProcess(['--json'], { env });
    expect(server.banner).toContain(`"url": "${server.url}"`);
    const health = await (await fetch(`${server.url}/healthz`)).json();
    expect(health).toEqual({ status: 'ok', access: 'write', mode: 'schema' });
    server.kill('SIGTERM');
    expect(await server.exited).toBe(0);
    const events = (await server.stderr())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).event);
    expect(events).toEqual(['process.draining', 'process.stopped']);
  });

  test('structured logs stand alone: no line of text beside them', async () => {
    const { program } = await import('../support/program.ts');
    const flags = ['serve', '--addr', '127.0.0.1:0', '--storage', 'memory', '--log-format', 'json'];
    const child = Bun.spawn([...program, ...flags], { stdout: 'pipe', stderr: 'pipe' });
    const reader = child.stderr.getReader();
    const decoder = new TextDecoder();
    let text = '';
    while (!text.includes('\n')) text += decoder.decode((await reader.read()).value);
    child.kill('SIGTERM');
    expect(JSON.parse(text.split('\n', 1)[0] as string)).toMatchObject({
      event: 'process.listening',
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      location: 'memory',
    });
    await child.exited;
    expect(await new Response(child.stdout).text()).toBe('');
  });

  test('at level debug it tells every request but successful probes', async () => {
    const server = await startServerProcess([
      '--storage',
      'memory',
      '--log-level',
      'debug',
      '--log-format',
      'logfmt',
      '--json',
    ]);
    for (const path of ['/livez', '/info', '/nothing'])
      await (await fetch(server.url + path)).text();
    server.kill('SIGTERM');
    await server.exited;
    const lines = (await server.stderr()).trim().split('\n');
    const requests = lines.filter((line) => line.includes('event=http.request_completed'));
    expect(requests.map((line) => / url=\S+\d(\/\S*) status=(\d+) /.exec(line)?.slice(1))).toEqual([
      ['/info', '200'],
      ['/nothing', '404'],
    ]);
  });
});

describe('stop', () => {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const) {
    test(`${signal} ends it with 0, and what was acknowledged is there again`, async () => {
      const directory = newDirectory();
      const first = await startServerProcess(['--storage-path', directory]);
      await fetch(`${first.url}/tables`, { method: 'POST', headers, body: table });
      first.kill(signal);
      expect(await first.exited).toBe(0);
      expect(await first.stderr()).toContain('process.stopped');
      const second = await startServerProcess(['--storage-path', directory]);
      expect(await (await fetch(`${second.url}/tables`)).text()).toContain('"name":"t"');
      second.kill('SIGKILL');
      await second.exited;
    });
  }

  test('a request under way is finished first', async () => {
    const server = await startServerProcess(['--storage-path', newDirectory()]);
    const client = await openRawClient(server.port);
    client.send(
      `POST /tables HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nexpect: 100-continue\r\ncontent-length: ${table.length}\r\n\r\n`,
    );
    await client.until('100 Continue');
    server.kill('SIGTERM');
    await refusesConnections(server.port);
    client.send(table);
    expect(await client.closed).toContain('"name":"t"');
    expect(await server.exited).toBe(0);
  });

  test('during the drain delay it serves on, but is not ready; a second signal does not wait', async () => {
    const env = { SVC_SHUTDOWN_DRAIN_MS: '600000' };
    const server = await startServerProcess(['--storage', 'memory'], { env });
    server.kill('SIGTERM');
    while ((await fetch(`${server.url}/readyz`)).status === 200);
    expect((await fetch(`${server.url}/tables`)).status).toBe(200);
    server.kill('SIGTERM');
    expect(await server.exited).not.toBe(0);
    expect(await server.stderr()).toContain('http.probe_failed path=/readyz reason=draining');
  });

  test('a writer that has been fenced ends with 6, which nobody restarts', async () => {
    const directory = newDirectory();
    const server = await startServerProcess(['--storage-path', directory]);
    writeFileSync(join(directory, 'epoch', '0000000002'), '{}');
    expect(await server.exited).toBe(6);
    expect(await server.stderr()).toContain('storage.fenced');
  });
});

describe('what cannot start ends with 1 and says why', () => {
  test('a directory that another server has', async () => {
    const directory = newDirectory();
    const first = await startServerProcess(['--storage-path', directory]);
    const second = await runCommand([
      'serve',
      '--addr',
      '127.0.0.1:0',
      '--storage-path',
      directory,
    ]);
    expect([second.exitCode, second.stdout]).toEqual([1, '']);
    expect(second.stderr).toContain(`${directory} is in use by process ${first.pid} on`);
    expect(second.stderr).toContain(`serving 127.0.0.1:${first.port}`);
    // It has done no harm.
    expect((await fetch(`${first.url}/readyz`)).status).toBe(200);
    first.kill('SIGKILL');
    await first.exited;
    const third = await startServerProcess(['--storage-path', directory]);
    third.kill('SIGKILL');
    await third.exited;
  });

  test('an address that is taken', async () => {
    const first = await startServerProcess(['--storage', 'memory']);
    const addr = `127.0.0.1:${first.port}`;
    const second = await runCommand(['serve', '--addr', addr, '--storage', 'memory']);
    expect(second.exitCode).toBe(1);
    expect(second.stderr).toBe(
      `error: cannot listen on ${addr}: the address is in use; stop the process that listens there, or choose another address with --addr\n`,
    );
    first.kill('SIGKILL');
    await first.exited;
  });

  test('another catalog mode than the database was created with; the same, or none, is fine', async () => {
    const directory = newDirectory();
    const start = async (...mode: string[]) => {
      const server = await startServerProcess(['--storage-path', directory, ...mode]);
      const { mode: served } = (await (await fetch(`${server.url}/info`)).json()) as {
        mode: string;
      };
      server.kill('SIGTERM');
      await server.exited;
      return served;
    };
    expect(await start('--catalog-mode', 'schema')).toBe('schema');
    const flags = ['serve', '--addr', '127.0.0.1:0', '--storage-path', directory];
    const refused = await runCommand([...flags, '--catalog-mode', 'direct']);
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain(
      'created with --catalog-mode schema, which cannot be changed to direct',
    );
    expect(await start()).toBe('schema');
    expect(await start('--catalog-mode', 'schema')).toBe('schema');
  });

  test('a path that is no directory', async () => {
    const file = newDirectory();
    writeFileSync(file, 'x');
    const { exitCode, stderr } = await runCommand([
      'serve',
      '--addr',
      '127.0.0.1:0',
      '--storage-path',
      file,
    ]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(file);
    expect(stderr).toContain('check that --storage-path is a directory');
  });

  test('a manifest that is damaged', async () => {
    const directory = newDirectory();
    const manifests = join(directory, 'manifest');
    mkdirSync(manifests, { recursive: true });
    writeFileSync(join(manifests, '0000000001-0000000001'), 'rubbish');
    mkdirSync(join(directory, 'epoch'));
    writeFileSync(join(directory, 'epoch', '0000000001'), '');
    const { exitCode, stderr } = await runCommand([
      'serve',
      '--json',
      '--addr',
      '127.0.0.1:0',
      '--storage-path',
      directory,
    ]);
    expect(exitCode).toBe(1);
    const { error } = JSON.parse(stderr.slice(stderr.indexOf('{'))) as {
      error: Record<string, string>;
    };
    expect(['storage_corrupt', 'storage_format']).toContain(error['code'] as string);
    expect(error['message']).toContain('manifest/0000000001-0000000001');
  });
});

/** Resolves once the listener is closed. */
async function refusesConnections(port: number): Promise<void> {
  for (;;) {
    const client = await openRawClient(port).catch(() => undefined);
    if (client === undefined) return;
    client.end();
  }
}
