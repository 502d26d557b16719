/** Long JSON texts in pieces: the same value as in one go, the same texts refused, and no long stretch without a pause. */

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { neverYield, runWithoutWaiting, type YieldPolicy } from '#base';
import { ExactNumber, type ParsedJson, parseJsonSteps, parseShortJson } from '#value';
import { parseInPieces } from '../../../src/value/json/parse-in-pieces.ts';

const parse = (text: string) => parseShortJson(text, 1024);

function inPieces(text: string, pieceLength: number, depthMax = 1024): ParsedJson {
  return runWithoutWaiting(parseInPieces(text, { depthMax, parse, pieceLength }, neverYield));
}

function check(text: string, pieceLength: number): void {
  const whole = parse(text);
  const parsed = inPieces(text, pieceLength);
  if (whole.kind === 'malformed') expect(parsed.kind).toBe('malformed');
  else expect(parsed).toEqual(whole);
  // The order of members shows, also where objects are equal.
  if (parsed.kind === 'parsed' && whole.kind === 'parsed')
    expect(Bun.inspect(parsed.value, { depth: 20 })).toBe(Bun.inspect(whole.value, { depth: 20 }));
}

const { document } = fc.letrec<{ document: string; member: string }>((tie) => ({
  document: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom('1', '-0', '5.0', '9007199254740993', 'true', 'null', '""', '[]', '{}', '[ ]'),
    fc.constantFrom('"a,b"', '"]"', '"[{"', '"\\"]"', '"\\\\"', '"\\ud83d\\ude00"', '"😀"'),
    fc.array(tie('document')).map((items) => `[${items.join(', ')}]`),
    fc.array(tie('member')).map((members) => `{${members.join(' ,')}}`),
  ),
  member: fc
    .tuple(fc.constantFrom('value', 'a', 'b', '1', '0', '__proto__', ']'), tie('document'))
    .map(([name, value]) => `"${name}" : ${value}`),
}));

const pieceLengths = fc.constantFrom(1, 2, 5, 20, 100);

test('any document is as in one go', () => {
  fc.assert(fc.property(document, pieceLengths, check), { numRuns: 2000 });
});

test('any damage is seen as in one go', () => {
  const damage = fc.constantFrom('', ',', '[', ']', '{', '}', '"', ':', '1', ' ', '\\', '\f', 'a');
  const at = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(document, damage, at, fc.nat(2), pieceLengths, (text, by, share, less, length) => {
      const from = Math.floor(share * text.length);
      check(text.slice(0, from) + by + text.slice(from + less), length);
    }),
    { numRuns: 5000 },
  );
});

test('what is wrong between large elements is seen', () => {
  const large = '[1,2,3,4]';
  const wrong = [
    `[${large} ${large}]`,
    `[${large},]`,
    `[,${large}]`,
    `[1 ${large}]`,
    `[${large} 1]`,
    `[${large}:${large}]`,
    `[${large}}`,
    `{"a" ${large}}`,
    `{"a":1 ${large}}`,
    `{${large}}`,
    `{"a":${large},}`,
    `{"a":${large} "b":${large}}`,
    `${large}${large}`,
    `${large},${large}`,
    `${large} 1`,
    `1,${large}`,
    `1 ${large}`,
    `${large}]`,
    `[${large}`,
    `[1,,2,3]`,
    `[1,2,3,]`,
    `[\u00a0${large}]`,
  ];
  for (const text of wrong) {
    for (const length of [1, 4, 8]) expect(inPieces(text, length).kind).toBe('malformed');
  }
});

const malformed = (detail: string) => ({ kind: 'malformed', detail }) as const;

test('a text too deep, too dense or cut off is told so, and where something is wrong', () => {
  expect(inPieces('['.repeat(30), 4, 20)).toEqual(
    malformed('the document nests deeper than 20 levels'),
  );
  expect(inPieces(`${'['.repeat(20)}1${']'.repeat(20)}`, 4, 20).kind).toBe('parsed');
  expect(inPieces('[[1,2,3', 2)).toEqual(malformed('JSON Parse error: Unexpected EOF'));
  expect(inPieces('[[1,2],[3,4]]]', 2)).toEqual(
    malformed('JSON Parse error: Unexpected "]" at character 13'),
  );
  const { detail } = inPieces('[1,2,3,x,5]', 2) as Extract<ParsedJson, { kind: 'malformed' }>;
  expect(detail).toMatch(/after character 5$/);
  const dense = malformed('the document has too many empty arrays or objects');
  const empty = parseJsonSteps(`[${'[],'.repeat(400_000)}0]`, 1024, neverYield);
  expect(runWithoutWaiting(empty)).toEqual(dense);
});

