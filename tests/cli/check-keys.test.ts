/** The check of API keys in `svc doctor security`. */

import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { drawKey, type KeyRecord } from '#access';
import { systemWorld } from '#base';
import { Unreachable } from '#client';
import { RefusedOption } from '#server';
import { checkKeys } from '../../src/cli/doctor/check-keys.ts';
import { startServerProcess } from '../support/server-process.ts';
import { runCommand } from './run.ts';

const home = mkdtempSync(join(tmpdir(), 'svc-check-keys-'));
afterAll(() => rmSync(home, { recursive: true }));

const nowMs = Date.parse('2026-05-01T00:00:00Z');
const inDays = (days: number) => new Date(nowMs + days * 86_400_000).toISOString();

const keyOf = (id: string, more: Partial<KeyRecord> = {}): KeyRecord => ({
  id,
  name: id,
  scopes: ['read'],
  claims: {},
  limits: {},
  policies: 'enforce',
  created_at: inDays(-30),
  expires_at: inDays(60),
  by: 'key admin',
  ...more,
});
const admin = keyOf('admin', { scopes: ['admin'] });

const parts = { acceptsKeys: true, acceptsTokens: false, isReader: false, nowMs };

async function check(keys: readonly KeyRecord[], more: Partial<typeof parts> = {}) {
  const connect = () => ({ list: async () => ({ auth_version: 1, keys }) });
  const { status, message } = await checkKeys({ ...parts, connect, ...more });
  return [status, message];
}

const containing = (text: string) => expect.stringContaining(text);

test('keys that expire and are used', async () => {
  expect(await check([admin, keyOf('app')])).toEqual(['pass', containing('2 live keys')]);
});

test('each risk names its keys; keys that have ended are none', async () => {
  const ended = [
    keyOf('revoked', { by: 'open', revoked_at: inDays(-1) }),
    keyOf('expired', { by: 'open', expires_at: inDays(-1) }),
  ];
  expect((await check([admin, ...ended]))[0]).toBe('pass');
  const { expires_at: _, ...endless } = keyOf('endless');
  expect(await check([admin, endless])).toEqual(['warning', containing('endless without expiry')]);
  const idle = keyOf('idle', { created_at: inDays(-200), last_used_at: inDays(-91) });
  expect(await check([admin, idle])).toEqual(['warning', containing('idle not used for 90 days')]);
  const used = { ...idle, last_used_at: inDays(-89) };
  expect((await check([admin, used]))[0]).toBe('pass');
  const never = keyOf('never', { created_at: inDays(-91) });
  expect(await check([admin, never])).toEqual(['warning', containing('never not used')]);
  const open = keyOf('stranger', { by: 'open' });
  expect(await check([admin, open])).toEqual(['warning', containing('without authentication')]);
  const many = Array.from({ length: 7 }, (_, i) => keyOf(`k${i}`, { by: 'open' }));
  expect((await check([admin, ...many]))[1]).toContain('k4 and 2 more');
});

test('the last admin key, unless tokens can be those of administrators', async () => {
  const ending = { ...admin, expires_at: inDays(13) };
  expect(await check([ending])).toEqual(['warning', containing('expires on 2026-05-14')]);
  expect((await check([ending, keyOf('other', { scopes: ['admin'] })]))[0]).toBe('pass');
  expect((await check([ending], { acceptsTokens: true }))[0]).toBe('pass');
});

test('a check that cannot be made says why', async () => {
  expect((await check([], { acceptsKeys: false }))[0]).toBe('pass');
  expect(await check([], { isReader: true })).toEqual(['pass', containing('writer')]);
  const withConnection = async (connect: Parameters<typeof checkKeys>[0]['connect']) => {
    const { status, message } = await checkKeys({ ...parts, connect });
    return [status, message];
  };
  expect(await withConnection(() => undefined)).toEqual([
    'warning',
    containing('SVC_ACCESS_TOKEN_FILE'),
  ]);
  const list = () => Promise.reject(new Unreachable('http://x', 'no server listens there'));
  expect(await withConnection(() => ({ list }))).toEqual([
    'warning',
    containing('no server listens there'),
  ]);
  const refuse = () => {
    throw new RefusedOption('--addr', ':0', 'an address with a fixed port');
  };
  expect(await withConnection(refuse)).toEqual(['warning', containing('fixed port')]);
});

test('the command lists the keys of the running server with an admin key', async () => {
  const { text } = drawKey(systemWorld().random);
  const file = join(home, 'admin.key');
  writeFileSync(file, text, { mode: 0o600 });
  const flags = ['--auth', 'keys', '--auth-bootstrap-key-file', file];
  const server = await startServerProcess(['--storage', 'memory', ...flags]);
  try {
    const argv = [
      'doctor',
      'security',
      '--storage',
      'memory',
      '--addr',
      `127.0.0.1:${server.port}`,
    ];
    const { stdout } = await runCommand([...argv, ...flags, '--access-token-file', file]);
    expect(stdout).toMatch(/warning +keys +keys \w{12} without expiry/);
    expect(stdout).not.toContain(text);
  } finally {
    server.kill('SIGKILL');
    await server.exited;
  }
});
