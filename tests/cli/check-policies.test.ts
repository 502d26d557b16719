/** The check of row policies in `svc doctor security`. */

import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { drawKey } from '#access';
import { systemWorld } from '#base';
import { Unreachable } from '#client';
import { checkPolicies } from '../../src/cli/doctor/check-policies.ts';
import { startServerProcess } from '../support/server-process.ts';
import { runCommand } from './run.ts';

const stateOf = (policies: object | undefined, ...names: string[]) => ({
  ...{ schema_version: 1, schema_hash: 'sha256:', policy_hash: 'sha256:' },
  schema: { tables: names.map((name, id) => ({ id, name, columns: [], primary_key: [] })) },
  ...(policies && { policies }),
});

async function check(state: object, hasAuthentication = true) {
  const connect = () => ({ schema: async () => state as never });
  const { status, message } = await checkPolicies({ connect, hasAuthentication });
  return [status, message];
}

const containing = (text: string) => expect.stringContaining(text);

test('tables without a policy are a warning', async () => {
  const policies = { claims: {}, tables: { a: { read: 'all' }, b: {} } };
  expect(await check(stateOf(undefined, 'a'))).toEqual(['pass', containing('no row policies')]);
  expect(await check(stateOf(policies, 'a', 'b'))).toEqual(['pass', containing('every table')]);
  const some = ['a', 'c', 'constructor', 'd', 'e', 'f', 'g'];
  expect(await check(stateOf(policies, ...some))).toEqual([
    'warning',
    containing('without a row policy: c, constructor, d, e, f and 1 more'),
  ]);
});

test('a check that cannot be made says why', async () => {
  expect(await check({}, false)).toEqual(['pass', containing('without --auth')]);
  const { policy_hash: _, ...hidden } = stateOf(undefined, 'a');
  expect(await check(hidden)).toEqual(['warning', containing('scope schema')]);
  const statusWith = async (connect: Parameters<typeof checkPolicies>[0]['connect']) =>
    (await checkPolicies({ connect, hasAuthentication: true })).message;
  expect(await statusWith(() => undefined)).toContain('SVC_ACCESS_TOKEN_FILE');
  const schema = () => Promise.reject(new Unreachable('http://x', 'no server listens there'));
  expect(await statusWith(() => ({ schema }))).toContain('no server listens there');
});

test('the command reads the policies of the running server', async () => {
  const home = mkdtempSync(join(tmpdir(), 'svc-check-policies-'));
  const file = join(home, 'admin.key');
  writeFileSync(file, drawKey(systemWorld().random).text, { mode: 0o600 });
  const flags = ['--auth', 'keys', '--auth-bootstrap-key-file', file];
  const server = await startServerProcess(['--storage', 'memory', ...flags]);
  try {
    const address = ['--addr', `127.0.0.1:${server.port}`];
    const argv = ['doctor', 'security', '--storage', 'memory', ...address];
    const { stdout } = await runCommand([...argv, ...flags, '--access-token-file', file]);
    expect(stdout).toMatch(/pass +policies +the database has no row policies/);
  } finally {
    server.kill('SIGKILL');
    await server.exited;
    rmSync(home, { recursive: true });
  }
});
