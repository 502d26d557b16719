import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  ByteString,
  conversionTrouble,
  formatIdentifier,
  type IdentifierFormat,
  isConvertible,
  parseFloat64,
  type Scalar,
  type ScalarType,
  scalarTypes,
  strictConverterOf,
} from '#value';
import type { ConversionSide } from '../../../src/value/conversion/strict.ts';
import { float64, int64, plainOf, scalarOf } from '../arbitrary.ts';

function side(type: ScalarType, identifierFormat?: IdentifierFormat, nullable = false) {
  return { type, identifierFormat, nullable } satisfies ConversionSide;
}

function convert(from: ConversionSide, to: ConversionSide, ...values: Scalar[]) {
  return values.map(strictConverterOf(from, to));
}

const [text, int, float, bool, bytes] = (
  ['text', 'int64', 'float64', 'bool', 'bytes'] as const
).map((type) => side(type)) as [
  ConversionSide,
  ConversionSide,
  ConversionSide,
  ConversionSide,
  ConversionSide,
];
const uuid = side('bytes', 'uuid');
const xid = side('bytes', 'xid');
const id = Uint8Array.from({ length: 16 }, (_, i) => i * 16 + 7);

describe('one rule a line', () => {
  const no = undefined;
  const long = `1${'0'.repeat(300)}`;
  const rows: [string, ConversionSide, ConversionSide, Scalar[], (Scalar | undefined)[]][] = [
    ['digits', text, int, ['12', '+7', '-0', '007'], [12, 7, 0, 7]],
    [
      'the ends of int64',
      text,
      int,
      ['9223372036854775807', '9223372036854775808', '-9223372036854775808'],
      [9223372036854775807n, no, -9223372036854775808n],
    ],
    ['no spaces', text, int, [' 1', '1 ', '1\n', '', '+', '-'], [no, no, no, no, no, no]],
    [
      'no other integers',
      text,
      int,
      ['0x1', '1_000', '1,000', '1.0', '1e3', '١'],
      Array(6).fill(no),
    ],
    [
      'decimals',
      text,
      float,
      ['1', '-1.5', '.5', '5.', '1e5', '+2E-2'],
      [1, -1.5, 0.5, 5, 1e5, 0.02],
    ],
    [
      'no other numbers',
      text,
      float,
      ['inf', 'NaN', '1e999', ' 1', '0x1', '1_0', '.', ''],
      Array(8).fill(no),
    ],
    ['truth in words', text, bool, ['true', 'false', 'True', '1', ''], [true, false, no, no, no]],
    [
      'integral floats',
      float,
      int,
      [3, -0, 2 ** 62, 0.5, 2 ** 63, -(2 ** 63)],
      [3, 0, 2n ** 62n, no, no, -(2n ** 63n)],
    ],
    ['exact floats', int, float, [7, 2n ** 60n, 2n ** 60n + 1n], [7, 2 ** 60, no]],
    [
      'integers in words',
      int,
      text,
      [0, -5, 9223372036854775807n],
      ['0', '-5', '9223372036854775807'],
    ],
    [
      'positional text',
      float,
      text,
      [1, 0.1, -0, 1e300, -1.5e-7, 1e21, 5e-324 * 2 ** 52],
      [
        '1',
        '0.1',
        '-0',
        long,
        '-0.00000015',
        `1${'0'.repeat(21)}`,
        `0.${'0'.repeat(307)}22250738585072014`,
      ],
    ],
    ['bool in words', bool, text, [true, false], ['true', 'false']],
    ['unsupported', int, bool, [0, 1], [no, no]],
    ['unsupported back', bool, int, [true], [no]],
    ['unsupported floats', float, bool, [1], [no]],
    ['plain bytes are no text', bytes, text, [new ByteString(id)], [no]],
    ['text is no plain bytes', text, bytes, ['AA=='], [no]],
    ['a label needs its length', bytes, xid, [new ByteString(id)], [no]],
    [
      'identifier from text',
      text,
      uuid,
      ['nothing', formatIdentifier('uuid', id).toUpperCase()],
      [no, no],
    ],
    [
      'NULL stays where it may',
      side('text', undefined, true),
      side('int64', undefined, true),
      [null],
      [null],
    ],
    [
      'NULL is refused where it may not stay',
      side('text', undefined, true),
      text,
      [null, 'a'],
      [no, 'a'],
    ],
  ];
  test.each(rows)('%s', (_name, from, to, values, images) => {
    expect(convert(from, to, ...values)).toEqual(images);
  });

  test('identifiers and their texts', () => {
    const value = new ByteString(id, 'uuid');
    const word = formatIdentifier('uuid', id);
    expect(convert(uuid, text, value)).toEqual([word]);
    expect(convert(text, uuid, word)).toEqual([value]);
    expect(convert(bytes, uuid, new ByteString(id))).toEqual([value]);
    expect(convert(uuid, bytes, value)).toEqual([new ByteString(id)]);
  });

  test('a float64 that is not finite has no image', () => {
    expect(convert(float, float, Number.NaN, Number.POSITIVE_INFINITY, 1)).toEqual([no, no, 1]);
    expect(convert(float, text, Number.NaN)).toEqual([no]);
  });
});

describe('generated values', () => {
  test('integers survive text', () => {
    fc.assert(
      fc.property(int64, (value) => {
        const [word] = convert(int, text, value);
        expect(convert(text, int, word as string)).toEqual([value]);
      }),
    );
  });

  test('floats survive positional text, which has neither exponent nor .0', () => {
    fc.assert(
      fc.property(float64, (value) => {
        const [word] = convert(float, text, value) as [string];
        expect(word).toMatch(/^-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?$/);
        expect(Object.is(parseFloat64(word), value)).toBe(true);
      }),
    );
  });

  test('an image between numbers is equal to its origin', () => {
    fc.assert(
      fc.property(int64, (value) => {
        const [image] = convert(int, float, value);
        if (image !== undefined) expect(BigInt(image as number)).toBe(BigInt(value));
        else expect(BigInt(Number(value))).not.toBe(BigInt(value));
      }),
    );
  });

  test('the same type keeps every value', () => {
    for (const type of scalarTypes) {
      const nullable = side(type, undefined, true);
      fc.assert(
        fc.property(scalarOf(type), (value) => {
          expect(convert(nullable, nullable, value)).toEqual([value]);
        }),
      );
    }
  });

  test('what is not convertible has no image at all', () => {
    for (const from of scalarTypes) {
      for (const to of scalarTypes) {
        if (isConvertible(side(from), side(to))) continue;
        fc.assert(
          fc.property(plainOf[from], (value) => {
            expect(convert(side(from), side(to), value)).toEqual([undefined]);
          }),
          { numRuns: 20 },
        );
      }
    }
  });
});

test('the trouble names the types and never the value', () => {
  expect(conversionTrouble(text, int, 'secret')).toBe('the text value has no exact int64 image');
  expect(conversionTrouble(int, bool, 1)).toBe('int64 cannot be converted to bool');
  expect(conversionTrouble(bytes, uuid, new ByteString(id.slice(1)))).toBe(
    'the bytes value has no exact bytes (uuid) image',
  );
  expect(conversionTrouble(text, int, null)).toBe('NULL in a column that becomes non-null');
});
