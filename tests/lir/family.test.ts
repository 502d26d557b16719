/** Families: what queries may differ in, and what not. */

import { expect, test } from 'bun:test';
import { familyOf, type Query } from '#lir';

const col = { kind: 'col', scope: 's', column: 'a' } as const;
const base = (value: string, rows: string[][], limit: number | bigint, part: string): Query => ({
  nodes: {
    s: { kind: 'scan', table: 't', scope: 's' },
    f: {
      kind: 'filter',
      input: 's',
      predicate: {
        kind: 'binary',
        op: 'eq',
        left: col,
        right: { kind: 'lit', value: { type: 'int64', value } },
      },
    },
    m: {
      kind: 'filter',
      input: 'f',
      predicate: { kind: 'text_match', value: col, parts: [{ kind: 'literal', value: part }] },
    },
    r: { kind: 'rows', scope: 'r', columns: [{ name: 'n', type: 'int64' }], rows },
    l: { kind: 'slice', input: 'm', limit },
  },
  root: { node: 'l', cardinality: 'many' },
});

test('literals, rows, limits and parts of texts make no difference', () => {
  const family = familyOf(base('1', [['1']], 10, 'a'));
  expect(family).toMatch(/^2-sha256-[0-9a-f]{32}$/);
  expect(familyOf(base('2', [], 11, 'b'))).toBe(family);
  expect(familyOf(base('2', [], 2n ** 60n, 'b'))).toBe(family);
});

test('the order of members makes none', () => {
  const of = base('1', [], 10, 'a');
  const turned = Object.fromEntries(Object.entries(of).reverse()) as unknown as Query;
  expect(familyOf(turned)).toBe(familyOf(of));
});

test('types, tables and what is done with the rows do', () => {
  const of = base('1', [], 10, 'a');
  const text = JSON.stringify(of);
  const others = [
    familyOf(of),
    familyOf(of, 'update 1'),
    familyOf(JSON.parse(text.replace('"type":"int64","value"', '"type":"text","value"'))),
    familyOf(JSON.parse(text.replace('"table":"t"', '"table":"u"'))),
    familyOf(JSON.parse(text.replace('"op":"eq"', '"op":"lt"'))),
    familyOf({ ...of, root: { ...of.root, unordered: true } }),
  ];
  expect(new Set(others).size).toBe(others.length);
});
