/** The real clock, chance and scheduler of this process; the only place of the engine that touches them. */

import { fullGC } from 'bun:jsc';
import type { World } from './world.ts';

/** Tells the runtime, as a process begins, how much memory it should believe the machine to have: its heap grows by less when that is little. */
export const heapVariable = 'BUN_JSC_forceRAMSize';

function isHeapBounded(): boolean {
  return process.env[heapVariable] !== undefined;
}

/** Everything is looked at now, and freed bit by bit: `Bun.gc(true)`, which frees at once, stops for four times as long. */
function collectGarbage(): void {
  fullGC();
}

export function systemWorld(): World {
  return {
    clock: { unixMs: () => Date.now(), monotonicMs: () => performance.now() },
    random: {
      fill: (target) => crypto.getRandomValues(target as Uint8Array<ArrayBuffer>),
      unit: () => Math.random(),
    },
    scheduler: {
      yield: () => new Promise((resolve) => setImmediate(resolve)),
      afterTurn: (task) => void setImmediate(task),
      after: (delayMs, task) => {
        const timer = setTimeout(task, delayMs);
        timer.unref();
        return { cancel: () => clearTimeout(timer) };
      },
    },
    // A heap that knows its bound is collected beside the work, before it has grown by much: a collection of ours would only stop everything.
    ...(isHeapBounded() ? {} : { collectGarbage }),
  };
}
