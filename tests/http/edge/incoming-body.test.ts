/** One body on its way in. */

import { expect, test } from 'bun:test';
import { IncomingBody } from '../../../src/http/edge/incoming-body.ts';

function arrivalOf(...chunks: readonly number[]): IncomingBody {
  const arrival = new IncomingBody(1);
  for (const bytes of chunks) arrival.append(new Uint8Array(bytes).fill(7));
  return arrival;
}

test('chunks are put together in their order', () => {
  const arrival = new IncomingBody(1);
  for (const part of ['a', 'bc'.repeat(50_000), 'd']) arrival.append(Buffer.from(part));
  expect(Buffer.from(arrival.bytes()).toString()).toBe(`a${'bc'.repeat(50_000)}d`);
});

test('large chunks are held as they came, small ones are gathered: what is held is what has come', () => {
  const arrival = new IncomingBody(1);
  const large = new Uint8Array(100 << 10).fill(1);
  expect(arrival.append(large)).toBe(large.length);
  const held = Array.from({ length: 160 }, () => arrival.append(new Uint8Array(1000).fill(2)));
  expect(held.reduce((sum, bytes) => sum + bytes)).toBe(3 * (64 << 10));
  expect(arrival.append(large)).toBe(large.length);
  large.fill(3);
  const whole = arrival.bytes();
  expect(whole).toHaveLength(160_000 + 2 * large.length);
  expect(whole.filter((byte) => byte === 3)).toHaveLength(2 * large.length);
  expect(whole.filter((byte) => byte === 2)).toHaveLength(160_000);
});

test('the first bytes of a body take little memory, and each piece is as large as all that has come', () => {
  const arrival = new IncomingBody(1);
  const chunks = Array.from({ length: 64 }, (_, i) => new Uint8Array(1500).fill(i));
  const held = chunks.map((chunk) => arrival.append(chunk)).filter((bytes) => bytes > 0);
  const [first, ...later] = held;
  expect(first).toBe(4096);
  expect(later).toEqual([4500, 9000, 18_000, 36_000, 64 << 10]);
  expect(arrival.bytes()).toEqual(new Uint8Array(Buffer.concat(chunks)));
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
