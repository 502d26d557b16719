import { expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  ByteString,
  formatBytes,
  formatIdentifier,
  identifierFormats,
  identifierLength,
  parseIdentifier,
} from '#value';

test('canonical texts come back, in the order of the bytes', () => {
  for (const format of identifierFormats) {
    const length = identifierLength[format];
    const bytes = fc.uint8Array({ minLength: length, maxLength: length });
    fc.assert(
      fc.property(bytes, bytes, (a, b) => {
        const text = formatIdentifier(format, a);
        expect(parseIdentifier(format, text)).toEqual(a);
        expect(Math.sign(Buffer.compare(a, b))).toBe(
          Math.sign(text.localeCompare(formatIdentifier(format, b), 'en')),
        );
      }),
    );
  }
});

test('known texts', () => {
  const known = {
    uuid: ['00112233-4455-6677-8899-aabbccddeeff', '00112233445566778899aabbccddeeff'],
    ulid: ['01ARZ3NDEKTSV4RRFFQ69G5FAV', '01563e3ab5d3d6764c61efb99302bd5b'],
    xid: ['9m4e2mr0ui3e8a215n4g', '4d88e15b60f486e428412dc9'],
  } as const;
  for (const format of identifierFormats) {
    const [text, hex] = known[format];
    expect(parseIdentifier(format, text)?.toHex()).toBe(hex);
    expect(formatIdentifier(format, Uint8Array.fromHex(hex))).toBe(text);
  }
});

test('the ends of the range', () => {
  expect(formatIdentifier('ulid', new Uint8Array(16).fill(255))).toBe('7ZZZZZZZZZZZZZZZZZZZZZZZZZ');
  expect(formatIdentifier('xid', new Uint8Array(12).fill(255))).toBe('vvvvvvvvvvvvvvvvvvvg');
});

test('other spellings are refused', () => {
  const bad = {
    uuid: [
      '',
      '00112233-4455-6677-8899-AABBCCDDEEFF',
      '00112233445566778899aabbccddeeff',
      '00112233-4455-6677-8899-aabbccddeef',
      '{00112233-4455-6677-8899-aabbccddeeff}',
      '00112233-4455-6677-8899-aabbccddeefg',
    ],
    ulid: [
      '',
      '01arz3ndektsv4rrffq69g5fav',
      '81ARZ3NDEKTSV4RRFFQ69G5FAV',
      '01ARZ3NDEKTSV4RRFFQ69G5FA',
      '01ARZ3NDEKTSV4RRFFQ69G5FAI',
      '01ARZ3NDEKTSV4RRFFQ69G5FAVA',
      '01ARZ3NDEKTSV4RRFFQ69G5FAé',
    ],
    xid: [
      '',
      '9M4E2MR0UI3E8A215N4G',
      '9m4e2mr0ui3e8a215n4h',
      '9m4e2mr0ui3e8a215n4w',
      '9m4e2mr0ui3e8a215n4',
      '9m4e2mr0ui3e8a215n4gg',
    ],
  };
  for (const format of identifierFormats) {
    for (const text of bad[format]) expect(parseIdentifier(format, text)).toBeUndefined();
  }
});

test('bytes without a format, or not of its length, are base64', () => {
  expect(formatBytes(new ByteString(Uint8Array.of(1)))).toBe('AQ==');
  expect(formatBytes(new ByteString(Uint8Array.of(1), 'uuid'))).toBe('AQ==');
  expect(formatBytes(new ByteString(new Uint8Array(12), 'xid'))).toBe('00000000000000000000');
});
