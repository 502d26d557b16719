/** Tries whether tests notice a slip. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { reasonOf } from './equivalent.ts';
import { runSuite } from './run-suite.ts';
import type { Slip } from './slip.ts';
import type { Suite } from './suites.ts';

export type Verdict =
  | { readonly kind: 'noticed'; readonly by: string; readonly test: string | undefined }
  | { readonly kind: 'equivalent'; readonly reason: string }
  /** By the type checker, in another file: it would never be committed, and does not count. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'survived'; readonly suites: number };

/** Runs the suites in the tree at `path`, which holds the unchanged source before and after. */
export async function tryOut(
  path: string,
  slip: Slip,
  suites: readonly Suite[],
  original: string,
): Promise<Verdict> {
  const reason = reasonOf(slip);
  if (reason !== undefined) return { kind: 'equivalent', reason };
  const target = join(path, slip.file);
  writeFileSync(target, slip.changed);
  try {
    for (const { path: suite, reach } of suites) {
      const { outcome, failed } = await runSuite(path, suite, patience(reach.ms));
      if (outcome === 'failed') return { kind: 'noticed', by: suite, test: failed };
      if (outcome === 'timed out') return { kind: 'noticed', by: suite, test: 'it never ends' };
    }
    return { kind: 'survived', suites: suites.length };
  } finally {
    writeFileSync(target, original);
  }
}

/** Far above what the suite takes without a slip, on a busy machine too: what takes longer does not end. */
function patience(cleanMs: number): number {
  return 20_000 + 8 * cleanMs;
}
