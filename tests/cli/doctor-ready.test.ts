/** `svc doctor ready`, the health check of the image: it reads the settings of the server, and trusts no server less than other commands do. */

import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeAuthority } from '../support/certificates.ts';
import { startServerProcess } from '../support/server-process.ts';
import { runCommand } from './run.ts';

const home = mkdtempSync(join(tmpdir(), 'svc-ready-'));
afterAll(() => rmSync(home, { recursive: true }));

const ready = (env: Readonly<Record<string, string>>, ...flags: string[]) =>
  runCommand(['doctor', 'ready', ...flags], env);

async function withServer(flags: readonly string[], use: (port: number) => Promise<void>) {
  const server = await startServerProcess(['--storage', 'memory', ...flags]);
  try {
    await use(server.port);
  } finally {
    server.kill('SIGKILL');
    await server.exited;
  }
}

test('a server that serves is ready at the address of its settings, also with :port and without a key', async () => {
  await withServer([], async (port) => {
    const common = { SVC_AUTH: 'keys', SVC_BEHIND_TLS_PROXY: 'true' };
    for (const addr of [`127.0.0.1:${port}`, `:${port}`, `0.0.0.0:${port}`, `localhost:${port}`]) {
      const { exitCode, stdout } = await ready({ ...common, SVC_ADDR: addr });
      expect([exitCode, stdout]).toEqual([0, expect.stringContaining('serving\nDoctor: ready')]);
    }
  });
});

test('a server that is not ready, an absent one, and one that is not svc fail', async () => {
  let status = 503;
  let text = '{"reason":"starting"}';
  using other = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () => new Response(text, { status }),
  });
  const env = { SVC_ADDR: `127.0.0.1:${other.port}` };
  expect(await ready(env)).toMatchObject({
    exitCode: 1,
    stdout: expect.stringMatching(/fail +ready +.*: starting\nDoctor: failed/),
  });
  [status, text] = [200, 'ok'];
  expect(await ready(env)).toMatchObject({
    exitCode: 1,
    stdout: expect.stringContaining('is not svc'),
  });
  await other.stop(true);
  expect(await ready(env, '--json')).toMatchObject({
    exitCode: 1,
    stdout: expect.stringContaining('no server listens there'),
  });
  expect(await ready({ SVC_ADDR: ':0' })).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('a fixed port'),
  });
});

describe.skipIf(Bun.which('openssl') === null)('with TLS', () => {
  const authority = makeAuthority(home, 'authority');
  const pair = authority.issue('server', ['db.example', 'other.example']);
  const wildcard = authority.issue('wildcard', ['*.db.example']);
  const address = authority.issue('address', ['127.0.0.1']);
  const settings = (port: number, { cert, key }: typeof pair) => ({
    SVC_ADDR: `:${port}`,
    SVC_AUTH: 'keys',
    SVC_TLS_CERT: cert,
    SVC_TLS_KEY: key,
  });

  test('the name is that of the certificate, and the authority must be trusted', async () => {
    for (const own of [pair, wildcard, address]) {
      await withServer(['--tls-cert', own.cert, '--tls-key', own.key], async (port) => {
        const env = settings(port, own);
        expect(await ready({ ...env, SVC_CA_FILE: authority.ca })).toMatchObject({ exitCode: 0 });
        expect(await ready(env, '--ca-file', authority.ca)).toMatchObject({ exitCode: 0 });
        expect(await ready(env)).toMatchObject({
          exitCode: 1,
          stdout: expect.stringContaining('--ca-file'),
        });
      });
    }
  }, 60_000);

  test('a server of another name or of another authority is refused', async () => {
    const others = [
      makeAuthority(home, 'other').issue('server', ['db.example']),
      authority.issue('stranger', ['stranger.example']),
    ];
    for (const other of others) {
      await withServer(['--tls-cert', other.cert, '--tls-key', other.key], async (port) => {
        const env = { ...settings(port, pair), SVC_CA_FILE: authority.ca };
        expect(await ready(env)).toMatchObject({
          exitCode: 1,
          stdout: expect.stringContaining('Doctor: failed'),
        });
      });
    }
  }, 60_000);

  test('a server of plain HTTP in its place is refused', async () => {
    await withServer([], async (port) => {
      expect(await ready({ ...settings(port, pair), SVC_CA_FILE: authority.ca })).toMatchObject({
        exitCode: 1,
      });
    });
  });
});
