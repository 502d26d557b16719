/** Waits with an end. */

import type { World } from '#base';

export function pause(world: World, delayMs: number): Promise<void> {
  if (delayMs === 0) return Promise.resolve();
  return new Promise((resolve) => void world.scheduler.after(delayMs, resolve));
}

/** Whether `work` was done within the time; 0 waits for ever. */
export async function isDoneWithin(
  world: World,
  timeoutMs: number,
  work: Promise<void>,
): Promise<boolean> {
  const done = work.then(() => true);
  if (timeoutMs === 0) return done;
  return Promise.race([done, pause(world, timeoutMs).then(() => false)]);
}
