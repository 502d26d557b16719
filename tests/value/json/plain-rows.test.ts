/** Rows of plain strings: as JSON.parse has them, or left to it. */

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { parsePlainRows } from '../../../src/value/json/plain-rows.ts';
import { parseJson } from '../../support/parse-json.ts';

const blank = fc.stringMatching(/^[ \n\r\t]{0,2}$/);
const cell = fc.oneof(
  fc.constant('null'),
  fc.string({ unit: 'grapheme' }).map((text) => JSON.stringify(text)),
  fc.constantFrom(
    '""',
    '"a b"',
    '"[1,\\u0022]"',
    '"\\\\"',
    '0',
    'true',
    '{}',
    '[]',
    'nul',
    '"',
    '',
  ),
);
const list = (items: readonly string[], blanks: readonly string[]) =>
  `[${items.map((item, i) => `${blanks[i % blanks.length]}${item}${blanks[(i + 1) % blanks.length]}`).join(',')}]`;
const anyRows = fc
  .tuple(
    fc.array(fc.array(cell, { maxLength: 4 }), { maxLength: 4 }),
    fc.array(blank, { minLength: 1 }),
  )
  .map(([rows, blanks]) =>
    list(
      rows.map((row) => list(row, blanks)),
      blanks,
    ),
  );

test('whatever is taken is what JSON.parse gives', () => {
  let taken = 0;
  fc.assert(
    fc.property(anyRows, (text) => {
      const rows = parsePlainRows(text);
      if (rows === undefined) return;
      taken++;
      expect(rows).toEqual(JSON.parse(text));
    }),
    { numRuns: 3000 },
  );
  expect(taken).toBeGreaterThan(100);
});

test('a text that is cut or changed anywhere is taken only where JSON.parse takes it', () => {
  const whole = ' [["1", null,"äé🙂"] ,\n["2","x",null]]'.trimStart();
  const units = ['"', ',', '[', ']', '\\', '\n', ' ', 'n', '\u0001'];
  for (let at = 0; at <= whole.length; at++) {
    const changed = units.flatMap((unit) => [
      whole.slice(0, at) + unit + whole.slice(at),
      whole.slice(0, at) + unit + whole.slice(at + 1),
    ]);
    for (const text of [whole.slice(0, at), whole.slice(0, at) + whole.slice(at + 1), ...changed]) {
      const rows = parsePlainRows(text);
      if (rows !== undefined) expect(rows).toEqual(JSON.parse(text));
    }
  }
  expect(parsePlainRows(whole)).toEqual(JSON.parse(whole));
});

describe('left to JSON.parse', () => {
  for (const text of [
    '[]',
    '[[]]',
    '[["a\\n"]]',
    '[[1]]',
    '{}',
    '[["a"],{}]',
    '[["a"]] x',
    '[["a"]',
    '',
  ]) {
    test(text, () => expect(parsePlainRows(text)).toBeUndefined());
  }
});

test('short documents with rows are what JSON.parse makes of them, mistakes included', () => {
  const rows = Array.from({ length: 60 }, (_, i) => [
    `${i}`,
    `text ${i}`,
    i % 7 === 0 ? null : 'x',
  ]);
  const text = JSON.stringify({
    a: [{ value: 1 }],
    rows,
    b: { value: [1, 2], rows: rows.slice(3) },
  });
  expect(parseJson(text, 9)).toEqual({ kind: 'parsed', value: JSON.parse(text) });
  expect(parseJson(text, 2)).toMatchObject({ kind: 'malformed' });
  for (let at = 1; at < text.length; at += 7) {
    const broken = `${text.slice(0, at)}]${text.slice(at)}`;
    const parsed = parseJson(broken, 9);
    let expected: unknown;
    try {
      expected = { kind: 'parsed', value: JSON.parse(broken) };
    } catch {
      expected = 'malformed';
    }
    expect(parsed.kind === 'parsed' ? parsed : parsed.kind).toEqual(expected as never);
  }
});
