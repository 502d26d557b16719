/** The real clock, random source and scheduler of this process. Only this module of the engine accesses them. */

import { fullGC } from 'bun:jsc';
import type { World } from './world.ts';

/**
 * Variable that sets, at process start, how much memory the runtime assumes the machine to have. With less memory, its heap grows by less.
 */
export const heapVariable = 'BUN_JSC_forceRAMSize';

function isHeapBounded(): boolean {
  return process.env[heapVariable] !== undefined;
}

/** Starts a full collection that frees memory gradually. `Bun.gc(true)` frees it synchronously and pauses for four times as long. */
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
    // The runtime collects a heap with a limit concurrently and before it grows by much. An explicit collection would only pause all work.
    ...(isHeapBounded() ? {} : { collectGarbage }),
  };
}
