/** When a process has come to rest by itself. */

import { processorMs } from './process.ts';

const lookMs = 200;
/** Of `lookMs`: what timers and probes cost. */
const quietMs = 50;
const looksMax = 300;

/** Resolves when the process has done next to nothing for `restMs`; after a minute in any case. */
export async function untilQuiet(pid: number, restMs = 3 * lookMs): Promise<void> {
  const needed = Math.ceil(restMs / lookMs);
  for (let looks = 0, quiet = 0; looks < looksMax && quiet < needed; looks++) {
    const before = processorMs(pid);
    await Bun.sleep(lookMs);
    quiet = processorMs(pid) - before <= quietMs ? quiet + 1 : 0;
  }
}
