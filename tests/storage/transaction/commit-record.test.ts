/** Commit records: what was encoded is decoded, and never longer than the room that was asked for. */

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { ByteWriter } from '#base';
import {
  decodeCommit,
  encodeCommit,
  RecordWriter,
  recordBytesMax,
} from '../../../src/storage/transaction/commit-record.ts';
import { WriteBatch } from '../../../src/storage/transaction/write-batch.ts';
import { anyKey, anyRange } from '../model.ts';

const anyValue = fc.option(fc.uint8Array({ maxLength: 300 }), { nil: undefined });
const anyWrites = fc.array(fc.tuple(anyKey, anyValue), { maxLength: 20 });

function batchOf(
  writes: readonly (readonly [Uint8Array, Uint8Array | undefined])[],
  dropped: readonly { readonly from: Uint8Array; readonly to: Uint8Array | undefined }[] = [],
): WriteBatch {
  const batch = new WriteBatch();
  for (const [key, value] of writes) {
    if (value === undefined) batch.delete(key);
    else batch.put(key, value);
  }
  for (const range of dropped) batch.dropRange(range);
  return batch;
}

test('comes back as it was, and fits into the room that was asked for', () => {
  fc.assert(
    fc.property(anyWrites, fc.array(anyRange, { maxLength: 4 }), (writes, ranges) => {
      const batch = batchOf(writes, ranges);
      const writer = new ByteWriter(16);
      encodeCommit(batch, writer);
      const record = writer.take();
      expect(record.length).toBeLessThanOrEqual(recordBytesMax(batch));
      const back = new Map<string, string | undefined>();
      const dropped = decodeCommit(record, (entry) => {
        const { key, keyFrom, keyTo, value, valueFrom, valueTo } = entry;
        const text = Buffer.from(value.subarray(valueFrom, valueTo)).toString('hex');
        const name = Buffer.from(key.subarray(keyFrom, keyTo)).toString('hex');
        back.set(name, entry.isDelete ? undefined : text);
      });
      const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
      expect(back).toEqual(new Map(writes.map(([key, value]) => [hex(key), value && hex(value)])));
      expect(dropped.map(({ from, to }) => [hex(from), to && hex(to)])).toEqual(
        ranges.map(({ from, to }) => [hex(from), to && hex(to)]),
      );
    }),
  );
});

test('room is asked for long ranges that are dropped, too', () => {
  const long = new Uint8Array(5000);
  const batch = batchOf([], [{ from: long, to: long }]);
  const record = new RecordWriter().encode(batch);
  expect(recordBytesMax(batch)).toBeGreaterThanOrEqual(record.length);
  expect(recordBytesMax(batch)).toBeLessThan(record.length + 100);
});

test('a record of another format is refused by its number', () => {
  for (const version of [0, 3, 255]) {
    expect(() => decodeCommit(Uint8Array.of(version, 0), () => {})).toThrow(
      expect.objectContaining({ trouble: { kind: 'format', object: 'log record', version } }),
    );
  }
});

test('the memory of an unusually large record is given up', () => {
  const records = new RecordWriter();
  const large = records.encode(batchOf([[Uint8Array.of(1), new Uint8Array(3 << 20)]]));
  expect(large.buffer.byteLength).toBeGreaterThan(3 << 20);
  const small = records.encode(batchOf([[Uint8Array.of(1), Uint8Array.of(2)]]));
  expect(small.buffer.byteLength).toBeLessThan(1 << 20);
});
