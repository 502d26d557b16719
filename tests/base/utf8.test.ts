import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { appendUtf8, ByteWriter, decodeForeignUtf8, decodeUtf8, encodeUtf8 } from '#base';

const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ maxLength: 100 }));

test('text comes back, and the writer holds its bytes only', () => {
  fc.assert(
    fc.property(text, text, (before, value) => {
      const writer = new ByteWriter(1);
      appendUtf8(writer, before);
      const from = writer.length;
      appendUtf8(writer, value);
      expect(writer.peek().subarray(from)).toEqual(new Uint8Array(Buffer.from(value)));
      expect(decodeUtf8(writer.bytes, from, writer.length)).toBe(value);
      expect(encodeUtf8(value)).toEqual(new Uint8Array(Buffer.from(value)));
    }),
  );
});

test('foreign bytes are checked', () => {
  expect(decodeForeignUtf8(Uint8Array.of(0xc3, 0xa9))).toBe('é');
  expect(decodeForeignUtf8(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61))).toBe('a');
  for (const bad of [[0xff], [0xc3], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80]]) {
    expect(decodeForeignUtf8(Uint8Array.from(bad))).toBeUndefined();
  }
});
