/** A world whose chance comes from a seed; turns are the event loop's own. */

import type { World } from '#base';

/** Mulberry32. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

export function seededWorld(seed: number): World {
  const unit = seededRandom(seed);
  let now = 1_700_000_000_000;
  return {
    clock: { unixMs: () => now++, monotonicMs: () => now++ },
    random: {
      unit,
      fill(target) {
        for (let i = 0; i < target.length; i++) target[i] = Math.floor(unit() * 256);
        return target;
      },
    },
    scheduler: {
      yield: () => new Promise((resolve) => setImmediate(resolve)),
      afterTurn: (task) => void setImmediate(task),
      after: () => ({ cancel: () => {} }),
    },
  };
}
