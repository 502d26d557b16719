/**
 * `npm run mutants [-- --from N --count N]`: each wrong rule must be noticed within 2,000 generated programs, or by the tests that it names, and small bounds must make no
 * difference; fails otherwise. A portion begins with rule N, from 0, and leaves the small bounds to the one with the last rule.
 */

import { parseArgs } from 'node:util';
import { type Change, type Mutant, mutants } from './mutants.ts';
import { smallBounds } from './small-bounds.ts';
import { changedTree } from './tree.ts';

const programs = 2_000;
const seed = 1;
const timeoutMs = 240_000;

process.exit(main() ? 0 : 1);

function main(): boolean {
  const { values } = parseArgs({
    options: {
      from: { type: 'string', default: '0' },
      count: { type: 'string', default: `${mutants.length}` },
    },
  });
  const [from, count] = [Number(values.from), Number(values.count)];
  const portion = mutants.slice(from, from + count);
  let survivors = 0;
  for (const mutant of portion) {
    const noticed = mutant.tests === undefined ? hunted(mutant) : tested(mutant, mutant.tests);
    if (noticed === undefined) survivors++;
    console.log(`${mutant.name.padEnd(52)} ${noticed ?? 'SURVIVED'}`);
  }
  console.log(`${portion.length - survivors} of ${portion.length} wrong rules noticed\n`);
  if (from + count < mutants.length) return survivors === 0;
  const difference = hunt(smallBounds);
  console.log(`small bounds: ${difference ?? 'no difference'}`);
  return survivors === 0 && difference === undefined;
}

function hunted(mutant: Mutant): string | undefined {
  return hunt(mutant.needsSmallBounds ? [...smallBounds, mutant] : [mutant]);
}

/** Whether one of the tests fails, or undefined. */
function tested(mutant: Change, tests: readonly string[]): string | undefined {
  using tree = changedTree([mutant], ['tests', 'bunfig.toml']);
  const { exitCode } = Bun.spawnSync([process.execPath, 'test', ...tests], {
    cwd: tree.path,
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: timeoutMs,
  });
  return exitCode === 0 ? undefined : 'noticed by its tests';
}

/** How the changes were noticed, or undefined. */
function hunt(changes: readonly Change[]): string | undefined {
  using tree = changedTree(changes);
  const { exitCode, stdout, stderr, exitedDueToTimeout } = Bun.spawnSync(
    [
      process.execPath,
      'tests/generative/fuzz.ts',
      ...['--first', '--seed', String(seed), '--programs', String(programs)],
    ],
    { cwd: tree.path, stdout: 'pipe', stderr: 'pipe', timeout: timeoutMs },
  );
  if (exitedDueToTimeout) return 'noticed: it never ends';
  if (exitCode === 0) return undefined;
  const after = /after (\d+) programs/.exec(stdout.toString())?.[1];
  if (after === undefined) throw new Error(stderr.toString());
  return Number(after) <= programs ? `noticed after ${after} programs` : undefined;
}
