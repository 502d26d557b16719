/** The parser: places, errors and limits. */

import { beforeEach, describe, expect, test } from 'bun:test';
import { loadParser, type Parser, readyParser, SqlError, type SqlTrouble } from '#sql';
import { grammarBytes, loadGrammar } from '../../../src/sql/parse/grammar.ts';

let parser: Parser;
beforeEach(async () => {
  parser = await loadParser();
});

function troubleOf(text: string): SqlTrouble {
  try {
    parser.statements(text);
  } catch (error) {
    if (error instanceof SqlError) return error.trouble;
    throw error;
  }
  throw new Error('the text was parsed');
}

describe('places', () => {
  const slices = (text: string) =>
    parser.statements(text).map(({ start, end }) => text.slice(start, end));

  test('each statement has its place in the text', () => {
    expect(slices('select 1; ; select 2 ;')).toEqual(['select 1', 'select 2 ']);
  });

  test('places count UTF-16 units, also after characters of several bytes', () => {
    expect(slices("select 'äß😀'; select '€'; begin")).toEqual([
      "select 'äß😀'",
      "select '€'",
      'begin',
    ]);
  });

  test.each(['', ' ', ';', ' ; ; ', '-- nothing', '/* nothing */'])(
    '%p has no statement',
    (text) => {
      expect(parser.statements(text)).toEqual([]);
    },
  );

  test('the greatest parameter is known for each statement', () => {
    const text = "select $2, $1; select '$7', $$ $8 $$, a$9; select $3 -- $4";
    expect(parser.statements(text).map(({ parametersMax }) => parametersMax)).toEqual([2, 0, 3]);
  });
});

describe('errors', () => {
  test.each([
    ['selec 1', 'syntax error at or near "selec"', 1],
    ["select 'ä😀' frm x y", 'syntax error at or near "x"', 17],
    ['select 1 from', 'syntax error at end of input', 14],
    ["select 'abc", 'unterminated quoted string at or near "\'abc"', 8],
    ['select /* abc', 'unterminated /* comment at or near "/* abc"', 8],
    ['select 1a', 'trailing junk after numeric literal at or near "1a"', 8],
    ['select ""', 'zero-length delimited identifier at or near """"', 8],
  ])('%p', (text, message, position) => {
    expect(troubleOf(text)).toMatchObject({ sqlstate: '42601', message, position });
  });

  test('a wrong Unicode escape has its own state', () => {
    expect(troubleOf("select E'\\u12'").sqlstate).toBe('22025');
  });
});

describe('limits', () => {
  const nested = (depth: number) => `select ${'('.repeat(depth)}1${')'.repeat(depth)}`;

  test('brackets nest 2,000 levels', () => {
    expect(parser.statements(nested(2000))).toHaveLength(1);
    expect(troubleOf(nested(2001)).sqlstate).toBe('54001');
  });

  test('brackets in strings and comments do not nest', () => {
    const text = `select '${'('.repeat(3000)}', /* ${'['.repeat(3000)} */ 1`;
    expect(parser.statements(text)).toHaveLength(1);
  });

  test('an expression that ends the stack of the parser is refused, and the next statement is parsed', async () => {
    expect(troubleOf(`select ${'1+'.repeat(50_000)}1`).sqlstate).toBe('54001');
    parser = await loadParser();
    expect(parser.statements('select 1')).toHaveLength(1);
  });

  test('a text of more than 16 MiB is refused', () => {
    expect(troubleOf(`select '${'x'.repeat(16 * 1024 * 1024)}'`).sqlstate).toBe('54000');
  });

  test('the parser gives back the memory of a large text', async () => {
    parser.statements(`select ${"'abc', ".repeat(600_000)} 1`);
    expect(readyParser()).toBeDefined();
    expect(grammarBytes()).toBeGreaterThan(128 * 1024 * 1024);
    await loadGrammar();
    expect(grammarBytes()).toBe(128 * 1024 * 1024);
    expect(parser.statements('select 1')).toHaveLength(1);
  });

  test.each(["select '\0'", "select '\ud800'"])('%j is not text', (text) => {
    expect(troubleOf(text).sqlstate).toBe('22021');
  });
});
