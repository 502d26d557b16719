/** Waiting for a bucket that does not answer. */

import { expect, test } from 'bun:test';
import { bucketLimits } from '../../../src/storage/bucket/limits.ts';
import { backoff, retryWhileUnavailable } from '../../../src/storage/bucket/retry.ts';
import { StorageError, type StorageFault } from '../../../src/storage/object/storage-fault.ts';
import { manualWorld } from '../../support/manual-world.ts';
import { hastyWorld } from './writer.ts';

const silence: StorageFault = { kind: 'unavailable', operation: 'get', object: 'o' };

/** Answers after so many failures. */
function answering(failures: number, error: Error) {
  let asked = 0;
  const ask = async () => {
    if (++asked <= failures) throw error;
    return 'answer';
  };
  return { ask, asked: () => asked };
}

test('a bucket that does not answer is asked until it does', async () => {
  const { ask, asked } = answering(3, new StorageError(silence));
  expect(await retryWhileUnavailable(hastyWorld(), ask)).toBe('answer');
  expect(asked()).toBe(4);
});

test('it is given up after as many attempts as a creation', async () => {
  const error = new StorageError(silence);
  const { ask, asked } = answering(Infinity, error);
  expect(await retryWhileUnavailable(hastyWorld(), ask).catch((thrown) => thrown)).toBe(error);
  expect(asked()).toBe(bucketLimits.createAttemptsMax);
});

test.each([
  ['a refusal', new StorageError({ kind: 'unauthorized', operation: 'get', object: 'o' })],
  ['a mistake', new Error('oh')],
])('%s is told at once', async (_, error) => {
  const { ask, asked } = answering(1, error);
  expect(await retryWhileUnavailable(hastyWorld(), ask).catch((thrown) => thrown)).toBe(error);
  expect(asked()).toBe(1);
});

test.each([
  [0, 0.5],
  [1, 1],
])(
  'with random numbers of %d, waits take %d of a time that doubles up to a maximum',
  (unit, part) => {
    const { retryMs, retryMsMax } = bucketLimits;
    const world = manualWorld();
    const waits = [1, 2, 3, 7, 8, 30, 1_000_000].map((failures) => {
      void backoff({ ...world, random: { ...world.random, unit: () => unit } }, failures);
      return world.pending.at(-1);
    });
    const whole = [retryMs, 2 * retryMs, 4 * retryMs, 64 * retryMs, ...Array(3).fill(retryMsMax)];
    expect(waits).toEqual(whole.map((ms) => ms * part));
  },
);
