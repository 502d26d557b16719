/** The text that stands for a program. */

import { expect, test } from 'bun:test';
import { neverYield, runWithoutWaiting } from '#base';
import { programFamilyText, programText } from '#pir';
import { TextRows } from '#value';

test('rows that are left in their text read as the lists that they are', () => {
  const program = (rows: unknown) =>
    ({
      statements: [{ relation: { nodes: { r: { kind: 'rows', scope: 'r', rows } } } }],
    }) as never;
  const left = new TextRows(
    '[["a","1"],["b",null]]',
    Uint32Array.of(3, 4, 7, 8, 13, 14, 0, 0),
    2,
    2,
  );
  const lists = [
    ['a', '1'],
    ['b', null],
  ];
  for (const textOf of [programText, programFamilyText]) {
    const text = runWithoutWaiting(textOf(program(left), neverYield));
    expect(text).toBe(runWithoutWaiting(textOf(program(lists), neverYield)));
  }
  expect(runWithoutWaiting(programText(program(left), neverYield))).toContain(
    '[["a","1"],["b",null]]',
  );
});

const familyOf = (relation: object) =>
  runWithoutWaiting(programFamilyText({ statements: [{ relation }] } as never, neverYield));
const literal = (type: string, value: unknown) => ({ kind: 'lit', value: { type, value } });

test('a family has the type of a literal, and not its value', () => {
  const of = (type: string, value: unknown) =>
    familyOf({ nodes: { f: { kind: 'filter', input: 's', predicate: literal(type, value) } } });
  expect(of('int64', '1')).toBe(of('int64', '2'));
  expect(of('int64', '1')).not.toBe(of('text', '1'));
  expect(of('int64', '1')).toContain('"value":{"type":"int64"}');
});

test('a family has no part of a match, no rows and no bounds of a slice', () => {
  const nodes = (value: string, limit: number) => ({
    r: { kind: 'rows', scope: 'r', rows: [[value]] },
    m: { kind: 'filter', predicate: { kind: 'text_match', parts: [{ kind: 'literal', value }] } },
    s: { kind: 'slice', input: 'm', offset: limit, limit },
  });
  const text = familyOf({ nodes: nodes('a', 1) });
  expect(text).toBe(familyOf({ nodes: nodes('b', 2) }));
  expect(text).toContain('"kind":"slice"');
  for (const gone of ['"rows":', '"value":', '"limit":', '"offset":']) {
    expect(text).not.toContain(gone);
  }
});

test('a member of that name outside of a literal stays', () => {
  expect(familyOf({ kind: 'other', value: { a: 1, type: 'x' } })).toContain('"value":{"a":1');
});

test('a program has all of it', () => {
  const program = { statements: [{ kind: 'slice', limit: 3, value: literal('int64', '1') }] };
  const text = runWithoutWaiting(programText(program as never, neverYield));
  expect(JSON.parse(text)).toEqual(program);
});
