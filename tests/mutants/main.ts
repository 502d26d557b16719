/** `npm run mutants`: each wrong rule must be noticed within 2,000 generated programs; fails when one is not. */

import { type Mutant, mutants } from './mutants.ts';
import { mutantTree } from './tree.ts';

const programs = 2_000;
const seed = 1;
const timeoutMs = 240_000;

process.exit(main() ? 0 : 1);

function main(): boolean {
  let survivors = 0;
  for (const mutant of mutants) {
    const noticed = hunt(mutant);
    if (noticed === undefined) survivors++;
    console.log(`${mutant.name.padEnd(52)} ${noticed ?? 'SURVIVED'}`);
  }
  console.log(`\n${mutants.length - survivors} of ${mutants.length} noticed`);
  return survivors === 0;
}

/** How it was noticed, or undefined. */
function hunt(mutant: Mutant): string | undefined {
  using tree = mutantTree(mutant);
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
  if (after === undefined) throw new Error(`${mutant.name}: ${stderr.toString()}`);
  return Number(after) <= programs ? `noticed after ${after} programs` : undefined;
}
