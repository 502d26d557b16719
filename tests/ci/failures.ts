/**
 * Which test files failed, from the log of a run of `bun test`: one line for each failure, the file and the test with a tab between them. `.ci/run` runs
 * these files once more.
 *
 * bun run tests/ci/failures.ts LOG
 */

export interface TestFailure {
  readonly file: string;
  /** The name of the test, or what became of the file. */
  readonly test: string;
}

const header = /^(\S+\.test\.tsx?):$/;
const failed = /^\(fail\) (.*?)(?: \[[\d.]+m?s\])?$/;
const crashed = /^✗ (\S+\.test\.tsx?) \((.*)\)$/;
const unhandled = /^# Unhandled error/;

/** Each failure once. The runner repeats all of them at its end, without their files; those lines add nothing. */
export function failuresIn(log: string): readonly TestFailure[] {
  const found = new Map<string, TestFailure>();
  const add = (file: string, test: string) => found.set(`${file}\t${test}`, { file, test });
  let file: string | undefined;
  for (const line of log.split('\n')) {
    const [, opened] = header.exec(line) ?? [];
    if (opened !== undefined) file = opened;
    else if (/^\d+ tests failed:$/.test(line)) file = undefined;
    const [, crashedFile, how] = crashed.exec(line) ?? [];
    if (crashedFile !== undefined) add(crashedFile, how as string);
    if (file === undefined) continue;
    const [, test] = failed.exec(line) ?? [];
    if (test !== undefined) add(file, test);
    else if (unhandled.test(line)) add(file, 'an error outside of its tests');
  }
  return [...found.values()];
}

if (import.meta.main) {
  const [log] = process.argv.slice(2);
  if (log === undefined) throw new Error('usage: bun run tests/ci/failures.ts LOG');
  for (const { file, test } of failuresIn(await Bun.file(log).text())) {
    console.log(`${file}\t${test}`);
  }
}
