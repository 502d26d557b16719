/** Tries whether tests notice a slip. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { reasonOf } from './equivalent.ts';
import { runSuites, type SuiteRun } from './run-suite.ts';
import type { Slip } from './slip.ts';
import type { Suite } from './suites.ts';

export type Verdict =
  | { readonly kind: 'noticed'; readonly by: string }
  | { readonly kind: 'equivalent'; readonly reason: string }
  /** By the type checker, in another file: it would never be committed, and does not count. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'survived'; readonly suites: number };

/** Runs batches of suites in turn in the tree at `path`, which holds the unchanged source before and after. */
export async function tryOut(
  path: string,
  slip: Slip,
  batches: AsyncIterable<readonly Suite[]>,
  original: string,
): Promise<Verdict> {
  const reason = reasonOf(slip);
  if (reason !== undefined) return { kind: 'equivalent', reason };
  const target = join(path, slip.file);
  let suites = 0;
  for await (const batch of batches) {
    const names = batch.map((suite) => suite.path);
    const usualMs = batch.reduce((sum, { reach }) => sum + reach.ms, 0);
    const clean = () => runSuites(path, names, longestMs);
    const slipped = async (timeoutMs: number): Promise<SuiteRun> => {
      writeFileSync(target, slip.changed);
      try {
        return await runSuites(path, names, timeoutMs);
      } finally {
        writeFileSync(target, original);
      }
    };
    const { outcome, failed } = await patiently(usualMs, slipped, clean);
    if (outcome === 'failed') return { kind: 'noticed', by: failed ?? names.join(' ') };
    if (outcome === 'timed out') return { kind: 'noticed', by: `${names[0]}: it never ends` };
    suites += names.length;
  }
  return { kind: 'survived', suites };
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
