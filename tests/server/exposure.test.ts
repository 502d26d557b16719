/** Which servers may start: each row of the table in docs/security.md, and each spelling of an address. */

import { describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RefusedConfiguration } from '#server';
import { parseAddress } from '../../src/server/address.ts';
import { type AuthMode, exposureOf } from '../../src/server/security/exposure.ts';
import { outcomeOf } from '../support/outcome.ts';
import { program } from '../support/program.ts';
import { startTestServer } from './test-server.ts';

const outside = [
  '0.0.0.0:7237',
  ':7237',
  '*:7237',
  '[::]:7237',
  '10.0.0.5:7237',
  '[2001:db8::1]:7237',
  'db.example:7237',
];
const loopback = [
  '127.0.0.1:7237',
  '127.9.9.9:7237',
  '[::1]:7237',
  'localhost:7237',
  '[::ffff:127.0.0.1]:7237',
];
const everything = [false, true].flatMap((hasTls) =>
  [false, true].flatMap((isInsecure) =>
    [false, true].map((isBehindTlsProxy) => ({ hasTls, isInsecure, isBehindTlsProxy })),
  ),
);
const authentication: readonly (readonly AuthMode[])[] = [[], ['keys'], ['jwt'], ['keys', 'jwt']];

function verdict(addr: string, auth: readonly AuthMode[], flags: (typeof everything)[number]) {
  const address = parseAddress(addr);
  if (address === undefined) throw new Error(addr);
  try {
    return exposureOf({ address, auth, ...flags });
  } catch (error) {
    expect(error).toBeInstanceOf(RefusedConfiguration);
    return (error as Error).message;
  }
}

describe('on loopback every server starts', () => {
  test.each(loopback)('%s', (addr) => {
    for (const auth of authentication)
      for (const flags of everything) expect(verdict(addr, auth, flags)).toBe('closed');
  });
});

describe.each(outside)('on %s', (addr) => {
  const shown = addr.replace(/^\*/, '');

  test('a server without authentication starts only with --insecure', () => {
    for (const flags of everything) {
      expect(verdict(addr, [], flags)).toBe(
        flags.isInsecure
          ? 'exposed'
          : `--addr ${shown} can be reached from outside without authentication: add --auth keys, listen on 127.0.0.1, or add --insecure`,
      );
    }
  });

  test('a server with authentication starts only with TLS, or behind a proxy that has it', () => {
    for (const auth of authentication.slice(1)) {
      for (const flags of everything) {
        expect(verdict(addr, auth, flags)).toBe(
          flags.hasTls || flags.isBehindTlsProxy
            ? 'closed'
            : `--addr ${shown} can be reached from outside without TLS: add --tls-cert and --tls-key, listen on 127.0.0.1, or add --behind-tls-proxy`,
        );
      }
    }
  });
});

test('a name counts by its addresses', () => {
  const closed = { auth: [], hasTls: false, isInsecure: false, isBehindTlsProxy: false };
  const named = (...numeric: string[]) => ({ host: 'db.test', port: 1, numeric });
  expect(exposureOf({ ...closed, address: named('127.0.0.1', '::1') })).toBe('closed');
  expect(() => exposureOf({ ...closed, address: named('127.0.0.1', '10.0.0.1') })).toThrow(
    '--addr db.test:1 can be reached',
  );
});

describe('the process', () => {
  const run = (args: readonly string[], env: Record<string, string> = {}) => {
    const { exitCode, stderr } = Bun.spawnSync(
      [...program, 'serve', '--storage', 'memory', ...args],
      {
        env: { ...process.env, ...env },
      },
    );
    return [exitCode, stderr.toString().split('\n')[0]];
  };
  const refused = (shown: string) => [
    2,
    `error: --addr ${shown} can be reached from outside without authentication: add --auth keys, listen on 127.0.0.1, or add --insecure`,
  ];

  test('ends with exit code 2 before it listens, for flags, variables and addresses without a host', () => {
    expect(run(['--addr', '0.0.0.0:7237'])).toEqual(refused('0.0.0.0:7237'));
    expect(run(['--addr', ':0'])).toEqual(refused(':0'));
    expect(run([], { SVC_ADDR: ':7237' })).toEqual(refused(':7237'));
    expect(run(['--addr', ':0', '--insecure', 'false'])).toEqual(refused(':0'));
    expect(run(['--addr', ':0'], { SVC_BEHIND_TLS_PROXY: 'true' })).toEqual(refused(':0'));
  });
});

describe('the internal listener needs TLS beyond loopback, its token is its key', () => {
  const directory = mkdtempSync(join(tmpdir(), 'svc-exposure-'));
  const token = join(directory, 'token');
  writeFileSync(token, 'a'.repeat(40), { mode: 0o600 });
  const flags = { storage: 'memory', 'relay-token-file': token, 'internal-addr': '0.0.0.0:0' };

  test.each([{}, { insecure: 'true' }])('%o', async (more) => {
    expect(await outcomeOf(startTestServer({ ...flags, ...more }))).toThrow(
      '--internal-addr 0.0.0.0:0 can be reached from outside without TLS: add --internal-tls-cert and --internal-tls-key, listen on 127.0.0.1, or add --behind-tls-proxy',
    );
  });

  test('behind a proxy it starts', async () => {
    await using server = await startTestServer({ ...flags, 'behind-tls-proxy': 'true' });
    await server.server.opened;
    rmSync(directory, { recursive: true });
  });
});
