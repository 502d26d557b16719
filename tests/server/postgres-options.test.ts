/** `--frontend` and `--postgres-*`. */

import { expect, test } from 'bun:test';
import { readConfiguration } from '../../src/server/configuration.ts';

const read = (flags: Readonly<Record<string, string>>) => readConfiguration(flags, {}).postgres;
const refused = (flags: Readonly<Record<string, string>>): string | undefined => {
  try {
    read(flags);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
};

test('there is no listener without --frontend postgres', () => {
  expect(read({})).toBeUndefined();
  expect(read({ frontend: 'none' })).toBeUndefined();
});

test('the defaults of the listener', () => {
  expect(read({ frontend: 'postgres' })).toEqual({
    address: { host: '127.0.0.1', port: 5432 },
    auth: 'trust',
    connectionsMax: 5000,
    messageBytesMax: 64 << 20,
    transactionTimeoutMs: 300_000,
    idleTransactionTimeoutMs: 60_000,
    sendTimeoutMs: 60_000,
  });
  expect(read({ frontend: 'postgres', auth: 'keys' })?.auth).toBe('token');
});

test.each([
  [{ 'postgres-addr': '127.0.0.1:1' }, 'only with --frontend postgres'],
  [{ frontend: 'mysql' }, 'one of none, postgres'],
  [{ frontend: 'postgres', 'postgres-addr': '0.0.0.0:5432' }, 'not encrypted yet'],
  [{ frontend: 'postgres', 'postgres-addr': ':5432' }, 'not encrypted yet'],
  [{ frontend: 'postgres', 'postgres-auth': 'scram' }, 'not available yet'],
  [{ frontend: 'postgres', 'postgres-auth': 'token' }, '--auth keys or jwt'],
  [{ frontend: 'postgres', auth: 'keys', 'postgres-auth': 'trust' }, '--auth requires credentials'],
  [{ frontend: 'postgres', 'postgres-max-connections': '0' }, 'an integer from 1'],
  [{ frontend: 'postgres', 'audit-log': 'stderr', 'audit-level': 'write' }, 'contains no SQL yet'],
])('unsafe and unknown values are refused: %o', (flags, message) => {
  expect(refused(flags as unknown as Readonly<Record<string, string>>)).toContain(message);
});
