/** Certificates that change while the server runs. */

import { afterAll, describe, expect, test } from 'bun:test';
import { chmodSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeAuthority, type Pair } from '../../support/certificates.ts';
import { until } from '../../support/manual-world.ts';
import { startServerProcess } from '../../support/server-process.ts';
import { startTestServer } from '../test-server.ts';
import { flagsOf, handshake, openLine, textOf } from './support.ts';
import { exchangeUnderLoad } from './under-load.ts';

const directory = mkdtempSync(join(tmpdir(), 'svc-reload-'));
afterAll(() => rmSync(directory, { recursive: true }));

const authority = makeAuthority(directory, 'authority');
const old = authority.issue('old', ['127.0.0.1']);
const renewed = authority.issue('renewed', ['127.0.0.1']);
const ca = textOf(authority.ca);
const installed: Pair = { cert: join(directory, 'cert.pem'), key: join(directory, 'cert.key') };

function install(pair: Pair) {
  copyFileSync(pair.cert, installed.cert);
  copyFileSync(pair.key, installed.key);
}

const subjectOf = async (port: number) => (await handshake(port)).subject;

async function started(flags: Record<string, string> = {}) {
  install(old);
  const server = await startTestServer({
    storage: 'memory',
    ...flagsOf('tls', [installed]),
    ...flags,
  });
  const reloads = () =>
    server.events
      .filter(({ event }) => event.startsWith('tls.'))
      .map(({ event, fields }) => [event, fields?.['error'] ?? fields?.['listener']]);
  return { ...server, reloads };
}

test('a changed pair is presented within ten seconds', async () => {
  await using server = await started();
  install(renewed);
  server.world.advance(9_999);
  expect(await subjectOf(server.port)).toBe('old');
  server.world.advance(1);
  expect(await subjectOf(server.port)).toBe('renewed');
  expect(server.reloads()).toEqual([['tls.reloaded', 'public']]);
});

test('an unchanged pair is not exchanged', async () => {
  await using server = await started();
  server.world.advance(60_000);
  expect(server.reloads()).toEqual([]);
});

describe('unusable files keep the former pair, are logged once, and are tried again', () => {
  const cases: Record<string, [spoil: () => void, message: string]> = {
    'a certificate without its key': [
      () => copyFileSync(renewed.cert, installed.cert),
      'of the first certificate in',
    ],
    'a key without its certificate': [
      () => copyFileSync(renewed.key, installed.key),
      'of the first certificate in',
    ],
    'half a certificate': [
      () => writeFileSync(installed.cert, textOf(renewed.cert).slice(0, 200)),
      'a complete PEM file (a certificate has no END line)',
    ],
    'a chain whose second certificate is incomplete': [
      () => writeFileSync(installed.cert, textOf(renewed.cert) + ca.slice(0, 200)),
      'a complete PEM file (a certificate has no END line)',
    ],
    'an empty certificate': [() => writeFileSync(installed.cert, ''), 'a PEM certificate'],
    'half a key': [
      () => writeFileSync(installed.key, textOf(renewed.key).slice(0, 100)),
      'a PEM private key',
    ],
    'an empty key': [() => writeFileSync(installed.key, ''), 'a PEM private key'],
    'an absent certificate': [() => rmSync(installed.cert), 'a file that can be read'],
    'a key that other users can read': [
      () => {
        install(renewed);
        chmodSync(installed.key, 0o644);
      },
      'other users cannot read or write',
    ],
    'a certificate that other users can write': [
      () => {
        install(renewed);
        chmodSync(installed.cert, 0o666);
      },
      'other users cannot write',
    ],
  };
  for (const [name, [spoil, message]] of Object.entries(cases)) {
    test(name, async () => {
      await using server = await started();
      spoil();
      server.world.advance(30_000);
      expect(await subjectOf(server.port)).toBe('old');
      expect(server.reloads()).toEqual([['tls.reload_failed', expect.stringContaining(message)]]);
      rmSync(installed.cert, { force: true });
      rmSync(installed.key);
      install(renewed);
      server.world.advance(10_000);
      expect(await subjectOf(server.port)).toBe('renewed');
      expect(server.reloads()).toHaveLength(2);
    });
  }
});

test('a revocation is in force after ten seconds', async () => {
  const client = authority.issue('leaving');
  const crl = join(directory, 'installed.crl');
  copyFileSync(authority.revoke(authority.issue('gone')), crl);
  await using server = await started({ 'tls-client-ca': authority.ca, 'tls-client-crl': crl });
  expect((await handshake(server.port, { client })).isServed).toBe(true);
  copyFileSync(authority.revoke(client), crl);
  server.world.advance(10_000);
  expect((await handshake(server.port, { client })).isServed).toBe(false);
});

test('a second exchange waits until the first one is complete', async () => {
  await using server = await started();
  install(renewed);
  server.server.reload();
  expect(await subjectOf(server.port)).toBe('renewed');
  install(old);
  server.server.reload();
  expect(await subjectOf(server.port)).toBe('renewed');
  server.world.advance(2_000);
  expect(await subjectOf(server.port)).toBe('old');
});

test('after a shutdown no file is read', async () => {
  await using server = await started();
  await server.server.opened;
  await until(server.server.stop(), server.world);
  install(renewed);
  server.server.reload();
  server.world.advance(20_000);
  expect(server.reloads()).toEqual([]);
});

test('the internal listener presents its own certificate, and a renewed one', async () => {
  install(old);
  const token = join(directory, 'token');
  writeFileSync(token, 'a'.repeat(40));
  chmodSync(token, 0o600);
  // One that no process has.
  const held = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() });
  const port = held.port as number;
  await held.stop(true);
  await using server = await startTestServer({
    storage: 'memory',
    'internal-addr': `127.0.0.1:${port}`,
    'relay-token-file': token,
    'internal-tls-client-ca': authority.ca,
    ...flagsOf('internal-tls', [installed]),
  });
  const client = authority.issue('reader');
  const identity = { ca, cert: textOf(client.cert), key: textOf(client.key) };
  expect(await (await openLine(port, identity)).get('/')).toContain('unauthorized');
  expect(await subjectOf(port)).toBe('old');
  install(renewed);
  expect(server.server.reload()).toBe(true);
  expect(await subjectOf(port)).toBe('renewed');
  const line = await openLine(port, { ca })
    .then(
      (anonymous) => anonymous.get('/'),
      () => Promise.reject(new Error('refused')),
    )
    .catch(() => 'refused');
  expect(line).toBe('refused');
});

describe('SIGHUP', () => {
  test('reads the files again', async () => {
    install(old);
    const flags = ['--storage', 'memory', '--tls-cert', installed.cert, '--tls-key', installed.key];
    const server = await startServerProcess(flags);
    install(renewed);
    server.kill('SIGHUP');
    let subject = 'old';
    while (subject === 'old') subject = (await handshake(server.port)).subject ?? '';
    expect(subject).toBe('renewed');
    server.kill('SIGTERM');
    expect(await server.exited).toBe(0);
  });

  test('stops a server without certificates', async () => {
    const server = await startServerProcess(['--storage', 'memory']);
    server.kill('SIGHUP');
    expect(await server.exited).toBe(0);
  });
});

test('exchanges under load lose no request', async () => {
  const { lost, exchanged } = await exchangeUnderLoad(2, 500);
  expect({ lost, exchanged }).toEqual({ lost: {}, exchanged: 2 });
});
