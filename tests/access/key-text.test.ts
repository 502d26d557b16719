/** The text of an API key: its form, its checksum, and what is stored of it. */

import { describe, expect, test } from 'bun:test';
import { crc32 as zlibCrc32 } from 'node:zlib';
import { drawKey, hashOfKey, idOfKey, isKeyId, mayHoldKey } from '#access';
import { bytesOfSeed } from './support.ts';

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A fixed source: each byte is `byte`. */
const constant = (byte: number) => ({
  fill: (target: Uint8Array) => target.fill(byte),
  unit: () => 0,
});

const numberIn = (text: string) =>
  [...text].reduce((sum, digit) => sum * 62n + BigInt(digits.indexOf(digit)), 0n);

describe('a key text', () => {
  test('consists of an id, 256 random bits and the CRC-32 of all before', () => {
    const { id, text } = drawKey(constant(0x11));
    expect(text).toMatch(/^svck_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$/);
    expect(text.slice(5, 17)).toBe(id);
    expect(numberIn(id)).toBe(0x111111111111111111n);
    expect(numberIn(text.slice(18, 61))).toBe(BigInt(`0x${'11'.repeat(32)}`));
    expect(numberIn(text.slice(61))).toBe(BigInt(zlibCrc32(text.slice(0, 61))));
  });

  test('pads small numbers with zeros, and has room for the greatest', () => {
    const { id, text } = drawKey(constant(0));
    expect(id).toBe('0'.repeat(12));
    expect(text.slice(18, 61)).toBe('0'.repeat(43));
    expect(idOfKey(text)).toBe(id);
    const drawn = [0xff, 0x01];
    const greatest = {
      ...constant(0),
      fill: (it: Uint8Array) => it.fill(it.length === 32 ? 0xff : (drawn.shift() ?? 0)),
    };
    const full = drawKey(greatest);
    expect(numberIn(full.text.slice(18, 61))).toBe(2n ** 256n - 1n);
    // 2^72 - 1 is beyond the last id, so the id is drawn again.
    expect(numberIn(full.id)).toBe(0x010101010101010101n);
  });

  test('differs for each draw, and leads to its id', () => {
    const random = bytesOfSeed(7);
    const keys = Array.from({ length: 500 }, () => drawKey(random));
    expect(new Set(keys.map(({ id }) => id)).size).toBe(500);
    for (const { id, text } of keys) expect(idOfKey(text)).toBe(id);
  });

  test('is refused with any other digit, length or form', () => {
    const { text } = drawKey(bytesOfSeed(8));
    for (let at = 0; at < text.length; at++) {
      const other = text[at] === 'A' ? 'B' : 'A';
      expect(idOfKey(text.slice(0, at) + other + text.slice(at + 1))).toBeUndefined();
      expect(idOfKey(text.slice(0, at) + text.slice(at + 1))).toBeUndefined();
    }
    for (const wrong of ['', 'svck_', `${text} `, `${text}\n`, ` ${text}`, text.toUpperCase()]) {
      expect(idOfKey(wrong)).toBeUndefined();
    }
  });

  test('is stored as the SHA-256 of the whole text', () => {
    const { text } = drawKey(bytesOfSeed(9));
    const digest = new Bun.CryptoHasher('sha256').update(text).digest('hex');
    expect(Buffer.from(hashOfKey(text)).toString('hex')).toBe(digest);
  });
});

test('an id is no key, and a key is found anywhere in a text', () => {
  const { id, text } = drawKey(bytesOfSeed(10));
  expect([isKeyId(id), isKeyId(text), isKeyId(`${id}0`), isKeyId('')]).toEqual([
    true,
    false,
    false,
    false,
  ]);
  expect([mayHoldKey(text), mayHoldKey(`/auth/keys/${text}`), mayHoldKey(id)]).toEqual([
    true,
    true,
    false,
  ]);
});
