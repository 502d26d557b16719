/** A world whose clock stands still until the test moves it; turns of the event loop are the real ones. */

import { systemWorld, type World } from '#base';

export interface ManualWorld extends World {
  /** Moves the clock and runs the timers that fall due, in order. */
  advance(ms: number): void;
  /** Delays of the timers that are set. */
  readonly pending: readonly number[];
}

interface Entry {
  readonly at: number;
  readonly task: () => void;
}

export function manualWorld(): ManualWorld {
  const system = systemWorld();
  let now = 1000;
  let entries: Entry[] = [];
  return {
    random: system.random,
    clock: { unixMs: () => 1_700_000_000_000 + now, monotonicMs: () => now },
    scheduler: {
      ...system.scheduler,
      after: (delayMs, task) => {
        const entry = { at: now + delayMs, task };
        entries.push(entry);
        return { cancel: () => (entries = entries.filter((candidate) => candidate !== entry)) };
      },
    },
    get pending() {
      return entries.map((entry) => entry.at - now);
    },
    advance(ms) {
      const until = now + ms;
      for (;;) {
        const due = entries.filter((entry) => entry.at <= until).sort((a, b) => a.at - b.at)[0];
        if (due === undefined) break;
        now = due.at;
        entries = entries.filter((candidate) => candidate !== due);
        due.task();
      }
      now = until;
    },
  };
}

/** Moves the clock for as long as `work` waits for it. */
export async function until<T>(work: Promise<T>, world: ManualWorld): Promise<T> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await world.scheduler.yield();
    if (world.pending.length > 0) world.advance(Math.min(...world.pending));
  }
  return done;
}
