/** Which goals a reading misses. */

import type { Goals } from '../attack.ts';
import type { Reading } from './reading.ts';

export const standardGoals: Goals = {
  gapMs: 50,
  pointMs: 100,
  residentExtraMib: 0,
  idleShare: 0.2,
  stopMs: 35_000,
  isAlive: true,
  refusedPoints: 0,
};

/**
 * Waits are judged by their held time: the wall clock without the time in which the server's or the poller's main thread was ready, but had
 * no processor. So other work on the machine counts little, and a thread that works on or blocks in a system call counts in full.
 */
export function missedGoals(reading: Reading, goals: Goals): readonly string[] {
  const { attack, peakMib, limitMib, after } = reading;
  const missed: string[] = [...reading.failures];
  const over = (what: string, is: number, goal: number | undefined, unit: string) => {
    if (goal === undefined || is <= goal) return;
    missed.push(`${what} ${round(is)} ${unit}, goal ${round(goal)}`);
  };
  over('gap', attack.livez.heldMax, goals.gapMs, 'ms');
  over('point read', attack.points.heldMax, goals.pointMs, 'ms');
  if (goals.residentExtraMib !== undefined) {
    over('resident', peakMib, limitMib + goals.residentExtraMib, 'MiB');
  }
  over('processor afterwards', after.all * 100, times100(goals.idleShare), '%');
  const refused = Object.values(attack.refusedPoints).reduce((sum, n) => sum + n, 0);
  over('refused point reads', refused, goals.refusedPoints, '');
  if (goals.isAlive === true && !reading.isAlive) missed.push('answers no more');
  return [...missed, ...missedStop(reading, goals)];
}

function missedStop({ stopMs, stopCode }: Reading, goals: Goals): readonly string[] {
  if (goals.stopMs === undefined) return [];
  if (stopMs === undefined) return ['SIGTERM did not end it'];
  const missed = stopMs > goals.stopMs ? [`stop ${round(stopMs)} ms, goal ${goals.stopMs}`] : [];
  return stopCode === 0 ? missed : [...missed, `exit code ${stopCode}`];
}

const times100 = (share: number | undefined) => (share === undefined ? undefined : share * 100);
const round = (n: number) => (n < 10 ? Math.round(n * 10) / 10 : Math.round(n));
