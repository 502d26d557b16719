/** What a trace counts of the reads of a program: bytes of the key and of the value, in whatever form a value is found. */

import { expect, test } from 'bun:test';
import type { FoundValue, KeyBatch, ReadView } from '#storage';
import { type StoreWatch, tracedView } from '../../src/executor/trace/traced-view.ts';

const key = new Uint8Array(3);
const valueBytes = 7;

/** A value in memory, and one that has to be assembled from the columns of its block. */
const plain = { block: undefined, slot: 0, value: new Uint8Array(20), valueFrom: 2, valueTo: 9 };
const block = {
  join(slot: number, target: { valueFrom: number; valueTo: number }) {
    target.valueFrom = slot;
    target.valueTo = slot + valueBytes;
  },
};
const forms = { plain, 'in a block': { ...plain, block, slot: 4, valueFrom: 0, valueTo: 0 } };

function traced(view: Partial<ReadView>) {
  const counted: (number | 'later')[] = [];
  const watch: Partial<StoreWatch> = {
    storage: (call) => call(),
    got: (bytes) => counted.push(bytes),
    gotLater: () => counted.push('later'),
  };
  return { view: tracedView(view as ReadView, watch as StoreWatch), counted };
}

test('a read by key counts the key with its value', () => {
  const { view, counted } = traced({ get: () => new Uint8Array(valueBytes) });
  view.get(key);
  expect(counted).toEqual([10]);
});

test.each(Object.entries(forms))('a found value, %s, counts as much', (_, found) => {
  const { view, counted } = traced({ find: () => found as FoundValue });
  expect(view.find(key)).toBe(found as FoundValue);
  expect(counted).toEqual([10]);
});

test('of several keys each found one counts, and absent ones are reads of nothing', () => {
  const { view, counted } = traced({ findAll: () => undefined });
  const batch = {
    keys: [key, key, new Uint8Array(5), key],
    blocks: [undefined, block, undefined, undefined],
    slots: [0, 4, 0, 0],
    bodies: [plain, undefined, undefined, undefined],
    end: 3,
  };
  view.findAll(batch as unknown as KeyBatch);
  expect(counted).toEqual([10, 10, 0]);
});

test('what is absent counts nothing, and what has to be waited for counts later', () => {
  const absent = traced({ get: () => undefined, find: () => undefined });
  absent.view.get(key);
  absent.view.find(key);
  expect(absent.counted).toEqual([0, 0]);
  const wait = Promise.resolve();
  const pending = traced({ get: () => wait, find: () => wait, findAll: () => wait });
  expect(pending.view.get(key)).toBe(wait);
  expect(pending.view.find(key)).toBe(wait);
  expect(pending.view.findAll({} as KeyBatch)).toBe(wait);
  expect(pending.counted).toEqual(['later', 'later', 'later']);
});
