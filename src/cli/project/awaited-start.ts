/** The first question to a database: a server that is still opening its store is waited for, as one that a script has just started. */

import { pause } from '#base';
import { ServerProblem } from '#client';
import type { Shell } from '../frame/shell.ts';

const patienceMs = 30_000;
const pauseMs = 250;

/** Throws the problem of the last answer once the time is over, and any other at once. */
export async function onceStarted<Answer>(
  { note, world: { clock, scheduler } }: Shell,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  const endMs = clock.monotonicMs() + patienceMs;
  for (let isTold = false; ; isTold = true) {
    try {
      return await ask();
    } catch (error) {
      if (!isStarting(error) || clock.monotonicMs() >= endMs) throw error;
    }
    if (!isTold) note(`the database is not open yet; waiting up to ${patienceMs / 1000} s`);
    await pause(scheduler, pauseMs);
  }
}

function isStarting(error: unknown): boolean {
  if (!(error instanceof ServerProblem) || error.status !== 503) return false;
  return error.problem.reason === 'storage_unavailable';
}
