/**
 * `npm test` and `npm run test:all`: the test files, as many at a time as there are cores, the slowest first. Every `svc` of a test is the executable that
 * `SVC_TEST_BINARY` names; without it one is built from the source as it is. Loops over seeds are shorter without `--all` (`tests/support/portion.ts`). Arguments are those of `bun test`.
 *
 * bun run tests/ci/suite.ts [--all] [ARGUMENT…]
 */

import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dir, '..', '..');

/** Files that start many processes for one answer, or repeat over processes what other suites prove inside of one. Only `--all` runs them. */
export const slow = [
  'tests/cli/stories*',
  'tests/cli/restore-claims.test.ts',
  'tests/cli/projects-page.test.ts',
  'tests/fencing/**',
  'tests/readers/**',
  'tests/s3/**',
  'tests/simulator/crashes/**',
  'tests/simulator/jobs/**',
  'tests/storage/cache/resident.test.ts',
  'tests/torture/**',
  'tests/transitions/load/**',
];

/** How long files take, as `bun test --update-timings` writes it; a file that is not in it starts late. */
export const timings = join(import.meta.dir, 'timings.json');

/** The share of long loops over seeds that `npm test` takes; `--all` takes all of them. */
export const portion = '0.25';

/** The command of the suite. One test may take a minute, which only ends what hangs. */
export function suiteCommand(isAll: boolean, args: readonly string[]): readonly string[] {
  return [
    process.execPath,
    ...['test', '--timeout', '60000', '--parallel', '--timings', timings],
    ...(isAll ? [] : slow.flatMap((pattern) => ['--path-ignore-patterns', pattern])),
    ...args,
  ];
}

/** The environment of the suite. Throws when the executable does not compile. */
export function suiteEnvironment(isAll: boolean): Readonly<Record<string, string | undefined>> {
  const env = isAll ? process.env : { SVC_TEST_PORTION: portion, ...process.env };
  if (env['SVC_TEST_BINARY'] !== undefined) return env;
  const folder = join(root, 'node_modules/.cache/svc-test');
  mkdirSync(folder, { recursive: true });
  const executable = join(folder, 'svc');
  // Another run of the suite may start the one that is there.
  const fresh = `${executable}-${process.pid}`;
  const build = ['run', join(root, 'build.ts'), '--executable', fresh];
  const built = Bun.spawnSync([process.execPath, ...build], {
    cwd: root,
    stdout: 'ignore',
    stderr: 'inherit',
  });
  if (built.exitCode !== 0) throw new Error('the executable does not compile');
  renameSync(fresh, executable);
  return { ...env, SVC_TEST_BINARY: executable };
}

if (import.meta.main) {
  const args = process.argv.slice(2);
  const isAll = args[0] === '--all';
  const child = Bun.spawn([...suiteCommand(isAll, isAll ? args.slice(1) : args)], {
    cwd: root,
    env: suiteEnvironment(isAll),
    stdio: ['inherit', 'inherit', 'inherit'],
  });
  process.exitCode = await child.exited;
}
