/** What `svc init` says to do next leads to the database that the project names. */

import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from './run.ts';

const home = mkdtempSync(join(tmpdir(), 'svc-init-'));
afterAll(() => rmSync(home, { recursive: true }));

test.each([
  ['svc://127.0.0.1:7237', 'svc serve --catalog-mode schema    in'],
  ['svc://127.0.0.1:8500', 'svc serve --catalog-mode schema --addr 127.0.0.1:8500    in'],
  ['svc://localhost:8500', 'svc serve --catalog-mode schema --addr localhost:8500    in'],
  ['svc://db.example:8500', 'svc serve --catalog-mode schema    in'],
])('for %s', async (url, hint) => {
  const directory = url.replaceAll(/\W+/g, '-');
  const argv = ['init', directory, '--yes', '--database-url', url];
  const { exitCode, stdout } = await runCommand(argv, {}, home);
  expect(exitCode).toBe(0);
  expect(stdout).toContain(hint);
});

test('the database of SVC_DATABASE_URL is that of the new project, unless the flag names one', async () => {
  const env = { SVC_DATABASE_URL: 'svc://127.0.0.1:8600' };
  const configOf = async (directory: string, ...flags: readonly string[]) => {
    const { exitCode } = await runCommand(['init', directory, '--yes', ...flags], env, home);
    expect(exitCode).toBe(0);
    return Bun.file(join(home, directory, 'svc.config.yaml')).text();
  };
  expect(await configOf('variable')).toContain('svc://127.0.0.1:8600');
  expect(await configOf('flag', '--database-url', 'svc://db.example')).toContain(
    'svc://db.example',
  );
  const wrong = { SVC_DATABASE_URL: 'no address' };
  const refused = await runCommand(['init', 'wrong', '--yes'], wrong, home);
  expect([refused.exitCode, refused.stderr]).toEqual([
    2,
    expect.stringContaining('SVC_DATABASE_URL: '),
  ]);
});
