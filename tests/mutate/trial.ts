/** Tries whether tests notice a slip. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { reasonOf } from './equivalent.ts';
import { runSuite, type SuiteRun } from './run-suite.ts';
import type { Slip } from './slip.ts';
import type { Suite } from './suites.ts';

export type Verdict =
  | { readonly kind: 'noticed'; readonly by: string; readonly test: string | undefined }
  | { readonly kind: 'equivalent'; readonly reason: string }
  /** By the type checker, in another file: it would never be committed, and does not count. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'survived'; readonly suites: number };

/** Runs the suites in turn in the tree at `path`, which holds the unchanged source before and after. */
export async function tryOut(
  path: string,
  slip: Slip,
  suites: readonly Suite[],
  original: string,
): Promise<Verdict> {
  const reason = reasonOf(slip);
  if (reason !== undefined) return { kind: 'equivalent', reason };
  const target = join(path, slip.file);
  for (const suite of suites) {
    const clean = () => runSuite(path, suite.path, longestMs);
    const slipped = async (timeoutMs: number): Promise<SuiteRun> => {
      writeFileSync(target, slip.changed);
      try {
        return await runSuite(path, suite.path, timeoutMs);
      } finally {
        writeFileSync(target, original);
      }
    };
    const { outcome, failed } = await patiently(suite.reach.ms, slipped, clean);
    if (outcome === 'failed') return { kind: 'noticed', by: suite.path, test: failed };
    if (outcome === 'timed out') return { kind: 'noticed', by: suite.path, test: 'it never ends' };
  }
  return { kind: 'survived', suites: suites.length };
}

const longestMs = 600_000;

/** A machine that is busy is slow without a slip, too: what takes too long has failed only if the suite takes far less without the slip, there and then. */
async function patiently(
  usualMs: number,
  slipped: (timeoutMs: number) => Promise<SuiteRun>,
  clean: () => Promise<SuiteRun>,
): Promise<SuiteRun> {
  for (let timeoutMs = 15_000 + 5 * usualMs; ; timeoutMs *= 3) {
    const run = await slipped(timeoutMs);
    const isLate = run.outcome === 'timed out' || /timed out/.test(run.failed ?? '');
    if (!isLate || timeoutMs > longestMs) return run;
    if ((await clean()).ms * 4 < run.ms) return run;
  }
}
