import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { ExactNumber } from '#value';
import { isDeeperThan } from '../../../src/value/json/depth.ts';
import { parseJson } from '../../support/parse-json.ts';

function parsed(text: string, depthMax = 1024): unknown {
  const result = parseJson(text, depthMax);
  return result.kind === 'parsed' ? result.value : new Error(result.detail);
}

test('plain JSON is as JSON.parse gives it', () => {
  fc.assert(
    fc.property(fc.json(), fc.constantFrom(undefined, 1), (text, indent) => {
      fc.pre(!/[0-9]{16}/.test(text));
      const spaced = JSON.stringify(JSON.parse(text), null, indent);
      expect(parsed(spaced)).toEqual(JSON.parse(spaced));
    }),
  );
});

test('integers beyond 2^53 are bigint, wherever they stand', () => {
  expect(parsed('{"limit":9007199254740993,"a":[-9007199254740992, 9007199254740991]}')).toEqual({
    limit: 9007199254740993n,
    a: [-9007199254740992n, 9007199254740991],
  });
  expect(parsed('12345678901234567890')).toBe(12345678901234567890n);
  expect(parsed('[\n12345678901234567890\t]')).toEqual([12345678901234567890n]);
  expect(parsed('{"a":"9007199254740993"}')).toEqual({ a: '9007199254740993' });
});

test('integral values written with fraction or exponent are told apart under value only', () => {
  for (const source of ['5.0', '5e0', '5E0', '50e-1', '-0.0', '9007199254740993.0', '1e20']) {
    expect(parsed(`{"value":${source}}`)).toEqual({ value: new ExactNumber(source) });
    expect(parsed(`{"value": [1, ${source}]}`)).toEqual({ value: [1, Number(source)] });
  }
  expect(parsed('{"value":5,"limit":5.0}')).toEqual({ value: 5, limit: 5 });
  expect(parsed('{"value":5.5}')).toEqual({ value: 5.5 });
  expect(parsed('{"value":1e400}')).toEqual({ value: Infinity });
  expect(parsed('{"value":-0}')).toEqual({ value: -0 });
});

test('an integer of very many digits costs no more than its length', () => {
  expect(parsed(`[${'9'.repeat(200)}]`)).toEqual([1e200]);
  expect(parsed(`[-${'9'.repeat(3_000_000)}]`)).toEqual([-Infinity]);
});

test('where a lone surrogate stands is told', () => {
  expect(parseJson('{"a":\n ["\\ud83d\\ude00", "b\\udc00"]}', 10)).toEqual({
    kind: 'malformed',
    detail: 'a string is not well-formed Unicode, at line 2, column 21',
  });
});

test('a text that is read in parts is refused with its place, unless it is very long', () => {
  const padding = ' '.repeat(70_000);
  const detailOf = (text: string) => (parseJson(text, 10) as { detail?: string }).detail;
  expect(detailOf(`{"a": [1, 2}}${padding}`)).toEndWith(', at line 1, column 12');
  expect(detailOf(`${padding}\n{"a"`)).toEndWith(', at line 2, column 5');
  expect(detailOf(`["\\ud800", ${padding}1]`)).toEndWith('Unicode, at line 1, column 3');
  expect(detailOf(`[1, 2}${padding.repeat(4)}`)).not.toContain('line');
});

test('a lone surrogate is malformed in values and names, escaped or not', () => {
  for (const text of ['"\\ud800"', '{"\\uDFFF":1}', '[["\\udc00\\ud800"]]', '"\ud800"']) {
    expect(parsed(text)).toBeInstanceOf(Error);
  }
  expect(parsed('"\\ud83d\\ude00"')).toBe('😀');
  expect(parsed('"\\\\ud800"')).toBe('\\ud800');
});

test('what is not JSON is malformed', () => {
  for (const text of ['', '{', 'nul', '[1,]', "{'a':1}", '1 2', '{"a":9007199254740993']) {
    expect(parsed(text)).toBeInstanceOf(Error);
  }
});

test('the last of repeated members counts, __proto__ is a member like others', () => {
  expect(parsed('{"a":1,"a":2}')).toEqual({ a: 2 });
  const value = parsed('{"__proto__":{"value":1.0}}') as object;
  expect(Object.keys(value)).toEqual(['__proto__']);
});

