/** A server and a proxy of the environment: a bucket, a writer and a collector of this machine are asked directly. */

import { expect, setDefaultTimeout, test } from 'bun:test';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startFakeServer } from '../s3/fake-server.ts';
import { openCountingProxy, proxiedBy, withoutProxies } from '../support/counting-proxy.ts';
import { OtlpCollector } from '../support/otlp-collector.ts';
import { program } from '../support/program.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';

// Only ends what hangs.
setDefaultTimeout(60_000);

async function stop(server: ServerProcess): Promise<void> {
  server.kill('SIGTERM');
  expect(await server.exited).toBe(0);
}

const json = { 'content-type': 'application/json' };

async function post(server: ServerProcess, path: string, body: object): Promise<number> {
  const sent = { method: 'POST', headers: json, body: JSON.stringify(body) };
  const response = await fetch(`${server.url}${path}`, { ...sent, proxy: false });
  await response.text();
  return response.status;
}

const table = { name: 't', columns: [{ name: 'id', type: 'int64' }], primary_key: ['id'] };
const scan = { s: { kind: 'scan', table: 't', scope: 's' } };
const id = { kind: 'col', scope: 's', column: 'id' };
const ordered = { ...scan, o: { kind: 'order', input: 's', terms: [{ expr: id }] } };
const relation = { nodes: ordered, root: { node: 'o', cardinality: 'many' } };
const query = { statements: [{ kind: 'query', name: 'q', relation }], result: 'q' };

const keys = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' };
const bucket = ['--storage', 's3', '--s3-bucket', 'bucket', '--s3-region', 'us-east-1'];

test('a bucket on loopback', async () => {
  await using proxy = await openCountingProxy();
  await using store = await startFakeServer();
  const server = await startServerProcess([...bucket, '--s3-endpoint', store.endpoint], {
    env: { ...proxiedBy(proxy), ...keys },
  });
  expect(await post(server, '/tables', table)).toBe(200);
  await stop(server);
  expect(store.requests.length).toBeGreaterThan(0);
  expect(proxy.asked).toEqual([]);
});

test('a bucket of another machine is asked through the proxy', async () => {
  await using proxy = await openCountingProxy();
  const endpoint = ['--s3-endpoint', 'http://s3.invalid', '--s3-insecure'];
  // The server waits for its bucket, and is not ready before.
  const server = Bun.spawn([...program, 'serve', '--addr', '127.0.0.1:0', ...bucket, ...endpoint], {
    env: { ...process.env, ...proxiedBy(proxy), ...keys },
    stdout: 'ignore',
    stderr: 'ignore',
  });
  expect(await proxy.first).toContain(' http://s3.invalid/bucket');
  server.kill('SIGKILL');
  await server.exited;
});

test('the writer that a reader tells', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'svc-proxy-'));
  const tokenFile = join(directory, 'token');
  writeFileSync(tokenFile, 'x'.repeat(32));
  chmodSync(tokenFile, 0o600);
  const told: string[] = [];
  using target = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request) => {
      told.push(new URL(request.url).pathname);
      return Response.json({ reason: 'absorbed' });
    },
  });
  await using proxy = await openCountingProxy();
  const path = ['--storage', 'file', '--storage-path', join(directory, 'data')];
  const writer = await startServerProcess(path, { env: withoutProxies });
  expect(await post(writer, '/tables', table)).toBe(200);
  const relay = ['--relay-target', `http://localhost:${target.port}`];
  const reader = await startServerProcess(
    [...path, '--role', 'read', ...relay, '--relay-token-file', tokenFile],
    { env: proxiedBy(proxy) },
  );
  expect(await post(reader, '/execute', query)).toBe(200);
  // A reader tells the rest before it ends.
  await stop(reader);
  await stop(writer);
  rmSync(directory, { recursive: true });
  expect(told).toContain('/internal/statistics/observations');
  expect(proxy.asked).toEqual([]);
});

test('a collector on loopback', async () => {
  await using proxy = await openCountingProxy();
  const collector = new OtlpCollector();
  const server = await startServerProcess(
    ['--storage', 'memory', '--otel-endpoint', collector.endpoint],
    { env: proxiedBy(proxy) },
  );
  expect(await post(server, '/tables', table)).toBe(200);
  await stop(server);
  expect(collector.takeSpans().length).toBeGreaterThan(0);
  expect(collector.metrics.length).toBeGreaterThan(0);
  expect(proxy.asked).toEqual([]);
  await collector.stop();
});
