/**
 * `npm run cluster-validation`: the code of a Kubernetes API server accepts the printed definition, and then the databases that it should. `.ci/run` leaves
 * it out: to compile that code takes some minutes for the first time, and a second afterwards. Go 1.24 and the module proxy are needed; without one of
 * them the run says loudly that it is skipped.
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { definitionText } from '#operator';
import { go } from '../../codegen/go/support.ts';

const example = join(import.meta.dir, '../../../deploy/kubernetes/database.example.yaml');

function run(argv: readonly string[], env: Readonly<Record<string, string>> = {}): number {
  const { exitCode } = Bun.spawnSync([...argv], {
    cwd: import.meta.dir,
    env: { ...process.env, ...env },
    stdout: 'inherit',
    stderr: 'inherit',
  });
  return exitCode;
}

function skip(why: string): never {
  console.error(`\n*** SKIPPED: the validation of the definition by Kubernetes' code. ${why}\n`);
  process.exit(0);
}

if (go === undefined) skip('There is no Go 1.24 or later.');
if (run([go, 'mod', 'download']) !== 0) skip('The modules of go.mod cannot be had.');
const folder = mkdtempSync(join(tmpdir(), 'svc-definition-'));
try {
  const definition = join(folder, 'definition.yaml');
  writeFileSync(definition, definitionText());
  process.exitCode = run([go, 'test', '-count=1', '-v', './...'], {
    SVC_TEST_DEFINITION: definition,
    SVC_TEST_EXAMPLE: example,
  });
} finally {
  rmSync(folder, { recursive: true });
}
