/** `svc statistics erase`: what it asks of people and of the admin listener. */

import { expect, test } from 'bun:test';
import { adminOrigin } from '../../src/cli/statistics/admin-origin.ts';
import { answering, runWithin, type ShellOptions, shellFor } from './within.ts';

const hash = 'ab'.repeat(16);
const erased = { deleted: 1_203, executions: 1_202, programs: 1 };
const path = '/api/statistics/corpus';

const listener = () =>
  answering({ [`DELETE ${path}`]: erased, [`DELETE ${path}/${hash}`]: erased });

async function erase(url: string, more: readonly string[], options: ShellOptions = {}) {
  const { shell, asked } = shellFor(options);
  const ran = await runWithin(shell, ['statistics', 'erase', '--admin-url', url, ...more]);
  return { ...ran, asked };
}

test('erases all programs, or the one that is named', async () => {
  using admin = listener();
  const { exitCode, stdout } = await erase(admin.url, ['--yes']);
  expect([exitCode, stdout]).toEqual([0, 'erased 1 program and 1,202 execution records']);
  expect(admin.requests).toEqual([`DELETE ${path}`]);
  const one = await erase(admin.url, [hash.toUpperCase(), '-y'], { mode: 'json' });
  const admin_url = admin.url.replace('svc:', 'http:');
  expect(JSON.parse(one.stdout)).toEqual({ admin_url, ...erased });
  expect(admin.requests[1]).toBe(`DELETE ${path}/${hash}`);
});

test('asks first, and without a yes nothing is sent', async () => {
  using admin = listener();
  const silent = await erase(admin.url, []);
  expect(silent.trouble).toMatchObject({ exitCode: 5, code: 'confirmation_required' });
  const no = await erase(admin.url, [hash], { answers: ['n'] });
  expect(no.trouble).toMatchObject({ exitCode: 5, code: 'erasure_cancelled' });
  expect(no.asked[0]).toContain(`Erase program ${hash}`);
  expect(admin.requests).toEqual([]);
  const yes = await erase(admin.url, [], { answers: ['y'] });
  expect([yes.exitCode, yes.asked[0]]).toEqual([0, expect.stringContaining('all programs')]);
  expect(admin.requests.length).toBe(1);
});

test('a hash that is none, a listener that is not there, and refusals', async () => {
  using admin = listener();
  const other = await erase(admin.url, ['ab', '--yes']);
  expect(other.trouble).toMatchObject({ exitCode: 2 });
  const missing = await erase(admin.url, ['cd'.repeat(16), '--yes']);
  expect(missing.trouble).toMatchObject({ exitCode: 1, code: 'not_found' });
  const nowhere = await erase('127.0.0.1', ['--yes']);
  expect(nowhere.trouble).toMatchObject({ exitCode: 2, code: 'usage' });
  const silent = await erase('svc://127.0.0.1:1', ['--yes']);
  expect(silent.trouble).toMatchObject({ exitCode: 7, code: 'unreachable' });
  expect(silent.trouble?.hint).toContain('--admin-addr');
});

test('the admin listener is on the port after the database, unless it is named', () => {
  expect(adminOrigin(undefined, 'http://127.0.0.1:7237')).toBe('http://127.0.0.1:7238');
  expect(adminOrigin(undefined, 'http://[::1]:9000')).toBe('http://[::1]:9001');
  const named = 'http://127.0.0.1:4444';
  expect(adminOrigin(named, 'http://127.0.0.1:7237')).toBe(named);
  expect(() => adminOrigin(undefined, 'http://127.0.0.1:65535')).toThrow('no next port');
});
