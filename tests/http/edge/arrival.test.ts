/** One body on its way in. */

import { expect, test } from 'bun:test';
import { Arrival } from '../../../src/http/edge/arrival.ts';

function arrivalOf(...chunks: readonly number[]): Arrival {
  const arrival = new Arrival(1);
  for (const bytes of chunks) arrival.append(new Uint8Array(bytes).fill(7));
  return arrival;
}

test('chunks are put together in their order', () => {
  const arrival = new Arrival(1);
  for (const part of ['a', 'bc'.repeat(50_000), 'd']) arrival.append(Buffer.from(part));
  expect(Buffer.from(arrival.bytes()).toString()).toBe(`a${'bc'.repeat(50_000)}d`);
});

test('1,024 chunks may be of any size, more of them have 64 bytes on average', () => {
  const tiny = Array.from({ length: 1024 }, () => 1);
  expect(arrivalOf(...tiny).isCrumbled).toBe(false);
  expect(arrivalOf(...tiny, 1).isCrumbled).toBe(true);
  const missing = 1025 * 64 - 1024;
  expect(arrivalOf(...tiny, missing - 1).isCrumbled).toBe(true);
  expect(arrivalOf(...tiny, missing).isCrumbled).toBe(false);
});

test('what is refused while nobody waits is refused for whoever waits next', async () => {
  const arrival = arrivalOf(100);
  const why = new Error('late');
  arrival.refuse(why);
  expect(arrival.bytes()).toHaveLength(0);
  expect(await arrival.orRefused(Promise.resolve(1)).catch((error) => error)).toBe(why);
});
