/** Handshakes with the public listener: versions, server names and client certificates. */

import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeAuthority } from '../../support/certificates.ts';
import { openRawClient } from '../../support/raw-client.ts';
import { startTestServer } from '../test-server.ts';
import { flagsOf, handshake } from './support.ts';

const directory = mkdtempSync(join(tmpdir(), 'svc-handshakes-'));
afterAll(() => rmSync(directory, { recursive: true }));

const ours = makeAuthority(directory, 'ours');
const others = makeAuthority(directory, 'others');
const first = ours.issue('first', ['first.example', '127.0.0.1']);
const second = ours.issue('second', ['second.example', '*.second.example']);
/** A certificate with a name of the first one, and without an alternative name. */
const third = ours.issue('third.example');
const again = ours.issue('again', ['first.example', 'again.example']);

const start = (flags: Record<string, string>) => startTestServer({ storage: 'memory', ...flags });

describe('versions', () => {
  const versions = ['-tls1', '-tls1_1', '-tls1_2', '-tls1_3'];
  const served = async (flags: Record<string, string>, name?: string) => {
    await using server = await start({ ...flagsOf('tls', [first, second]), ...flags });
    const asked = versions.map((version) =>
      handshake(server.port, name === undefined ? { version } : { version, name }),
    );
    const results = await Promise.all(asked);
    return versions.filter((_, i) => results[i]?.isServed);
  };

  test('1.2 and 1.3 are served', async () => {
    expect(await served({})).toEqual(['-tls1_2', '-tls1_3']);
  });

  test.each([undefined, 'second.example'])('only 1.3 if it is the oldest: %s', async (name) => {
    expect(await served({ 'tls-min-version': '1.3' }, name)).toEqual(['-tls1_3']);
  });
});

test('the server name selects the certificate, the first one is the default', async () => {
  await using server = await start(flagsOf('tls', [first, second, third, again]));
  const names = {
    'first.example': 'first',
    'second.example': 'second',
    'any.second.example': 'second',
    'third.example': 'third.example',
    'again.example': 'again',
    'unknown.example': 'first',
  };
  const asked = Object.keys(names).map((name) => handshake(server.port, { name }));
  const subjects = (await Promise.all(asked)).map(({ subject }) => subject);
  expect(subjects).toEqual(Object.values(names));
  expect((await handshake(server.port)).subject).toBe('first');
});

describe('client certificates', () => {
  const client = ours.issue('client');
  const revoked = ours.issue('revoked');
  const foreign = others.issue('foreign');
  const crl = ours.revoke(revoked);
  const names = [undefined, 'first.example', 'second.example', 'any.second.example', 'x.example'];
  const clients = { none: undefined, client, revoked, foreign };

  const admitted = async (flags: Record<string, string>) => {
    await using server = await start({ ...flagsOf('tls', [first, second]), ...flags });
    return await Promise.all(
      names.map(async (name) => {
        const kinds = Object.entries(clients).map(async ([kind, pair]) => {
          const asked = { ...(name && { name }), ...(pair && { client: pair }) };
          return (await handshake(server.port, asked)).isServed ? [kind] : [];
        });
        return (await Promise.all(kinds)).flat();
      }),
    );
  };

  test('one of the authority is needed for every server name, and without one', async () => {
    const found = await admitted({ 'tls-client-ca': ours.ca });
    expect(found).toEqual(names.map(() => ['client', 'revoked']));
  });

  test('a revoked one is refused for every server name, and without one', async () => {
    const found = await admitted({ 'tls-client-ca': ours.ca, 'tls-client-crl': crl });
    expect(found).toEqual(names.map(() => ['client']));
  });
});

test('plain HTTP on the port gets no response', async () => {
  await using server = await start(flagsOf('tls', [first]));
  const client = await openRawClient(server.port);
  client.send('GET /livez HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n');
  expect(await client.closed).toBe('');
});

test('the URL has the scheme of the listener', async () => {
  await using server = await start(flagsOf('tls', [first]));
  expect(server.server.url).toBe(`https://127.0.0.1:${server.port}`);
});
