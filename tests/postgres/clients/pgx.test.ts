/** pgx 5: the scenarios of `go/`, which Go compiles first. */

import { afterAll, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { go } from '../../codegen/go/support.ts';
import { testScenarios } from './scenario.ts';
import { scenariosOf } from './script-process.ts';

const source = join(import.meta.dir, 'go');
const folder = mkdtempSync(join(tmpdir(), 'svc-pgx-'));
afterAll(() => rmSync(folder, { recursive: true }));

const reason = missing();
if (reason === undefined) {
  testScenarios('pgx', scenariosOf([build()]));
} else {
  console.error(`\n*** SKIPPED: the scenarios of pgx, because ${reason}.\n`);
  test.skip('scenarios of pgx', () => {});
}

function missing(): string | undefined {
  if (go === undefined) return 'Go is not installed';
  const download = Bun.spawnSync([go, 'mod', 'download'], { cwd: source, stderr: 'ignore' });
  return download.exitCode === 0 ? undefined : '"go mod download" fails';
}

function build(): string {
  const executable = join(folder, 'scenarios');
  const built = Bun.spawnSync([go ?? 'go', 'build', '-o', executable, '.'], { cwd: source });
  if (built.exitCode !== 0) throw new Error(built.stderr.toString());
  return executable;
}
