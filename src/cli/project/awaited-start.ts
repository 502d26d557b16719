/** Sends the first request to a database, and waits while the server is still opening its store, for example after a script has started it. */

import { pause } from '#base';
import { ServerProblem } from '#client';
import type { Shell } from '../frame/shell.ts';

const startLimitMs = 30_000;
const pauseMs = 250;

/**
 * Returns the result of `ask`. If the database is still not open after 30 s, throws the problem of the last response. Throws any other error
 * immediately.
 */
export async function onceStarted<Answer>(
  { note, world: { clock, scheduler } }: Shell,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  const endMs = clock.monotonicMs() + startLimitMs;
  for (let isTold = false; ; isTold = true) {
    try {
      return await ask();
    } catch (error) {
      if (!isStarting(error) || clock.monotonicMs() >= endMs) throw error;
    }
    if (!isTold) note(`the database is not open yet; waiting up to ${startLimitMs / 1000} s`);
    await pause(scheduler, pauseMs);
  }
}

function isStarting(error: unknown): boolean {
  if (!(error instanceof ServerProblem) || error.status !== 503) return false;
  return error.problem.reason === 'storage_unavailable';
}
