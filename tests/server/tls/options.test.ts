/** The TLS options: combinations, and files that are refused at startup. */

import { afterAll, expect, test } from 'bun:test';
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readConfiguration } from '#server';
import { makeAuthority } from '../../support/certificates.ts';
import { outcomeOf } from '../../support/outcome.ts';
import { startTestServer } from '../test-server.ts';
import { textOf } from './support.ts';

const directory = mkdtempSync(join(tmpdir(), 'svc-tls-options-'));
afterAll(() => rmSync(directory, { recursive: true }));

const authority = makeAuthority(directory, 'authority');
const one = authority.issue('one', ['one.example']);
const two = authority.issue('two', ['two.example']);

function written(name: string, text: string, mode = 0o600): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

test('several pairs, a version and authorities', () => {
  const flags = { 'tls-cert': 'a.pem,b.pem', 'tls-key': 'a.key,b.key', 'tls-client-ca': 'ca.pem' };
  const env = { SVC_TLS_MIN_VERSION: '1.3', SVC_TLS_CLIENT_CRL: 'ca.crl' };
  expect(readConfiguration(flags, env).tls).toEqual({
    prefix: 'tls',
    pairs: [
      { certPath: resolve('a.pem'), keyPath: resolve('a.key') },
      { certPath: resolve('b.pem'), keyPath: resolve('b.key') },
    ],
    minVersion: '1.3',
    clientCaPath: resolve('ca.pem'),
    clientCrlPath: resolve('ca.crl'),
  });
});

const pair = { 'tls-cert': 'a.pem', 'tls-key': 'a.key' };

test.each([
  [
    { 'tls-cert': 'a.pem' },
    '--tls-key is not set: expected a file with the private key of --tls-cert',
  ],
  [
    { 'tls-key': 'a.key' },
    '--tls-cert is not set: expected a file with the certificate of --tls-key',
  ],
  [
    { ...pair, 'tls-cert': 'a.pem,b.pem' },
    '--tls-key is "a.key": expected a private key for each --tls-cert',
  ],
  [{ ...pair, 'tls-cert': 'a.pem,,b.pem' }, '--tls-cert is "a.pem,,b.pem"'],
  [{ ...pair, 'tls-min-version': '1.1' }, '--tls-min-version is "1.1": expected one of 1.2, 1.3'],
  [{ 'tls-min-version': '1.3' }, 'only with --tls-cert and --tls-key'],
  [{ 'tls-client-ca': 'ca.pem' }, 'only with --tls-cert and --tls-key'],
  [{ ...pair, 'tls-client-crl': 'crl.pem' }, 'only with --tls-client-ca'],
  [{ ...pair, 'tls-client-ca': '' }, '--tls-client-ca is ""'],
])('%o is refused', (flags, message) => {
  expect(() => readConfiguration(flags as Record<string, string>, {})).toThrow(message);
});

const usable = { 'tls-cert': one.cert, 'tls-key': one.key };

test.each([
  [
    'the key of another certificate',
    () => ({ 'tls-key': two.key }),
    `of the first certificate in ${one.cert}`,
  ],
  [
    'a second pair that does not fit',
    () => ({ 'tls-cert': `${one.cert},${two.cert}`, 'tls-key': `${one.key},${one.key}` }),
    `of the first certificate in ${two.cert}`,
  ],
  [
    'a key that others can read',
    () => ({ 'tls-key': written('open.key', textOf(one.key), 0o604) }),
    'chmod 600',
  ],
  [
    'a link to such a key',
    () => {
      const path = join(directory, 'link.key');
      symlinkSync(written('linked.key', textOf(one.key), 0o644), path);
      return { 'tls-key': path };
    },
    'chmod 600',
  ],
  [
    'a certificate that others can write',
    () => ({ 'tls-cert': written('open.pem', textOf(one.cert), 0o606) }),
    'chmod o-w',
  ],
  [
    'authorities that others can write',
    () => ({ 'tls-client-ca': written('open.ca', textOf(authority.ca), 0o666) }),
    'chmod o-w',
  ],
  [
    'authorities without a certificate',
    () => ({ 'tls-client-ca': written('empty.ca', '') }),
    'a PEM certificate',
  ],
  [
    'revocations of another kind',
    () => ({ 'tls-client-ca': authority.ca, 'tls-client-crl': one.cert }),
    'a PEM certificate revocation list',
  ],
  ['a directory', () => ({ 'tls-cert': directory }), 'a regular file'],
  [
    'an encrypted key',
    () => ({
      'tls-key': written(
        'encrypted.key',
        '-----BEGIN ENCRYPTED PRIVATE KEY-----\nAA==\n-----END ENCRYPTED PRIVATE KEY-----\n',
      ),
    }),
    'not encrypted',
  ],
])('%s is refused before the server listens', async (_name, flags, message) => {
  expect(await outcomeOf(startTestServer({ ...usable, ...flags() }))).toThrow(message);
});

test('a group may read the files', async () => {
  const key = written('group.key', textOf(one.key), 0o640);
  const cert = written('group.pem', textOf(one.cert), 0o664);
  await using server = await startTestServer({
    storage: 'memory',
    'tls-cert': cert,
    'tls-key': key,
  });
  expect(server.server.url).toStartWith('https:');
});
