/** Rows that stay in their text: cell by cell what JSON.parse gives, or left to it. */

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { neverYield, runWithoutWaiting, type YieldPolicy } from '#base';
import { CellReader, cellParserOf, parseJsonSteps, parseShortJson, TextRows } from '#value';
import { parseInPieces } from '../../../src/value/json/parse-in-pieces.ts';
import { TextRowsReader } from '../../../src/value/json/text-rows.ts';

const parse = (text: string) => parseShortJson(text, 1024);

/** The array at `from`; undefined for anything else. */
function read(text: string, from = 0): TextRows | undefined {
  const reader = new TextRowsReader(text, from);
  for (;;) {
    const rows = reader.next();
    if (rows !== undefined) return rows ?? undefined;
  }
}

function lists(rows: TextRows): unknown {
  return Array.from({ length: rows.length }, (_, at) => rows.row(at));
}

/** With rows as arrays again. */
function plain(value: unknown): unknown {
  if (value instanceof TextRows) return lists(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
}

const whole = ' [["1", null,"äé🙂"] ,\n["","x",null]]'.trimStart();
const units = ['"', ',', '[', ']', '\\', '\n', ' ', 'n', '\u0001', '\u007f', '{'];

test('a text that is cut or changed anywhere is taken only where JSON.parse takes it', () => {
  expect(lists(read(whole) as TextRows)).toEqual(JSON.parse(whole));
  let taken = 0;
  for (let at = 0; at <= whole.length; at++) {
    const changed = units.flatMap((unit) => [
      whole.slice(0, at) + unit + whole.slice(at),
      whole.slice(0, at) + unit + whole.slice(at + 1),
    ]);
    for (const text of [whole.slice(0, at), whole.slice(0, at) + whole.slice(at + 1), ...changed]) {
      const reader = new TextRowsReader(text, 0);
      const rows = text.startsWith('[') ? reader.next() : null;
      if (!rows) continue;
      taken++;
      expect(lists(rows)).toEqual(JSON.parse(text.slice(0, reader.to + 1)));
    }
  }
  expect(taken).toBeGreaterThan(50);
});

test('rows of other kinds, of different widths and of great length are left to others', () => {
  const others = ['[]', '[[]]', '[["a\\n"]]', '[[1]]', '[["a"],{}]', '[["a"]', '[["a"],["b","c"]]'];
  for (const text of others) expect(read(text)).toBeUndefined();
  const long = (length: number) => `[["${'x'.repeat(length)}"]]`;
  expect(read(long(32_000))?.length).toBe(1);
  expect(read(long(33_000))).toBeUndefined();
  expect(read(`[[${'"ab",'.repeat(7_000)}"c"]]`)).toBeUndefined();
});

const names = fc.constantFrom('"rows"', '"rows" ', '"rowz"', '"r\\u006fws"', '"kind"');
const cells = fc.constantFrom('"1"', '"-2.5"', 'null', '"äé"', '""', '1', '"\\n"', '"a b"');
const rows = fc
  .array(fc.array(cells, { minLength: 1, maxLength: 3 }), { maxLength: 9 })
  .map((list) => `[${list.map((row) => `[${row.join(', ')}]`).join(' ,')}]`);
const even = fc
  .array(fc.tuple(fc.constantFrom('"1"', 'null'), fc.constantFrom('"x y"', '""')))
  .map((list) => JSON.stringify(list).replaceAll('\\"', '').replaceAll('"null"', 'null'));
const member = fc
  .tuple(names, fc.oneof(rows, even, fc.constantFrom('1', '{"rows":[["1"]]}', '"[["')))
  .map(([name, value]) => `${name}:${value}`);
const node = fc.array(member).map((members) => `{${members.join(', ')}}`);
const document = fc
  .array(node)
  .map((nodes) => `{"nodes":{${nodes.map((text, i) => `"n${i}":${text}`).join(',')}}}`);

test('a document with rows in its text is as in one go, damaged or not', () => {
  const damage = fc.constantFrom('', ',', '[', ']', '{', '}', '"', ':', '1', ' ', '\\', 'a');
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  let kept = 0;
  const check = (text: string, pieceLength: number, depthMax = 1024) => {
    const expected = parseShortJson(text, depthMax);
    const options = { depthMax, parse, pieceLength, rowsDepth: 3 };
    const parsed = runWithoutWaiting(parseInPieces(text, options, neverYield));
    expect(parsed.kind).toBe(expected.kind);
    if (parsed.kind === 'malformed' || expected.kind === 'malformed') return;
    if (Bun.inspect(parsed.value, { depth: 9 }).includes('TextRows')) kept++;
    expect(plain(parsed.value)).toEqual(expected.value);
  };
  const lengths = fc.constantFrom(1, 5, 20, 60);
  fc.assert(
    fc.property(document, damage, share, fc.nat(2), lengths, (text, by, at, less, length) => {
      check(text, length);
      check(text, length, 4);
      const from = Math.floor(at * text.length);
      check(text.slice(0, from) + by + text.slice(from + less), length);
    }),
    { numRuns: 600 },
  );
  expect(kept).toBeGreaterThan(100);
});

const body = (count: number, name = 'rows') => {
  const list = Array.from({ length: count }, (_, i) => [`${i}`, i % 3 === 0 ? null : `text ${i}`]);
  return JSON.stringify({ n: { r: { kind: 'rows', rows: list } } }).replace(
    '"rows":',
    `"${name}":`,
  );
};

test('only long rows of the named member at the named depth stay text', () => {
  const rowsOf = (text: string, depth?: number) => {
    const parsed = runWithoutWaiting(parseJsonSteps(text, 1024, neverYield, depth)) as unknown as {
      value: never;
    };
    return Object.values(Object.values(Object.values(parsed.value)[0] as never)[0] as never)[1];
  };
  const text = body(9_000);
  expect(rowsOf(text, 3)).toBeInstanceOf(TextRows);
  expect(plain(rowsOf(text, 3))).toEqual(rowsOf(text));
  for (const depth of [undefined, 2, 4]) expect(rowsOf(text, depth)).toBeArray();
  expect(rowsOf(body(9_000, 'sorw'), 3)).toBeArray();
  expect(rowsOf(body(100) + ' '.repeat(70_000), 3)).toBeArray();
});

test('short rows beside long ones are part of what they stand in', () => {
  const list = (count: number) => Array.from({ length: count }, (_, i) => [`${i}`]);
  const nodes = {
    a: { early: 1, rows: list(3) },
    b: { rows: list(20_000), rest: [1] },
    c: { rows: list(2) },
  };
  const parsed = runWithoutWaiting(parseJsonSteps(JSON.stringify({ nodes }), 1024, neverYield, 3));
  expect(parsed.kind === 'parsed' && plain(parsed.value)).toEqual({ nodes });
});

test('rows are read in vain so many times only', () => {
  const few = { rows: [['1']] };
  const many = { rows: Array.from({ length: 20_000 }, (_, i) => [`${i}`]) };
  const isText = (short: number) => {
    const nodes = [...Array.from({ length: short }, () => few), many];
    const text = JSON.stringify({ nodes });
    const parsed = runWithoutWaiting(parseJsonSteps(text, 1024, neverYield, 3)) as unknown as {
      value: { nodes: { rows: unknown }[] };
    };
    expect(plain(parsed.value)).toEqual({ nodes });
    return parsed.value.nodes.at(-1)?.rows instanceof TextRows;
  };
  expect([isText(63), isText(64)]).toEqual([true, false]);
});

test('work has its turn between stretches', () => {
  let pauses = 0;
  const pace: YieldPolicy = { ...neverYield, pause: () => void pauses++ };
  const text = body(40_000);
  runWithoutWaiting(parseJsonSteps(text, 1024, pace, 3));
  expect(pauses).toBeGreaterThan(text.length / 64 / 1024);
});

test('cells are the values that their texts are', () => {
  const number = fc.oneof(
    fc.maxSafeInteger().map(String),
    fc.bigInt(-(2n ** 63n), 2n ** 63n).map(String),
    fc.double().map(String),
    fc.constantFrom('-0', '0', '+5', '007', '-', '', '.', '1.', '.5', '1e3', '1e999', ' 1', '1_0'),
    fc.constantFrom(
      '123456789012345',
      '1234567890123456',
      '-123456789012345',
      '0.1',
      'true',
      'AA==',
    ),
  );
  const types = ['int64', 'float64', 'text', 'bool', 'bytes'] as const;
  fc.assert(
    fc.property(fc.array(fc.option(number), { minLength: 1, maxLength: 4 }), (list) => {
      const text = `x${JSON.stringify([list])}`;
      for (const type of types) {
        for (const nullable of [true, false]) {
          const columns = list.map(() => ({ type, nullable }));
          const found = new CellReader(read(text, 1) as TextRows, columns).read(0);
          const expected = list.map((cell) => (cell === null ? null : cellParserOf(type)(cell)));
          const isRow = expected.every(
            (value) => value !== undefined && (nullable || value !== null),
          );
          expect(found as unknown).toEqual(isRow ? expected : undefined);
        }
      }
    }),
    { numRuns: 500 },
  );
});
