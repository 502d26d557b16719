/** The client under Bun and a proxy of the environment: a server of this machine is asked directly, another one through the proxy. */

import { afterAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { openCountingProxy, proxiedBy, withoutProxies } from '../../support/counting-proxy.ts';

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: () => Response.json({ result: ['by the server'], statements: [] }),
});
afterAll(() => server.stop(true));

const runtime = join(import.meta.dir, 'runtime.ts');
const vendored = join(import.meta.dir, '../../../examples/board/src/db/svc-runtime.gen.ts');

/** Prints what the client reads at each address. */
const script = (module: string) => `
import { createClient } from ${JSON.stringify(module)};
const query = { name: 'q', kind: 'query', readOnly: true, body: '{}', decode: (it) => it[0], locate: (it) => it };
const generated = { version: 1, hash: '', tables: [], compile: () => query, page: () => query };
for (const url of JSON.parse(process.argv[1])) {
  const db = createClient(generated, { url, schema: 'off', retry: { attempts: 1 } });
  console.log(await db.run(query).catch((error) => error.name));
  db.close();
}`;

async function read(
  urls: readonly string[],
  env: Readonly<Record<string, string>>,
  module = runtime,
): Promise<readonly string[]> {
  const child = Bun.spawn([process.execPath, '-e', script(module), JSON.stringify(urls)], {
    env: { ...process.env, ...withoutProxies, ...env },
    stdout: 'pipe',
    stderr: 'inherit',
  });
  return (await new Response(child.stdout).text()).trim().split('\n');
}

const ipv4 = ['127.0.0.1', 'localhost', 'LOCALHOST', '127.1', '127.0.0.1'].map(
  (host) => `svc://${host}:${server.port}`,
);

test.each([
  ['the runtime', runtime],
  ['the runtime as it is copied into applications', vendored],
])('%s asks a server of this machine', async (_, module) => {
  await using proxy = await openCountingProxy();
  const secure = `https://localhost:${server.port}`;
  const found = await read(
    [...ipv4, secure, `http://[::1]:${server.port}/a`],
    proxiedBy(proxy),
    module,
  );
  expect(found.slice(0, ipv4.length)).toEqual(ipv4.map(() => 'by the server'));
  expect(proxy.asked).toEqual([]);
});

test('a server of another machine is asked through the proxy', async () => {
  await using proxy = await openCountingProxy(server.url.origin);
  const urls = [
    'svc://db.invalid',
    'http://localhost.invalid/at',
    'http://127.0.0.1.invalid/http://localhost',
  ];
  expect(await read(urls, proxiedBy(proxy))).toEqual(urls.map(() => 'by the server'));
  expect(proxy.asked).toEqual([
    'POST http://db.invalid:7237/execute',
    'POST http://localhost.invalid/at/execute',
    'POST http://127.0.0.1.invalid/http://localhost/execute',
  ]);
});

test('unless NO_PROXY names that machine', async () => {
  await using proxy = await openCountingProxy(server.url.origin);
  const env = { ...proxiedBy(proxy), NO_PROXY: 'db.invalid' };
  expect(await read(['svc://db.invalid'], env)).toEqual(['TransportError']);
  expect(proxy.asked).toEqual([]);
});
