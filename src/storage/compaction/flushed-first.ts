/**
 * Flushed tables are the newest runs. One that lies below a merged run counts as a tier: a merge of flushed tables, which takes them for
 * neighbours, would carry it past what is newer.
 */

import { levels } from '../manifest/levels.ts';
import type { Run } from '../manifest/manifest.ts';

/** `runs`, newest first, with tiers in the place of flushed runs that are older than a merged one. */
export function flushedFirst(runs: readonly Run[]): readonly Run[] {
  const newestMerged = runs.findIndex(({ level }) => level !== levels.flushed);
  return newestMerged < 0 ? runs : tiersFrom(runs, newestMerged);
}

/** `runs` with tiers in the place of flushed runs from the one at `from` on. */
export function tiersFrom(runs: readonly Run[], from: number): readonly Run[] {
  return runs.map((run, i) =>
    i >= from && run.level === levels.flushed ? { ...run, level: levels.tier } : run,
  );
}
