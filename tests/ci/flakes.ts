/**
 * `npm run flakes -- --rounds N [--load] [FILE…]`: runs the suite N times, with `--load` beside two processes that keep both cores busy, and lists each test
 * that failed at least once. The logs of rounds with failures are kept. Exits with 1 when a test failed.
 */

import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { failuresIn } from './failures.ts';
import { suiteCommand, suiteEnvironment } from './suite.ts';

const { values, positionals } = parseArgs({
  options: { rounds: { type: 'string', default: '3' }, load: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const rounds = Number(values.rounds);
if (!Number.isSafeInteger(rounds) || rounds < 1) {
  throw new Error(`--rounds: expected a number from 1 on, got ${values.rounds}`);
}

const env = suiteEnvironment(true);
const cores = 2;
const busy = values.load
  ? Array.from({ length: cores }, () => Bun.spawn([process.execPath, '-e', 'for (;;);']))
  : [];
const folder = mkdtempSync(join(tmpdir(), 'svc-flakes-'));
/** By file and test, in how many rounds it failed. */
const counts = new Map<string, number>();
/** Rounds that ended with an error that belongs to no test. */
let unexplained = 0;

try {
  for (let round = 1; round <= rounds; round++) {
    const { log, exitCode } = await run();
    const failures = failuresIn(log);
    const summary = /^Ran .*$/m.exec(log)?.[0] ?? 'no summary';
    console.log(`round ${round}: exit ${exitCode}, ${failures.length} failures. ${summary}`);
    if (exitCode === 0) continue;
    await Bun.write(join(folder, `round-${round}.log`), log);
    if (failures.length === 0) unexplained++;
    for (const { file, test } of failures) {
      const name = `${file}, ${test}`;
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
} finally {
  for (const child of busy) child.kill('SIGKILL');
}

for (const [name, count] of [...counts].toSorted((a, b) => b[1] - a[1])) {
  console.log(`${count} of ${rounds}: ${name}`);
}
if (unexplained > 0) console.log(`${unexplained} of ${rounds}: failed without a failed test`);
const isClean = counts.size === 0 && unexplained === 0;
if (isClean) rmdirSync(folder);
else console.log(`logs: ${folder}`);
process.exitCode = isClean ? 0 : 1;

async function run(): Promise<{ readonly log: string; readonly exitCode: number }> {
  const command = [...suiteCommand(true, positionals)];
  const child = Bun.spawn(command, { env, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
  const [out, log, exitCode] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ]);
  return { log: out + log, exitCode };
}
