/** The real clock, chance and scheduler of this process; the only place of the engine that touches them. */

import { fullGC } from 'bun:jsc';
import type { World } from './world.ts';

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
    // Everything is looked at now, and freed bit by bit: `Bun.gc(true)`, which frees at once, stops for four times as long.
    collectGarbage: () => fullGC(),
  };
}
