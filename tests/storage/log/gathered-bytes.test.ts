/** A large record is copied a stretch at a time, among small ones that are copied at once. */

import { expect, test } from 'bun:test';
import { GatheredBytes } from '../../../src/storage/log/gathered-bytes.ts';
import { seededWorld } from '../object/seeded-world.ts';

const { scheduler } = seededWorld(1);
const mib = 1 << 20;
const part = (length: number, value: number) => new Uint8Array(length).fill(value);

/** Counts the turns that are given to others. */
function counting() {
  const turns = { count: 0, scheduler };
  turns.scheduler = {
    ...scheduler,
    yield: () => {
      turns.count++;
      return scheduler.yield();
    },
  };
  return turns;
}

test('parts of one large record are not copied as they come; gathered, all stand in order', async () => {
  const bytes = new GatheredBytes(64);
  const large = [part(3 * mib, 2), part(2 * mib, 3), part(mib, 4)];
  bytes.append([part(10, 1)]);
  bytes.append(large);
  bytes.append([part(5, 5), part(5, 6)]);
  expect(bytes.length).toBe(6 * mib + 20);
  // What is kept and not copied shows a change.
  (large[1] as Uint8Array)[0] = 9;
  const turns = counting();
  await bytes.gather(turns.scheduler);
  expect(turns.count).toBe(2);
  const { writer } = bytes;
  expect(writer.length).toBe(bytes.length);
  const places = [0, 9, 10, 10 + 3 * mib, 11 + 3 * mib, 10 + 5 * mib, 10 + 6 * mib, 19 + 6 * mib];
  expect(places.map((at) => writer.bytes[at] as number)).toEqual([1, 1, 2, 9, 3, 4, 5, 6]);
  bytes.clear(mib);
  expect(bytes.length).toBe(0);
  expect(bytes.writer.bytes.length).toBe(64);
});

test('small records, and a single part of any size, are copied at once', () => {
  const bytes = new GatheredBytes(64);
  const [small, single] = [[part(mib, 1), part(2 * mib, 1)], [part(6 * mib, 1)]];
  bytes.append(small);
  bytes.append(single);
  (small[0] as Uint8Array)[0] = 9;
  (single[0] as Uint8Array)[0] = 9;
  expect(bytes.gather(scheduler)).toBeUndefined();
  expect([bytes.writer.bytes[0], bytes.writer.bytes[3 * mib]]).toEqual([1, 1]);
});
