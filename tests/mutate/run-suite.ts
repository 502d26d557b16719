/** Test files, run in a process of their own. */

import { portion } from '../ci/suite.ts';

export interface SuiteRun {
  readonly outcome: 'passed' | 'failed' | 'timed out';
  /** Milliseconds. */
  readonly ms: number;
  /** The first test that failed, with its file. */
  readonly failed: string | undefined;
}

/** A single test waits so long at most, as with `npm test`; the whole process for `timeoutMs`. */
const testTimeoutMs = 60_000;

/** The tree at `cwd` is tried, so that no executable stands for it. Long loops over seeds are as short as with `npm test`. */
const { SVC_TEST_BINARY: _, ...inherited } = process.env;
const env = { SVC_TEST_PORTION: portion, ...inherited };

/** Runs suites in the tree at `cwd` until the first failure; nothing they started outlives them. */
export async function runSuites(
  cwd: string,
  suites: readonly string[],
  timeoutMs: number,
  flags: readonly string[] = [],
): Promise<SuiteRun> {
  const start = performance.now();
  const child = Bun.spawn(
    [
      process.execPath,
      ...['test', '--bail', '--no-orphans', '--timeout', String(testTimeoutMs)],
      ...flags,
      ...suites.map((suite) => `./${suite}`),
    ],
    { cwd, env, stdin: 'ignore', stdout: 'ignore', stderr: 'pipe', detached: true },
  );
  let isLate = false;
  const end = (): void => killGroup(child.pid);
  const timer = setTimeout(() => {
    isLate = true;
    end();
  }, timeoutMs);
  process.once('exit', end);
  const [report, exitCode] = await Promise.all([new Response(child.stderr).text(), child.exited]);
  process.off('exit', end);
  clearTimeout(timer);
  end();
  const ms = Math.round(performance.now() - start);
  if (isLate) return { outcome: 'timed out', ms, failed: undefined };
  if (exitCode === 0) return { outcome: 'passed', ms, failed: undefined };
  return { outcome: 'failed', ms, failed: firstFailure(report) };
}

/** What the suite started is of its process group. */
function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All of it has ended.
  }
}

function firstFailure(report: string): string {
  const plain = Bun.stripANSI(report);
  const failed = /^\(fail\) (.*?)(?: \[[\d.]+m?s\])?$/m.exec(plain);
  if (failed === null) return lastLine(plain);
  const file = [...plain.slice(0, failed.index).matchAll(/^(tests\/\S+):$/gm)].at(-1)?.[1];
  return `${file === undefined ? '' : `${file}: `}${failed[1]}`.slice(0, 200);
}

function lastLine(report: string): string {
  return report.split('\n').findLast((line) => /error/i.test(line)) ?? 'the suite does not load';
}
