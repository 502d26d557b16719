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
const summary = /^\d+ tests failed:$/;
const failed = /^\(fail\) (.*?)(?: \[[\d.]+m?s\])?$/;
const crashed = /^✗ (\S+\.test\.tsx?) \((.*)\)$/;
const unhandled = /^# Unhandled error/;
const frame = /^ +at .*?([^\s(]+\.test\.tsx?):\d+/;

const outside = 'an error outside of its tests';

/**
 * Each failure once. The runner repeats all of them at its end, without their files; those lines add nothing. It does not always name the file above an
 * error outside of tests: there the stack does. `folder` is where the runner ran.
 */
export function failuresIn(log: string, folder = process.cwd()): readonly TestFailure[] {
  const found = new Map<string, TestFailure>();
  const add = (file: string, test: string) => found.set(`${file}\t${test}`, { file, test });
  let file: string | undefined;
  let isOutside = false;
  for (const line of log.split('\n')) {
    const [, opened] = header.exec(line) ?? [];
    const [, crashedFile, how] = crashed.exec(line) ?? [];
    const [, test] = failed.exec(line) ?? [];
    const [, framed] = (isOutside && frame.exec(line)) || [];
    if (opened !== undefined) file = opened;
    else if (summary.test(line)) file = undefined;
    if (opened !== undefined || line.startsWith('(')) isOutside = false;
    if (crashedFile !== undefined) add(crashedFile, how as string);
    if (test !== undefined && file !== undefined) add(file, test);
    if (unhandled.test(line)) isOutside = true;
    if (framed !== undefined) {
      add(framed.startsWith(`${folder}/`) ? framed.slice(folder.length + 1) : framed, outside);
      isOutside = false;
    }
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
