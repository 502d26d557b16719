/** Servers on names with several addresses, and on all interfaces: who reaches them, and who is refused. */

import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfiguration, Server, withHostAddresses } from '#server';
import { manualWorld, until } from '../support/manual-world.ts';
import { outcomeOf } from '../support/outcome.ts';

const log = { has: () => false, write: () => {} };
const known: Readonly<Record<string, readonly string[]>> = {
  pair: ['::1', '127.0.0.1', '127.0.0.1'],
  localhost: ['::1', '127.0.0.1'],
  // As Debian names the machine itself.
  'machine.test': ['127.0.1.1'],
};
const lookup = async (name: string) => {
  const found = known[name];
  if (found === undefined) throw new Error(`no ${name}`);
  return found;
};

async function start(flags: Record<string, string>) {
  const asked = readConfiguration({ storage: 'memory', ...flags }, {});
  const configuration = await withHostAddresses(asked, lookup);
  const world = manualWorld();
  const server = new Server(configuration, world, log);
  await server.opened;
  const { port } = new URL(server.url);
  return { server, port, [Symbol.asyncDispose]: () => until(server.stop(), world).then(() => {}) };
}

const ready = async (host: string, port: string) =>
  (await fetch(`http://${host}:${port}/readyz`)).status;

test('addresses of names, once each; numbers, and names that lead nowhere, stay as they are', async () => {
  const addressOf = async (addr: string) =>
    (await withHostAddresses(readConfiguration({ addr }, {}), lookup)).address;
  expect(await addressOf('pair:1')).toEqual({
    host: 'pair',
    port: 1,
    numeric: ['::1', '127.0.0.1'],
  });
  expect(await addressOf('nowhere:1')).toEqual({ host: 'nowhere', port: 1 });
  expect(await addressOf('127.0.0.1:1')).toEqual({ host: '127.0.0.1', port: 1 });
  expect(await addressOf(':1')).toEqual({ host: '::', port: 1, isEveryInterface: true });
});

test('a server takes all addresses of a name, and a second one is refused', async () => {
  await using first = await start({ addr: 'localhost:0' });
  const { port } = first;
  for (const host of ['[::1]', '127.0.0.1']) expect(await ready(host, port)).toBe(200);
  for (const host of ['localhost', 'pair', '127.0.0.1', '[::1]'])
    expect(await outcomeOf(start({ addr: `${host}:${port}` }))).toThrow('the address is in use');
});

test('a name of which one address is taken is refused, and holds none of the others', async () => {
  await using first = await start({ addr: '127.0.0.1:0' });
  const { port } = first;
  for (const host of ['localhost', '']) {
    const busy = start({ addr: `${host}:${port}`, insecure: 'true' });
    expect(await outcomeOf(busy)).toThrow('the address is in use');
  }
  await using second = await start({ addr: `[::1]:${port}` });
  expect(await ready('[::1]', second.port)).toBe(200);
});

test('all interfaces are those of IPv6, too', async () => {
  await using running = await start({ addr: ':0', insecure: 'true' });
  for (const host of ['[::1]', '127.0.0.1']) expect(await ready(host, running.port)).toBe(200);
  expect(await outcomeOf(start({ addr: `127.0.0.1:${running.port}` }))).toThrow('in use');
});

test('the internal listener takes all addresses of a name', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'svc-addresses-'));
  const token = join(directory, 'token');
  writeFileSync(token, 'a'.repeat(40), { mode: 0o600 });
  const flags = { addr: '127.0.0.1:0', 'relay-token-file': token };
  try {
    await using running = await start({ ...flags, 'internal-addr': 'localhost:0' });
    const { relay } = running.server as unknown as { relay: { address: { port: number } } };
    const { port } = relay.address;
    for (const host of ['[::1]', '127.0.0.1'])
      expect((await fetch(`http://${host}:${port}/`)).status).toBeGreaterThanOrEqual(400);
    const second = start({ ...flags, 'internal-addr': `localhost:${port}` });
    expect(await outcomeOf(second)).toThrow('choose another address with --internal-addr');
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('a name that leads to loopback alone is guarded against foreign hosts, and answers to itself', async () => {
  await using running = await start({ addr: 'machine.test:0' });
  const statusFor = async (host: string) => {
    const headers = { host: `${host}:${running.port}` };
    return (await fetch(`http://127.0.1.1:${running.port}/info`, { headers })).status;
  };
  expect([await statusFor('evil.example'), await statusFor('Machine.TEST')]).toEqual([403, 200]);
});

test('the admin listener takes all addresses of a name, or none', async () => {
  await using first = await start({ addr: '127.0.0.1:0' });
  const { port } = first;
  const flags = { addr: '127.0.0.1:0', 'admin-addr': `localhost:${port}` };
  expect(await outcomeOf(start(flags))).toThrow('the address is in use');
});
