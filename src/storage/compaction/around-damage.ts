/** The tree when some of its tables cannot be read: what is newer than them goes on being merged, they and what is older stay as they are. */

import type { Run } from '../manifest/manifest.ts';
import { tiersFrom } from './flushed-first.ts';

/** Runs that no merge has to carry past a damaged table. */
export function newerThanDamage(
  runs: readonly Run[],
  damaged: ReadonlySet<string>,
): readonly Run[] {
  const at = runs.findIndex((run) => run.tables.some(({ name }) => damaged.has(name)));
  return at < 0 ? runs : runs.slice(0, at);
}

/** Flushed tables from the damaged one on count as tiers: they wait for no merge, and hold no flush back. */
export function setAside(runs: readonly Run[], damaged: ReadonlySet<string>): readonly Run[] {
  return tiersFrom(runs, newerThanDamage(runs, damaged).length);
}
