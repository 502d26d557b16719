/** Room for answers that wait for their readers: what finds none now, and what never can. */

import { expect, test } from 'bun:test';
import { DatabaseError } from '#failure';
import { EdgeCounters } from '../../../src/http/edge/counters.ts';
import { ResponseMemory } from '../../../src/http/edge/response-memory.ts';

const mib = 1 << 20;

function reasonOf(work: () => void): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return error instanceof DatabaseError ? error.failure.reason : String(error);
  }
}

test('an answer that finds others in the way may be tried again, one larger than all of it may not', () => {
  const counters = new EdgeCounters();
  const room = new ResponseMemory(counters, 4 * mib);
  const [first, second] = [room.share(), room.share()];
  expect(reasonOf(() => first.hold(3 * mib))).toBeUndefined();
  expect(reasonOf(() => second.hold(2 * mib))).toBe('overloaded');
  expect(reasonOf(() => second.hold(4 * mib + 1))).toBe('result_limit');
  first.keep(0);
  expect(reasonOf(() => second.hold(4 * mib))).toBeUndefined();
  expect([counters.unsentBytes, counters.refusedForUnsent]).toEqual([4 * mib, 2]);
});
