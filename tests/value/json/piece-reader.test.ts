/** Parts of long texts, read by a loop of our own: as the parser of short texts has them, or left to it. */

import { expect, spyOn, test } from 'bun:test';
import fc from 'fast-check';
import { neverYield, runWithoutWaiting } from '#base';
import { parseJsonSteps, parseShortJson, shortJsonLength } from '#value';
import { PieceReader } from '../../../src/value/json/piece-reader.ts';

const blank = fc.stringMatching(/^[ \n\r\t]{0,2}$/);
const plain = fc.constantFrom(
  ...['1', '-0', '0.5', '5.0', '-5e0', '1E3', '1e400', '9007199254740993', '9'.repeat(100)],
  ...['9'.repeat(101), '-12345678901234567890', 'true', 'false', 'null', '""', '[]', '{}', '[ ]'],
  ...['01', '1.', '.5', '+1', '-', 'tru', 'nul', '"', '"a', '"\t"', '"\\x"', '"\\u00"', '1e'],
);
const text = fc.oneof(
  fc.string({ unit: 'grapheme' }).map((it) => JSON.stringify(it)),
  fc.constantFrom(
    '"value"',
    '"a"',
    '"\\u0041"',
    '"\\ud83d\\ude00"',
    '"\\ud83d"',
    '"\\"]"',
    '"\\\\"',
  ),
);
const { document } = fc.letrec<{ document: string; member: string }>((tie) => ({
  document: fc.oneof(
    { maxDepth: 4 },
    plain,
    text,
    fc.array(tie('document')).map((items) => `[${items.join(',')}]`),
    fc.array(tie('member')).map((members) => `{${members.join(' ,')}}`),
  ),
  member: fc
    .tuple(
      fc.oneof(text, fc.constantFrom('"value"', '"__proto__"', '"1"')),
      blank,
      blank,
      tie('document'),
    )
    .map(([name, a, b, value]) => `${name}${a}:${b}${value}`),
}));

/** Whether it was taken. */
function check(part: string): boolean {
  const read = new PieceReader().read(part);
  const whole = parseShortJson(part, 1024);
  if (whole.kind === 'malformed') expect(read).toBeUndefined();
  else {
    expect(read).toEqual(whole);
    expect(Bun.inspect(read, { depth: 20 })).toBe(Bun.inspect(whole, { depth: 20 }));
  }
  return read !== undefined;
}

test('whatever is well-formed is read as by the parser of short texts, and nothing else', () => {
  let taken = 0;
  const any = fc.tuple(blank, document, blank).map((parts) => parts.join(''));
  fc.assert(
    fc.property(any, (part) => {
      if (check(part)) taken++;
    }),
    { numRuns: 3000 },
  );
  expect(taken).toBeGreaterThan(500);
});

test('a text that is cut or changed anywhere is read only where JSON.parse takes it', () => {
  const whole = '{"a": [1, -2.5e3,"äé🙂\\n", null],"value":7.0 , "b":{"c":true,"d":[]}}';
  const units = ['"', ',', '[', ']', '{', '}', ':', '\\', '\n', ' ', 'n', '1', '-', '.', '\u0001'];
  for (let at = 0; at <= whole.length; at++) {
    check(whole.slice(0, at));
    if (!whole.slice(at).isWellFormed()) continue;
    for (const unit of units) {
      check(whole.slice(0, at) + unit + whole.slice(at));
      if (whole.slice(at + 1).isWellFormed())
        check(whole.slice(0, at) + unit + whole.slice(at + 1));
    }
  }
});

test('strings that look alike are told apart', () => {
  const words = Array.from({ length: 3000 }, (_, i) => `a${i % 97}b${i % 89}c`);
  const part = JSON.stringify(words.map((word) => ({ [word]: word })));
  expect(new PieceReader().read(part)).toEqual({ kind: 'parsed', value: JSON.parse(part) });
});

test('no part of a long text that is well-formed goes through JSON.parse, whose table of short strings takes long to grow', () => {
  const texts = Array.from({ length: 20_000 }, (_, i) => `{"kind":"\\u0041${i}","value":"${i}x"}`);
  const body = `{"statements":[${texts.join(',')}],"x":[${texts.join(',')}]}`;
  expect(body.length).toBeGreaterThan(shortJsonLength);
  const parse = spyOn(JSON, 'parse');
  const parsed = runWithoutWaiting(parseJsonSteps(body, 1024, neverYield));
  const lengths = parse.mock.calls.map(([part]) => part.length);
  parse.mockRestore();
  expect(parsed).toEqual({ kind: 'parsed', value: JSON.parse(body) });
  // Strings with escapes alone, made longer than what is looked up.
  expect(Math.max(...lengths)).toBeLessThan(40);
  expect(Math.min(...lengths)).toBeGreaterThan(16);
});

test('a long text of more names than any program has is malformed, and so told before most of it is read', () => {
  const names = (count: number) => Array.from({ length: count }, (_, i) => `{"name ${i}":1}`);
  const body = (count: number) => `{"x":[${names(count).join(',')}]}`;
  expect(runWithoutWaiting(parseJsonSteps(body(32_767), 1024, neverYield)).kind).toBe('parsed');
  let pauses = 0;
  const pace = { ...neverYield, pause: () => void pauses++ };
  const detail = expect.stringContaining('the document has more than 32768 different member names');
  const parsed = runWithoutWaiting(parseJsonSteps(body(200_000), 1024, pace));
  expect(parsed).toEqual({ kind: 'malformed', detail });
  expect(pauses).toBeLessThan(25);
});
