/** Exclusive turns: who wants one, and who waits for its end, is bounded, holds no slot, and can be ended. */

import { expect, test } from 'bun:test';
import { OpenPrincipal } from '#access';
import type { Database } from '../../../src/engine/database.ts';
import { ExclusiveCommits } from '../../../src/engine/exclusive-commits.ts';
import { ExclusiveTurns } from '../../../src/storage/transaction/exclusive-turns.ts';
import { admissionIn, nameOf, settled, turningWorld } from './support.ts';

function setting(queueMax = 16) {
  const admission = admissionIn(turningWorld(), { queueMax });
  const turns = new ExclusiveTurns(() => undefined);
  const store = { exclusive: <T>(work: () => Promise<T>) => turns.run(work) };
  const exclusive = new ExclusiveCommits({ store } as unknown as Database, admission);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  /** A program that wants to run alone, and ends when `ends` says so. */
  const alone = (name: string) => {
    const requestContext = admission.requestContext({ principal: new OpenPrincipal(() => name) });
    const work = () => {
      begun.push(name);
      return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
    };
    const result = exclusive.run(requestContext, work).catch(nameOf);
    return { requestContext, result };
  };
  return { admission, exclusive, begun, ends, alone };
}

test('one after the other; nobody waits once the last is over', async () => {
  const { admission, exclusive, begun, ends, alone } = setting();
  const first = alone('first');
  const second = alone('second');
  await settled();
  expect(begun).toEqual(['first']);
  ends.get('first')?.();
  expect(await first.result).toBe('first');
  await settled();
  expect(begun).toEqual(['first', 'second']);
  ends.get('second')?.();
  expect(await second.result).toBe('second');
  expect(exclusive.pass(admission.requestContext())).toBeUndefined();
  expect(admission.statistics().behindExclusive).toBe(0);
});

test('work that is ended while it waits never runs, and its turn goes to the next', async () => {
  const { begun, ends, alone } = setting();
  const first = alone('first');
  const ended = alone('ended');
  const last = alone('last');
  await settled();
  ended.requestContext.budget.end(new Error('the client has gone'));
  expect(await ended.result).toBe('Error');
  ends.get('first')?.();
  await first.result;
  await settled();
  expect(begun).toEqual(['first', 'last']);
  ends.get('last')?.();
  expect(await last.result).toBe('last');
});

test('who runs alone holds no slot, also before its turn', async () => {
  const { admission, exclusive, ends, alone } = setting();
  const first = alone('first');
  await settled();
  const requestContext = admission.requestContext({ principal: new OpenPrincipal(() => 'second') });
  expect(requestContext.enter(false)).toBeUndefined();
  expect(requestContext.holds).toBe('slot');
  const second = exclusive.run(requestContext, async () => 'second');
  expect(requestContext.holds).toBeUndefined();
  ends.get('first')?.();
  await first.result;
  expect(await second).toBe('second');
});

test('writers wait for the end of a turn; the one that has it does not', async () => {
  const { admission, exclusive, ends, alone } = setting();
  const first = alone('first');
  await settled();
  expect(exclusive.pass(first.requestContext)).toBeUndefined();
  const writer = exclusive.pass(admission.requestContext());
  expect(admission.statistics().behindExclusive).toBe(1);
  ends.get('first')?.();
  await writer;
  expect(admission.statistics().behindExclusive).toBe(0);
});

test('a writer that is ended leaves at once', async () => {
  const { admission, exclusive, alone } = setting();
  alone('first');
  await settled();
  const requestContext = admission.requestContext();
  const writer = exclusive.pass(requestContext)?.catch(nameOf);
  requestContext.budget.end(new Error('the deadline'));
  expect(await writer).toBe('Error');
  expect(admission.statistics().behindExclusive).toBe(0);
});

test('more than may wait are refused, and nothing of them is left', async () => {
  const { admission, exclusive, alone } = setting(2);
  alone('first');
  await settled();
  const waiting = [
    exclusive.pass(admission.requestContext()),
    exclusive.pass(admission.requestContext()),
  ];
  expect(await exclusive.pass(admission.requestContext())?.catch(nameOf)).toBe('overloaded');
  expect(await alone('another').result).toBe('overloaded');
  expect(waiting.length).toBe(2);
  expect(admission.statistics().behindExclusive).toBe(2);
});

test('a turn whose work fails is over like any other', async () => {
  const { admission, exclusive } = setting();
  const failing = exclusive.run(admission.requestContext(), () =>
    Promise.reject(new Error('lost')),
  );
  expect(await failing.catch(nameOf)).toBe('Error');
  await settled();
  expect(exclusive.pass(admission.requestContext())).toBeUndefined();
});
