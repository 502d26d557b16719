/** Waits with an end. */

import { pause, type World } from '#base';

/** Whether `work` was done within the time; 0 waits for ever. */
export async function isDoneWithin(
  world: World,
  timeoutMs: number,
  work: Promise<void>,
): Promise<boolean> {
  const done = work.then(() => true);
  if (timeoutMs === 0) return done;
  return Promise.race([done, pause(world.scheduler, timeoutMs).then(() => false)]);
}
