/** Waits with a time limit. */

import { pause, type World } from '#base';

/** Returns whether `work` finished within the time. 0 waits without a limit. */
export async function isDoneWithin(
  world: World,
  timeoutMs: number,
  work: Promise<void>,
): Promise<boolean> {
  const done = work.then(() => true);
  if (timeoutMs === 0) return done;
  return Promise.race([done, pause(world.scheduler, timeoutMs).then(() => false)]);
}
