/** Requests and a proxy of the environment: this machine is asked directly, other machines through the proxy. */

import { afterAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { openCountingProxy, proxyVariables, withoutProxies } from '../support/counting-proxy.ts';

const proxy = await openCountingProxy();
const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('direct') });
afterAll(async () => {
  await server.stop(true);
  await proxy[Symbol.asyncDispose]();
});

const door = JSON.stringify(join(import.meta.dir, '../../src/base/index.ts'));
const script = `
import { routedFetch } from ${door};
for (const url of JSON.parse(process.argv[1])) {
  await routedFetch(url).then((response) => response.text()).catch(() => {});
}`;

/** What the proxy was asked for by a process that asks for all of `urls`. */
async function proxied(urls: readonly string[], env: Readonly<Record<string, string>>) {
  const before = proxy.asked.length;
  const child = Bun.spawn([process.execPath, '-e', script, JSON.stringify(urls)], {
    env: { ...process.env, ...withoutProxies, ...env },
  });
  expect(await child.exited).toBe(0);
  return proxy.asked.slice(before);
}

const port = server.port;
const local = [
  `http://127.0.0.1:${port}/`,
  `http://127.0.0.2:${port}/`,
  `http://127.1:${port}/`,
  `http://2130706433:${port}/`,
  `http://0.0.0.0:${port}/`,
  `http://localhost:${port}/`,
  `http://LOCALHOST:${port}/`,
  `http://localhost.:${port}/`,
  `http://db.localhost:${port}/`,
  `http://[::1]:${port}/`,
  `http://[::]:${port}/`,
  `http://[0:0:0:0:0:0:0:1]:${port}/`,
  `http://[::ffff:127.0.0.1]:${port}/`,
  `http://user:secret@127.0.0.1:${port}/`,
];
const remote = [
  'http://db.invalid:7237/',
  'http://localhost.invalid/',
  'http://127.0.0.1.invalid/',
  'http://notlocalhost/',
  'http://192.0.2.1/127.0.0.1',
  'http://[2001:db8::1]/',
  'http://[::ffff:c000:201]/',
  'http://localhost@db.invalid/',
];

test('without a proxy nothing is proxied', async () => {
  expect(await proxied(local, {})).toEqual([]);
});

test.each(proxyVariables)('%s is not for this machine', async (name) => {
  const secure = local.map((url) => url.replace('http:', 'https:'));
  expect(await proxied([...local, ...secure], { [name]: proxy.url })).toEqual([]);
});

test.each(['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'])(
  '%s is for other machines',
  async (name) => {
    const asked = await proxied(remote, { [name]: proxy.url });
    expect(asked).toHaveLength(remote.length);
    expect(asked[0]).toStartWith('GET http://db.invalid:7237/');
  },
);

test.each(['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY'])('%s is for TLS', async (name) => {
  const asked = await proxied(['https://db.invalid:7237/'], { [name]: proxy.url });
  expect(asked).toEqual(['CONNECT db.invalid:7237']);
});

test.each([
  ['db.invalid', 'http://other.invalid/'],
  ['x, DB.INVALID', 'http://other.invalid/'],
  ['.invalid', 'http://other.test/'],
  ['*.invalid', 'http://other.test/'],
  ['db.invalid:7237', 'http://db.invalid:8000/'],
])('NO_PROXY=%s is asked directly', async (list, other) => {
  const urls = ['http://db.invalid:7237/', other];
  const env = { HTTP_PROXY: proxy.url, NO_PROXY: list };
  expect(await proxied(urls, env)).toEqual([`GET ${other}`]);
  expect(await proxied(urls, { http_proxy: proxy.url, no_proxy: list })).toEqual([`GET ${other}`]);
});

test('NO_PROXY=* turns a proxy off', async () => {
  const urls = ['http://db.invalid:7237/', 'http://other.test/'];
  expect(await proxied(urls, { HTTP_PROXY: proxy.url, NO_PROXY: '*' })).toEqual([]);
});
