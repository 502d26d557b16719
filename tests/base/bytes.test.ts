import { expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  afterKey,
  afterPrefix,
  ByteReader,
  ByteWriter,
  compareBytes,
  compareRanges,
  crc32,
  equalBytes,
  equalRanges,
} from '#base';

const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 6, max: 255 }),
  fc.uint8Array({ minLength: 28, maxLength: 40, max: 1 }),
);

test('two parts of the same bytes are alike when each byte is', () => {
  fc.assert(
    fc.property(bytes, fc.array(fc.nat(40), { minLength: 4, maxLength: 4 }), (all, ends) => {
      const at = ends.map((end) => Math.min(end, all.length)) as [number, number, number, number];
      const [leftFrom, leftTo] = [Math.min(at[0], at[1]), Math.max(at[0], at[1])];
      const [from, to] = [Math.min(at[2], at[3]), Math.max(at[2], at[3])];
      const expected = Buffer.compare(all.subarray(leftFrom, leftTo), all.subarray(from, to)) === 0;
      expect(equalRanges(all, leftFrom, leftTo, from, to)).toBe(expected);
    }),
  );
  expect(equalRanges(Uint8Array.of(1, 2, 1, 3), 0, 2, 2, 4)).toBe(false);
  expect(equalRanges(Uint8Array.of(1, 2, 1, 2), 0, 2, 2, 4)).toBe(true);
});

test('byte strings are compared as the runtime compares them, in parts too', () => {
  fc.assert(
    fc.property(bytes, bytes, fc.nat(2), fc.nat(2), (a, b, i, j) => {
      const from = Math.min(i, a.length);
      const start = Math.min(j, b.length);
      const order = compareRanges(a, from, a.length, b, start, b.length);
      const expected = Buffer.compare(a.subarray(from), b.subarray(start));
      expect(Math.sign(order)).toBe(expected);
      expect(Math.sign(compareBytes(a.subarray(from), b.subarray(start)))).toBe(expected);
    }),
  );
});

test('afterPrefix bounds exactly the strings with the prefix', () => {
  const near = fc
    .array(fc.constantFrom(0, 1, 254, 255), { maxLength: 4 })
    .map((a) => Uint8Array.from(a));
  fc.assert(
    fc.property(near, near, (prefix, key) => {
      const bound = afterPrefix(prefix);
      const starts = equalBytes(key.subarray(0, prefix.length), prefix);
      const isInside =
        compareBytes(key, prefix) >= 0 && (bound === undefined || compareBytes(key, bound) < 0);
      expect(isInside).toBe(starts);
    }),
    { numRuns: 1000 },
  );
});

test('nothing lies between a key and afterKey', () => {
  expect(afterKey(Uint8Array.of(1, 2))).toEqual(Uint8Array.of(1, 2, 0));
});

test('numbers are read back as written', () => {
  fc.assert(
    fc.property(
      fc.maxSafeNat(),
      fc.nat(0xffff),
      fc.double({ noNaN: true }),
      bytes,
      (n, half, float, tail) => {
        const writer = new ByteWriter(1);
        writer.varint(n);
        writer.u8(half & 0xff);
        writer.u16(half);
        writer.u32(n % 2 ** 32);
        writer.f64(float);
        writer.append(tail);
        const reader = new ByteReader(writer.take());
        expect(reader.varint()).toBe(n);
        expect([reader.u8(), reader.u16(), reader.u32()]).toEqual([half & 0xff, half, n % 2 ** 32]);
        expect(reader.f64()).toBe(float);
        expect(reader.take(tail.length)).toEqual(tail);
        expect(() => reader.u8()).toThrow(RangeError);
      },
    ),
  );
});

test('a varint takes seven bits a byte', () => {
  const length = (value: number) => {
    const writer = new ByteWriter();
    writer.varint(value);
    return writer.length;
  };
  expect([0, 127, 128, 16383, 16384, Number.MAX_SAFE_INTEGER].map(length)).toEqual([
    1, 1, 2, 2, 3, 8,
  ]);
});

test('a cleared writer starts again', () => {
  const writer = new ByteWriter(2);
  writer.append(Uint8Array.from({ length: 100 }, (_, i) => i));
  writer.clear();
  writer.u8(9);
  expect(writer.peek()).toEqual(Uint8Array.of(9));
});

test('bytes are appended from the middle of others, few and many alike', () => {
  const source = Uint8Array.from({ length: 200 }, (_, i) => i);
  for (const count of [0, 1, 23, 24, 25, 26, 100]) {
    const writer = new ByteWriter(3);
    writer.u8(7);
    writer.append(source, 50, 50 + count);
    expect(writer.take()).toEqual(Uint8Array.of(7, ...source.subarray(50, 50 + count)));
  }
});

test('a reader keeps within its part, and says where it is', () => {
  const reader = new ByteReader(Uint8Array.of(1, 2, 3, 4, 5), 1, 4);
  expect(reader.u8()).toBe(2);
  expect([reader.skip(1), reader.at]).toEqual([2, 3]);
  expect(reader.take(1)).toEqual(Uint8Array.of(4));
  expect(() => reader.take(1)).toThrow(RangeError);
  expect(reader.at).toBe(4);
  expect(reader.take(0)).toEqual(new Uint8Array(0));
});

test('what was taken is a copy, what is peeked at is not', () => {
  const writer = new ByteWriter();
  writer.u8(1);
  const [taken, peeked] = [writer.take(), writer.peek()];
  writer.bytes[0] = 2;
  expect([taken[0], peeked[0]]).toEqual([1, 2]);
});

test('bytes are equal when all of them are', () => {
  expect(equalBytes(Uint8Array.of(1, 2), Uint8Array.of(1, 2))).toBe(true);
  expect(equalBytes(Uint8Array.of(1, 2), Uint8Array.of(1, 3))).toBe(false);
  expect(equalBytes(Uint8Array.of(1, 2), Uint8Array.of(1))).toBe(false);
});

test('a checksum goes on from the one before', () => {
  const bytes = Uint8Array.of(1, 2, 3, 4);
  expect(crc32(bytes.subarray(2), crc32(bytes.subarray(0, 2)))).toBe(crc32(bytes));
  expect(crc32(Buffer.from('123456789'))).toBe(0xcbf43926);
});
