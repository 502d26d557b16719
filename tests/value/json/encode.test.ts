import { expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  ByteString,
  type DatumType,
  encodeResult,
  formatFloat64,
  type OutputColumn,
  type ScalarType,
} from '#value';
import { datumEncoderOf } from '../../../src/value/json/encode.ts';
import { float64, int64, text } from '../arbitrary.ts';

const column = (name: string, type: ScalarType | DatumType): OutputColumn => ({
  name,
  type: typeof type === 'string' ? { kind: type } : type,
  nullable: true,
});

test('floats read back as the same float, and look like floats', () => {
  fc.assert(
    fc.property(float64, (value) => {
      const shown = formatFloat64(value);
      expect(Object.is(JSON.parse(shown), value)).toBe(true);
      expect(shown).toMatch(/[.e]/);
    }),
    { numRuns: 1000 },
  );
});

test('float notation', () => {
  const shown: readonly (readonly [number, string])[] = [
    [3, '3.0'],
    [-0, '-0.0'],
    [0, '0.0'],
    [0.1, '0.1'],
    [-1.5, '-1.5'],
    [1e15, '1000000000000000.0'],
    [2 ** 53, '9007199254740992.0'],
    [1e16, '1e16'],
    [1.5e300, '1.5e300'],
    [1e-5, '0.00001'],
    [0.000012, '0.000012'],
    [9.9e-6, '9.9e-6'],
    [1e-7, '1e-7'],
    [-1e21, '-1e21'],
    [5e-324, '5e-324'],
    [123456789012345680, '1.2345678901234568e17'],
  ];
  for (const [value, expected] of shown) expect(formatFloat64(value)).toBe(expected);
});

test('texts read back', () => {
  const encode = datumEncoderOf({ kind: 'text' });
  fc.assert(fc.property(text, (value) => expect(JSON.parse(encode(value))).toBe(value)));
  expect(encode('\u2028\u007f"\\\n')).toBe(JSON.stringify('\u2028\u007f"\\\n'));
});

test('integers are exact', () => {
  const encode = datumEncoderOf({ kind: 'int64' });
  fc.assert(fc.property(int64, (value) => expect(BigInt(encode(value))).toBe(BigInt(value))));
});

const columns = [
  column('t', 'text'),
  column('i', 'int64'),
  column('f', 'float64'),
  column('b', 'bool'),
  column('y', 'bytes'),
];
const uuid = new ByteString(Uint8Array.fromHex('00112233445566778899aabbccddeeff'), 'uuid');
const rows = [
  ['a"b', 2n ** 63n - 1n, 1, true, uuid],
  [null, null, null, null, null],
];
const first =
  '{"t":"a\\"b","i":9223372036854775807,"f":1.0,"b":true,"y":"00112233-4455-6677-8899-aabbccddeeff"}';

test('the four shapes', () => {
  expect(encodeResult(columns, rows, 'many')).toBe(
    `[${first},{"t":null,"i":null,"f":null,"b":null,"y":null}]`,
  );
  expect(encodeResult(columns, [], 'many')).toBe('[]');
  expect(encodeResult(columns, rows, 'first')).toBe(first);
  expect(encodeResult(columns, [], 'first')).toBe('null');
  expect(encodeResult(columns, rows, 'exactly_one')).toBe(first);
  expect(encodeResult([column('f', 'float64')], [[-0]], 'scalar')).toBe('-0.0');
  expect(encodeResult([column('f', 'float64')], [[null]], 'scalar')).toBe('null');
  expect(encodeResult([column('f', 'float64')], [], 'scalar')).toBe('null');
});

test('nested rows and arrays follow their types', () => {
  const inner = [column('n', 'float64'), column('__proto__', 'int64')];
  const nested = [
    column('r', { kind: 'row', columns: inner }),
    column('a', { kind: 'array', columns: inner }),
  ];
  const shown = encodeResult(
    nested,
    [
      [
        [2, 1],
        [
          [3, null],
          [4, 5],
        ],
      ],
      [null, []],
    ],
    'many',
  );
  expect(shown).toBe(
    '[{"r":{"n":2.0,"__proto__":1},"a":[{"n":3.0,"__proto__":null},{"n":4.0,"__proto__":5}]},{"r":null,"a":[]}]',
  );
});

/** Enough copies to be encoded in bulk, and how they look. */
const many = <T>(item: T): T[] => Array.from({ length: 1500 }, () => item);
const shownInBulk = (text: string) => `[${many(text).join(',')}]`;

test('many rows look like few', () => {
  for (const row of rows) {
    const shown = encodeResult(columns, [row], 'many').slice(1, -1);
    expect(encodeResult(columns, many(row), 'many')).toBe(shownInBulk(shown));
  }
});

test('in bulk: what looks like a mark, names that objects treat apart, nesting', () => {
  const inner = [column('["1.0"]', 'float64'), column('__proto__', 'text')];
  const tricky = [
    column('__proto__', { kind: 'row', columns: inner }),
    column('a', { kind: 'array', columns: inner }),
    column('toJSON', 'text'),
    column('"[', 'float64'),
  ];
  const row = [
    [-0, '["5.0"]'],
    [
      [1e16, '['],
      [0.5, null],
    ],
    '["1"]',
    3,
  ];
  const shown =
    '{"__proto__":{"[\\"1.0\\"]":-0.0,"__proto__":"[\\"5.0\\"]"},' +
    '"a":[{"[\\"1.0\\"]":1e16,"__proto__":"["},{"[\\"1.0\\"]":0.5,"__proto__":null}],' +
    '"toJSON":"[\\"1\\"]","\\"[":3.0}';
  expect(encodeResult(tricky, [row], 'many')).toBe(`[${shown}]`);
  expect(encodeResult(tricky, many(row), 'many')).toBe(shownInBulk(shown));
  expect(encodeResult(tricky, many([null, [], null, null]), 'many')).toBe(
    shownInBulk('{"__proto__":null,"a":[],"toJSON":null,"\\"[":null}'),
  );
  // What a left join pads.
  const padding = [null, null, 'x', 1e-6];
  const padded = encodeResult(tricky, [padding], 'many');
  expect(padded).toBe('[{"__proto__":null,"a":null,"toJSON":"x","\\"[":1e-6}]');
  expect(encodeResult(tricky, many(padding), 'many')).toBe(shownInBulk(padded.slice(1, -1)));
});

test('in bulk: integer names stay in their place', () => {
  const integers = [column('b', 'bool'), column('1', 'bool')];
  expect(encodeResult(integers, many([true, false]), 'many')).toBe(
    shownInBulk('{"b":true,"1":false}'),
  );
  const nested = [column('a', { kind: 'array', columns: integers })];
  expect(encodeResult(nested, many([[[true, false]]]), 'many')).toBe(
    shownInBulk('{"a":[{"b":true,"1":false}]}'),
  );
});

test('in bulk: any values', () => {
  const scalars = columns.slice(0, 3);
  const row = fc.tuple(fc.option(text), fc.option(int64), fc.option(float64));
  fc.assert(
    fc.property(fc.array(row, { minLength: 100, maxLength: 120 }), (table) => {
      const one = table.map((tuple) => encodeResult(scalars, [tuple], 'first'));
      expect(encodeResult(scalars, table, 'many')).toBe(`[${one.join(',')}]`);
    }),
    { numRuns: 20 },
  );
});

test('names are escaped', () => {
  expect(encodeResult([column('a"\n', 'bool')], [[false]], 'first')).toBe('{"a\\"\\n":false}');
});
