/** The tree with a run that is older than all others but the bottom. */

import { levels } from '../manifest/levels.ts';
import type { Run, TableEntry } from '../manifest/manifest.ts';

export function aboveBottom(runs: readonly Run[], tables: readonly TableEntry[]): readonly Run[] {
  const bottom = runs.findIndex(({ level }) => level === levels.bottom);
  return runs.toSpliced(bottom < 0 ? runs.length : bottom, 0, { level: levels.tier, tables });
}
