/** Who waits for whom, who makes an answer, and what is kept of it, step by step. */

import { expect, test } from 'bun:test';
import type { PreparedProgram, RequestContext } from '#engine';
import { CacheFill, CoalescedResults } from '../../src/http/program/relations/coalesced-results.ts';
import { RelationCache } from '../../src/http/program/relations/relation-cache.ts';
import { RelationCounters } from '../../src/http/program/relations/relation-counters.ts';
import { outcomeOf } from '../support/outcome.ts';

const facts = { entityTag: undefined, statements: [], resultRows: 0 };
const program = {} as PreparedProgram;

function begin() {
  const counters = new RelationCounters();
  const limits = { bytesMax: 1 << 20, entriesMax: 10, resultBytesMax: 1000 };
  const cache = new RelationCache(limits, counters);
  const shared = new CoalescedResults(cache, { monotonicMs: () => 0 });
  let change = 0;
  let ended: Error | undefined;
  let isCurrent = true;
  const engine = {
    stateOf: () =>
      isCurrent
        ? { tables: [undefined], policies: undefined, changes: [String(change)] }
        : undefined,
  };
  const until = <T>(pending: Promise<T>) => (ended ? Promise.reject(ended) : pending);
  const requestContext = { budget: { until } } as unknown as RequestContext;
  const ask = (body = 'b') =>
    shared.ask({ visibilityClass: '', body, program }, engine, requestContext);
  const text = (found: unknown) =>
    found instanceof CacheFill || found === undefined
      ? found
      : new TextDecoder().decode((found as { pieces: Uint8Array[] }).pieces[0]);
  return {
    counters,
    ask,
    text,
    /** The next one is kept. */
    warm: () => (ask() as CacheFill).done('cold', facts),
    move: () => change++,
    /** The policies change: the plans of all requests are outdated. */
    outdate: () => {
      isCurrent = false;
    },
    end: () => {
      ended = new Error('gone');
    },
  };
}

test('an answer is kept the second time, and only while nothing changes', () => {
  const { ask, text, warm, move, counters } = begin();
  warm();
  const filling = ask() as CacheFill;
  filling.done('one', facts);
  expect(text(ask())).toBe('one');
  move();
  expect(ask()).toBeInstanceOf(CacheFill);
  expect(counters).toMatchObject({ hits: 1, misses: 3, entries: 0, evictedStale: 1 });
});

test('what was begun in one state and done in another is kept for neither', () => {
  const { ask, warm, move, counters } = begin();
  warm();
  const filling = ask() as CacheFill;
  move();
  filling.done('of the state before', facts);
  expect(ask()).toBeInstanceOf(CacheFill);
  expect(counters).toMatchObject({ entries: 0, refusedChanged: 1 });
});

test('who comes after a change does not wait for what was begun before it', async () => {
  const { ask, text, move } = begin();
  const before = ask() as CacheFill;
  const waiter = ask();
  expect(waiter).toBeInstanceOf(Promise);
  move();
  const after = ask();
  expect(after).toBeInstanceOf(CacheFill);
  const later = ask();
  before.done('before', facts);
  // The end of the first does not take the place of the second away.
  const still = ask();
  (after as CacheFill).done('after', facts);
  expect([text(await waiter), text(await later), text(await still)]).toEqual([
    'before',
    'after',
    'after',
  ]);
});

test('what was made under new policies is not for those who asked under the former ones', async () => {
  const { ask, warm, outdate, counters } = begin();
  warm();
  const filling = ask() as CacheFill;
  const waiting = ask();
  outdate();
  filling.done('for the claims of the first', facts);
  expect(await waiting).toBe(undefined);
  expect(counters).toMatchObject({ coalesced: 0, entries: 0, refusedChanged: 1 });
});

test('of those who wait for one that has to stop, one makes it and the others wait on', async () => {
  const { ask, text, counters } = begin();
  const first = ask() as CacheFill;
  const waiting = [ask(), ask(), ask()];
  first.failed(true);
  const next = await waiting[0];
  expect(next).toBeInstanceOf(CacheFill);
  (next as CacheFill).done('made', facts);
  expect([text(await waiting[1]), text(await waiting[2])]).toEqual(['made', 'made']);
  expect(counters).toMatchObject({ coalesced: 2, misses: 2 });
});

test('what fails, or is too large, is made by each for itself', async () => {
  const { ask, counters } = begin();
  const failing = ask() as CacheFill;
  const waiting = [ask(), ask()];
  failing.failed(false);
  expect(await Promise.all(waiting)).toEqual([undefined, undefined]);
  const large = ask() as CacheFill;
  const other = ask();
  large.done('x'.repeat(1001), facts);
  expect(await other).toBe(undefined);
  expect(counters).toMatchObject({ entries: 0, refusedSize: 1 });
});

test('who waits may have to stop as well, and is not waited for', async () => {
  const { ask, text, end } = begin();
  const filling = ask() as CacheFill;
  const stays = ask();
  end();
  expect(await outcomeOf(ask())).toThrow('gone');
  expect(filling.waiters).toBe(1);
  filling.done('made', facts);
  expect(text(await stays)).toBe('made');
});