describe('depth', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

  test('the limit is exact', () => {
    expect(isDeeperThan(nested(1024), 1024)).toBe(false);
    expect(isDeeperThan(nested(1025), 1024)).toBe(true);
    expect(isDeeperThan('[{"a":[]}]', 3)).toBe(false);
    expect(isDeeperThan('[{"a":[]}]', 2)).toBe(true);
    expect(isDeeperThan('[[],[],[],{}]', 2)).toBe(false);
  });

  test('brackets in strings do not count', () => {
    expect(isDeeperThan('["[[[[", "\\"[[[", "\\\\", []]', 2)).toBe(false);
    expect(isDeeperThan('["\\\\", [[]]]', 2)).toBe(true);
  });

  test('a text cut off or never closed', () => {
    expect(isDeeperThan('['.repeat(100_000), 1024)).toBe(true);
    expect(parsed('['.repeat(1_500))).toBeInstanceOf(Error);
    expect(isDeeperThan(`"${'['.repeat(100_000)}`, 1024)).toBe(false);
    expect(parsed(nested(1025))).toEqual(new Error('the document nests deeper than 1024 levels'));
  });
});

/** What a reviver of JSON.parse makes of the numbers: the plain way, ten times slower. */
function revived(text: string): unknown {
  const revive = (name: string, value: unknown, { source }: { readonly source?: string }) => {
    if (typeof value !== 'number' || source === undefined) return value;
    if (/^-?[0-9]+$/.test(source)) {
      return Number.isSafeInteger(value) || source.length > 100 ? value : BigInt(source);
    }
    return name === 'value' && Number.isInteger(value) ? new ExactNumber(source) : value;
  };
  return JSON.parse(text, revive as (name: string, value: unknown) => unknown);
}

test('numbers are kept as a reviver would keep them, whatever stands around them', () => {
  const number = fc.constantFrom(
    '1',
    '-0',
    '5.0',
    '-5e0',
    '1.5',
    '1E3',
    '1e400',
    '9007199254740991',
    '9007199254740993',
    '-12345678901234567890',
    '9'.repeat(100),
    '9'.repeat(101),
  );
  const space = fc.constantFrom('', ' ', '\n\t');
  const name = fc.constantFrom(
    '"value"',
    '"v\\u0061lue"',
    '"values"',
    '"a\\"value"',
    '"__proto__"',
  );
  const { document } = fc.letrec<{ document: string; member: string }>((tie) => ({
    document: fc.oneof(
      { maxDepth: 4 },
      number,
      fc.constantFrom('"value"', '"value\\": 5.0"', '": 12345678901234567890"', 'true', '[]'),
      fc.array(tie('document')).map((items) => `[${items.join(',')}]`),
      fc.array(tie('member'), { minLength: 1 }).map((members) => `{${members.join(', ')}}`),
    ),
    member: fc
      .tuple(name, space, space, tie('document'))
      .map(([key, a, b, value]) => `${key}${a}:${b}${value}`),
  }));
  fc.assert(
    fc.property(document, (text) => {
      expect(parsed(text)).toEqual(revived(text));
    }),
  );
});

test('escaped surrogates are pairs, or the text is malformed', () => {
  const piece = fc.constantFrom(
    '\\ud83d',
    '\\uDE00',
    '\\\\',
    '\\u0041',
    'a',
    '\\"',
    'ud83d',
    '😀',
    '\\n',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
      const text = `["${pieces.join('')}"]`;
      const [value] = JSON.parse(text) as [string];
      expect(parsed(text) instanceof Error).toBe(!value.isWellFormed());
    }),
  );
});

test('a long text of nothing but empty arrays is not parsed', () => {
  const filled = (count: number, item: string) => `[${`${item},`.repeat(count)}0]`;
  expect(parsed(filled(400_000, '[]'))).toEqual(
    new Error('the document has too many empty arrays or objects'),
  );
  expect(parsed(filled(400_000, '{}'))).toBeInstanceOf(Error);
  expect(parsed(filled(200_000, '["x"]'))).toHaveLength(200_001);
  expect(parsed(filled(1_000, '[]'))).toHaveLength(1_001);
  expect(parsed(filled(400_000, '"[[["'))).toHaveLength(400_001);
});
