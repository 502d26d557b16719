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
