/** Commit records: what was encoded is decoded, and never longer than the room that was asked for. */

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  decodeCommit,
  RecordWriter,
  recordBytesMax,
} from '../../../src/storage/batch/commit-record.ts';
import { WriteBatch } from '../../../src/storage/batch/write-batch.ts';
import { anyKey, anyRange } from '../model.ts';
import { inOneGo } from '../transaction/support.ts';

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
      const record = encoded(batch);
      expect(record.length).toBeLessThanOrEqual(recordBytesMax(batch));
      const back = new Map<string, string | undefined>();
      const dropped = decodeCommit(record, (entry) => {
        const { key, keyFrom, keyTo, value, valueFrom, valueTo } = entry;
        const text = Buffer.from(value.subarray(valueFrom, valueTo)).toString('hex');
        const name = Buffer.from(key.subarray(keyFrom, keyTo)).toString('hex');
        back.set(name, entry.isTombstone ? undefined : text);
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
  const record = encoded(batch);
  expect(recordBytesMax(batch)).toBeGreaterThanOrEqual(record.length);
  expect(recordBytesMax(batch)).toBeLessThan(record.length + 100);
});

test('a record of another format is refused by its number', () => {
  for (const version of [0, 3, 255]) {
    expect(() => decodeCommit(Uint8Array.of(version, 0), () => {})).toThrow(
      expect.objectContaining({ fault: { kind: 'format', object: 'log record', version } }),
    );
  }
});

test('the memory of an unusually large record is given up', () => {
  const records = new RecordWriter();
  const large = encoded(batchOf([[Uint8Array.of(1), new Uint8Array(3 << 20)]]), records);
  expect(large.length).toBeGreaterThan(3 << 20);
  const small = batchOf([[Uint8Array.of(1), Uint8Array.of(2)]]);
  const [piece] = inOneGo((stretch) => records.encode(small, stretch)) as [Uint8Array];
  expect(piece.buffer.byteLength).toBeLessThan(1 << 20);
});

test('a long record is made of pieces, so that no memory of its size has to grow', () => {
  const values = Array.from({ length: 40 }, (_, i) => [Uint8Array.of(i), new Uint8Array(200_000)]);
  const batch = batchOf(values as [Uint8Array, Uint8Array][]);
  const pieces = inOneGo((stretch) => new RecordWriter().encode(batch, stretch));
  expect(pieces.length).toBeGreaterThan(7);
  for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(1 << 20);
});

function encoded(batch: WriteBatch, records = new RecordWriter()): Uint8Array {
  return Buffer.concat(inOneGo((stretch) => records.encode(batch, stretch)));
}

test('the pieces of a large record are nobody else’s: the next one is formed elsewhere', () => {
  const records = new RecordWriter();
  const pieces = inOneGo((stretch) =>
    records.encode(batchOf([[Uint8Array.of(1), new Uint8Array(2 << 20)]]), stretch),
  );
  const before = pieces.map((piece) => piece.slice());
  encoded(batchOf([[Uint8Array.of(9, 9, 9), Uint8Array.of(9, 9, 9)]]), records);
  expect(pieces.length).toBeGreaterThan(1);
  expect(pieces).toEqual(before);
});
