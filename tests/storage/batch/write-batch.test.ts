/** The write batch against a sorted map, and scans that go on while the batch grows under them. */

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { BatchCursor } from '../../../src/storage/batch/batch-cursor.ts';
import { decodeCommit, RecordWriter } from '../../../src/storage/batch/commit-record.ts';
import { WriteBatch } from '../../../src/storage/batch/write-batch.ts';
import { anyDirection, anyKey, anyRange, anyValue, anyWrites, isWithin } from '../model.ts';
import { inOneGo } from '../transaction/support.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

interface Op {
  readonly key: Uint8Array;
  readonly value: Uint8Array | undefined;
}

function apply(batch: WriteBatch, model: Map<string, string | undefined>, { key, value }: Op) {
  if (value === undefined) batch.delete(key);
  else batch.put(key, value);
  model.set(hex(key), value && hex(value));
}

/** Many keys, so that chunks split: in order, in reverse, or by chance. */
function numbered(count: number, order: 'up' | 'down' | 'mixed'): Uint8Array[] {
  return Array.from({ length: count }, (_, i) => {
    const number = order === 'up' ? i : order === 'down' ? count - i : (i * 7919) % count;
    return Uint8Array.of(number >> 8, number & 0xff);
  });
}

function walk(batch: WriteBatch): string[] {
  const keys: string[] = [];
  const cursor = new BatchCursor(batch, { from: new Uint8Array(), to: undefined }, 'forward');
  for (let write = cursor.current; write !== undefined; write = cursor.current) {
    keys.push(hex(write.bytes.subarray(write.keyFrom, write.keyTo)));
    cursor.advance();
  }
  return keys;
}

test.each(['up', 'down', 'mixed'] as const)('thousands of keys stay in order: %s', (order) => {
  const batch = new WriteBatch();
  const keys = numbered(3000, order);
  for (const key of keys) batch.put(key, key);
  expect(batch.count).toBe(3000);
  expect(walk(batch)).toEqual(keys.map(hex).sort());
  for (const key of keys) expect(batch.find(key)).toBeDefined();
  expect(batch.find(Uint8Array.of(0xff, 0xff, 1))).toBeUndefined();
});

test('the last write of a key counts, and a record carries just that', () => {
  fc.assert(
    fc.property(anyWrites(60), (writes) => {
      const batch = new WriteBatch();
      const model = new Map<string, string | undefined>();
      for (const write of writes) apply(batch, model, write);
      const expected = [...model].sort(([left], [right]) => (left < right ? -1 : 1));
      const decoded: [string, string | undefined][] = [];
      const pieces = inOneGo((stretch) => new RecordWriter().encode(batch, stretch));
      decodeCommit(Buffer.concat(pieces), (entry) => {
        const { key, keyFrom, keyTo, value, valueFrom, valueTo, isTombstone } = entry;
        const text = isTombstone ? undefined : hex(value.subarray(valueFrom, valueTo));
        decoded.push([hex(key.subarray(keyFrom, keyTo)), text]);
      });
      expect(decoded).toEqual(expected);
      expect(batch.count).toBe(model.size);
    }),
  );
});

test('a scan meets every write of its start once, in order, whatever is added meanwhile', () => {
  const late = fc.array(fc.tuple(fc.nat(8), anyKey, fc.option(anyValue, { nil: undefined })));
  fc.assert(
    fc.property(anyWrites(40), late, anyRange, anyDirection, (writes, adds, range, direction) => {
      const batch = new WriteBatch();
      const model = new Map<string, string | undefined>();
      for (const write of writes) apply(batch, model, write);
      const before = [...model.keys()].filter((key) => isWithin(range, Buffer.from(key, 'hex')));
      const cursor = new BatchCursor(batch, range, direction);
      const met: string[] = [];
      for (let step = 0; cursor.current !== undefined; step++) {
        const { bytes, keyFrom, keyTo } = cursor.current;
        met.push(hex(bytes.subarray(keyFrom, keyTo)));
        for (const [when, key, value] of adds)
          if (when === step) apply(batch, model, { key, value });
        cursor.advance();
      }
      const ordered = [...new Set(met)].sort();
      expect(met).toEqual(direction === 'forward' ? ordered : ordered.reverse());
      expect(met).toEqual(expect.arrayContaining(before));
      for (const key of met) expect(isWithin(range, Buffer.from(key, 'hex'))).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test('a large batch survives inserts between the steps of a scan', () => {
  const batch = new WriteBatch();
  for (let i = 0; i < 2000; i += 2) batch.put(Uint8Array.of(i >> 8, i & 0xff), Uint8Array.of(1));
  const cursor = new BatchCursor(batch, { from: new Uint8Array(), to: undefined }, 'backward');
  let steps = 0;
  for (let i = 1; cursor.current !== undefined; i += 2, steps++) {
    // Behind and ahead of the cursor by turns.
    const at = ((i * 577) % 2000) | 1;
    batch.put(Uint8Array.of(at >> 8, at & 0xff), Uint8Array.of(2));
    cursor.advance();
  }
  expect(steps).toBeGreaterThanOrEqual(1000);
  expect(steps).toBeLessThanOrEqual(2000);
});