test('a member of a large object is a member whatever its name', () => {
  const { value } = inPieces('{"a":1,"__proto__":[1,2,3,4],"a":[5,6,7,8]}', 4) as {
    readonly value: object;
  };
  expect(Object.entries(value)).toEqual([
    ['a', [5, 6, 7, 8]],
    ['__proto__', [1, 2, 3, 4]],
  ]);
  expect(inPieces('{"value":1.0,"b":[1,2,3,4],"value":2.0}', 4)).toEqual({
    kind: 'parsed',
    value: { value: new ExactNumber('2.0'), b: [1, 2, 3, 4] },
  });
});

/** Bodies of which every part is dear: what there is for each pause is bounded. */
const dear: Readonly<Record<string, (i: number) => string>> = {
  'integers beyond 2^53': () => '9007199254740993',
  'floats as values': () => '{"value":1e0}',
  'objects of many names': (i) => `{"k${i % 30_000}":1}`,
  'texts of their own': (i) => `"${i.toString(36)}"`,
  rows: (i) => `["${i}","some text of row ${i}",null,true]`,
};

for (const [what, element] of Object.entries(dear)) {
  test(`a body of a megabyte gives way at every piece: ${what}`, () => {
    const elements: string[] = [];
    for (let length = 0; length < 1 << 20; length += (elements.at(-1) as string).length + 1) {
      elements.push(element(elements.length));
    }
    const text = `{"statements":[${elements}],"result":"x"}`;
    let pauses = 0;
    const pace: YieldPolicy = { ...neverYield, pause: () => void pauses++ };
    const parsed = runWithoutWaiting(parseJsonSteps(text, 1024, pace));
    expect(pauses).toBeGreaterThanOrEqual(Math.floor(text.length / (34 * 1024)));
    expect((parsed as { value: { statements: unknown[] } }).value.statements).toHaveLength(
      elements.length,
    );
  });
}

test('a string of a megabyte gives way at every piece, and is what it is in one go', () => {
  const parts = ['\\ud83d\\ude00', 'x', '😀', '\\\\', '\\"', '\\n', '\\u00e9', 'é'];
  const string = `"${Array.from({ length: 300_000 }, (_, i) => parts[(i * 7919) % 11] ?? 'y').join('')}"`;
  for (const text of [`[1,${string} ,2]`, `{"a":{"value":${string}}}`]) {
    let pauses = 0;
    const pace: YieldPolicy = { ...neverYield, pause: () => void pauses++ };
    const parsed = runWithoutWaiting(parseJsonSteps(text, 1024, pace));
    expect(parsed).toEqual({ kind: 'parsed', value: JSON.parse(text) });
    expect(pauses).toBeGreaterThan(text.length / (34 * 1024));
  }
  const lone = parseJsonSteps(`[${string.replace('x', '\\ud83d')}]`, 1024, neverYield);
  expect(runWithoutWaiting(lone).kind).toBe('malformed');
});

test('many members of one object give way at every piece, too', () => {
  const members = Array.from({ length: 30_000 }, (_, i) => `"a member ${i}":${i}`);
  let pauses = 0;
  const pace: YieldPolicy = { ...neverYield, pause: () => void pauses++ };
  const text = `{${members}}`;
  const parsed = runWithoutWaiting(parseJsonSteps(text, 1024, pace));
  expect(parsed).toEqual({ kind: 'parsed', value: JSON.parse(text) });
  expect(pauses).toBeGreaterThan(text.length / (34 * 1024));
});

test('a waiting pace is waited for, and its end ends the parsing', () => {
  const gate = Promise.resolve();
  const steps = parseJsonSteps(`[${'1,'.repeat(100_000)}1]`, 1024, {
    ...neverYield,
    pause: () => gate,
  });
  expect(steps.next()).toEqual({ done: false, value: gate });
  expect(() => steps.throw(new Error('the client has gone'))).toThrow('the client has gone');
});
