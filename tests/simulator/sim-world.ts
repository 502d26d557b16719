/** The world of one process: its clock, its chance and its scheduler are the simulation's. */

import type { World } from '#base';
import type { Dice } from './dice.ts';
import type { Life } from './life.ts';
import type { Scheduler } from './scheduler.ts';

const epochMs = 1_700_000_000_000;

/** `lookMs` is how much time passes at each look at the clock: work takes a while. */
export function simulatedWorld(
  scheduler: Scheduler,
  life: Life,
  dice: Dice,
  lookMs: number,
): World {
  let spentMs = 0;
  const soon = (): number => (dice.chance(0.5) ? 0 : dice.unit() * 0.1);
  return {
    clock: {
      unixMs: () => Math.floor(epochMs + scheduler.nowMs + life.clockOffsetMs),
      monotonicMs: () => {
        spentMs += lookMs;
        return scheduler.nowMs + spentMs;
      },
    },
    random: { fill: (target) => dice.fill(target), unit: dice.unit },
    scheduler: {
      yield: () => scheduler.wait(soon(), life, 'yield'),
      afterTurn: (task) => void scheduler.after(soon(), life, 'turn', task),
      after: (delayMs, task) => scheduler.after(delayMs, life, 'timer', task),
    },
  };
}
