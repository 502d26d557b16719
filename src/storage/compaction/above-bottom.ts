/** Inserts a sorted run below all other runs but above the bottom run. */

import { levels } from '../manifest/levels.ts';
import type { RunEntry, TableEntry } from '../manifest/manifest.ts';

export function aboveBottom(
  runs: readonly RunEntry[],
  tables: readonly TableEntry[],
): readonly RunEntry[] {
  const bottom = runs.findIndex(({ level }) => level === levels.bottom);
  return runs.toSpliced(bottom < 0 ? runs.length : bottom, 0, { level: levels.tier, tables });
}
