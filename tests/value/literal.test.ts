import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  ByteString,
  cellParserOf,
  formatBase64,
  parseBase64,
  parseCell,
  parseFloat64,
  parseInt64,
  parseLiteral,
} from '#value';
import { parseInt64Tolerant } from '../../src/value/literal.ts';

describe('int64', () => {
  test('the grammar of a literal', () => {
    for (const text of [
      '',
      '+1',
      '01',
      '-',
      '1.0',
      '1e3',
      ' 1',
      '1 ',
      '0x1',
      '1_000',
      '-01',
      '١',
    ]) {
      expect(parseInt64(text)).toBeUndefined();
    }
    expect(parseInt64('0')).toBe(0);
    expect(Object.is(parseInt64('-0'), 0)).toBe(true);
    expect(parseInt64('-146')).toBe(-146);
  });

  test('exact up to the ends of the range', () => {
    expect(parseInt64('9007199254740993')).toBe(9007199254740993n);
    expect(parseInt64('9007199254740991')).toBe(Number.MAX_SAFE_INTEGER);
    expect(parseInt64('9223372036854775807')).toBe(2n ** 63n - 1n);
    expect(parseInt64('-9223372036854775808')).toBe(-(2n ** 63n));
    expect(parseInt64('9223372036854775808')).toBeUndefined();
    expect(parseInt64('-9223372036854775809')).toBeUndefined();
    expect(parseInt64('9'.repeat(400))).toBeUndefined();
  });

  test('cells tolerate a plus and leading zeros', () => {
    expect(parseInt64Tolerant('+007')).toBe(7);
    expect(parseInt64Tolerant('+9007199254740993')).toBe(9007199254740993n);
    expect(parseInt64Tolerant('-00')).toBe(0);
    expect(parseInt64Tolerant('000009223372036854775807')).toBe(2n ** 63n - 1n);
    expect(parseInt64Tolerant(`${'0'.repeat(1_000_000)}9223372036854775807`)).toBe(2n ** 63n - 1n);
    for (const text of ['', '+', '--1', '+-1', '1.', ' 1']) {
      expect(parseInt64Tolerant(text)).toBeUndefined();
    }
  });

  test('every int64 comes back', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (value) => {
        const parsed = parseInt64(String(value));
        expect(parsed !== undefined && BigInt(parsed) === value).toBe(true);
        expect(typeof parsed === 'number').toBe(Number.isSafeInteger(Number(value)));
      }),
    );
  });
});

describe('float64', () => {
  test('the decimal grammar', () => {
    const values: Record<string, number> = {
      '1': 1,
      '+1': 1,
      '-1.5': -1.5,
      '.5': 0.5,
      '5.': 5,
      '1e5': 1e5,
      '1.E-2': 0.01,
      '007': 7,
      '-0': -0,
      '1e-400': 0,
    };
    for (const [text, value] of Object.entries(values)) expect(parseFloat64(text)).toBe(value);
    const bad = [
      '',
      '.',
      '+',
      'e5',
      '1e',
      '1e+',
      'NaN',
      'Infinity',
      '-inf',
      '1e400',
      '0x10',
      ' 1',
      '1\n',
      '1_0',
      '1,5',
      '.e1',
    ];
    for (const text of bad) expect(parseFloat64(text)).toBeUndefined();
  });

  test('is the nearest binary64', () => {
    expect(parseFloat64('9007199254740993')).toBe(9007199254740992);
    expect(parseFloat64('0.1')).toBe(0.1);
    const digits = fc.stringMatching(/^-?[0-9]{1,20}\.[0-9]{0,20}$/);
    fc.assert(
      fc.property(digits, (text) => {
        expect(Object.is(parseFloat64(text), Number(text))).toBe(true);
      }),
    );
  });

  test('short ones, read digit by digit, are what the runtime makes of them', () => {
    const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength: 17 });
    const number = fc.tuple(
      fc.constantFrom('', '-', '+'),
      digits,
      fc.constantFrom('', '.'),
      digits,
    );
    fc.assert(
      fc.property(number, ([sign, whole, point, fraction]) => {
        const text = `${sign}${whole}${point}${fraction}`;
        const isNumber = whole + fraction !== '';
        expect(Object.is(parseFloat64(text), isNumber ? Number(text) : undefined)).toBe(true);
        if (point === '' && isNumber && whole.length + fraction.length < 16) {
          expect(Object.is(parseInt64Tolerant(text), Number(text) + 0)).toBe(true);
        } else if (point !== '') {
          expect(parseInt64Tolerant(text)).toBeUndefined();
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe('base64', () => {
  test('bytes come back', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const text = formatBase64(bytes);
        expect(text).toBe(Buffer.from(bytes).toString('base64'));
        expect(parseBase64(text)).toEqual(bytes);
      }),
    );
  });

  test('only the canonical text is accepted', () => {
    const bad = [
      'A',
      'AA',
      'AAA',
      'AB==',
      'AAB=',
      'A===',
      '====',
      '=',
      'AA=A',
      'AA==AAAA',
      'AAAA\n',
      ' AAAA',
      'AA-_',
      'AAA===',
    ];
    for (const text of bad) expect(parseBase64(text)).toBeUndefined();
    expect(parseBase64('')).toEqual(new Uint8Array());
    expect(parseBase64('AA==')).toEqual(Uint8Array.of(0));
    expect(parseBase64('AAA=')).toEqual(Uint8Array.of(0, 0));
  });
});

describe('literals and cells', () => {
  const reasonOf = (parsed: ReturnType<typeof parseLiteral>) =>
    parsed.kind === 'problem' ? parsed.reason : parsed.value;

  test('a literal without value is NULL', () => {
    expect(parseLiteral('int64', undefined)).toEqual({ kind: 'value', value: null });
  });

  test('problems of literals', () => {
    expect(reasonOf(parseLiteral('int64', '01'))).toBe('schema_violation');
    expect(reasonOf(parseLiteral('int64', '9223372036854775808'))).toBe('type_mismatch');
    expect(reasonOf(parseLiteral('float64', 'NaN'))).toBe('type_mismatch');
    expect(reasonOf(parseLiteral('bytes', 'x'))).toBe('schema_violation');
    expect(reasonOf(parseLiteral('bool', 'true'))).toBe('schema_violation');
    expect(reasonOf(parseLiteral('text', true))).toBe('schema_violation');
    expect(reasonOf(parseLiteral('bool', false))).toBe(false);
    expect(reasonOf(parseLiteral('text', ''))).toBe('');
  });

  test('problems of cells', () => {
    expect(reasonOf(parseCell('int64', '+01'))).toBe(1);
    expect(reasonOf(parseCell('int64', '1.0'))).toBe('type_mismatch');
    expect(reasonOf(parseCell('float64', 'x'))).toBe('type_mismatch');
    expect(reasonOf(parseCell('bool', 'TRUE'))).toBe('schema_violation');
    expect(reasonOf(parseCell('bool', 'true'))).toBe(true);
    expect(reasonOf(parseCell('bytes', '!'))).toBe('schema_violation');
    expect(reasonOf(parseCell('text', null))).toBeNull();
    expect(cellParserOf('bytes')('AQ==')).toEqual(new ByteString(Uint8Array.of(1)));
    expect(cellParserOf('bool')('no')).toBeUndefined();
  });

  test('a non-finite number says so', () => {
    expect(parseLiteral('float64', '1e400')).toMatchObject({
      detail: expect.stringContaining('finite float64'),
    });
  });
});
