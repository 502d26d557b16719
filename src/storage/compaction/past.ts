/**
 * The part of a run that a merge needs. A run and its past run contain each key once, and the older versions that views see. A merge with a
 * key of a past run also has the newer versions of that key: otherwise it would take an older version for the newest one.
 */

import { compareBytes } from '#base';
import type { RunEntry, TableEntry } from '../manifest/manifest.ts';
import type { RunPart } from '../manifest/run-part.ts';

/** Returns the SSTables of both runs with keys in [from, to], and those with keys between these SSTables, transitively. */
export function partOver(run: RunEntry, from: Uint8Array, to: Uint8Array): RunPart {
  let part: RunPart = { tables: [], past: [] };
  for (let [low, high] = [from, to]; ; ) {
    const meets = ({ smallest, largest }: TableEntry): boolean =>
      compareBytes(largest, low) >= 0 && compareBytes(smallest, high) <= 0;
    const wider = { tables: run.tables.filter(meets), past: run.past?.filter(meets) ?? [] };
    const isSettled = sizeOf(wider) === sizeOf(part);
    part = wider;
    if (isSettled) return part;
    for (const { smallest, largest } of [...part.tables, ...part.past]) {
      if (compareBytes(smallest, low) < 0) low = smallest;
      if (compareBytes(largest, high) > 0) high = largest;
    }
  }
}

function sizeOf({ tables, past }: RunPart): number {
  return tables.length + past.length;
}
