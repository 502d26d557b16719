/** A lone surrogate is refused wherever a document can hold text. */

import { expect, test } from 'bun:test';
import { checkQuery } from '#wire';
import { failureOf, outline } from './failure-of.ts';

const lone = 'a\ud800';

/** A query whose only filter has this expression. */
const filtered = (predicate: unknown) => ({
  nodes: {
    s: { kind: 'scan', table: 't', scope: 's' },
    f: { kind: 'filter', input: 's', predicate },
  },
  root: { node: 'f', cardinality: 'many' },
});

const literal = (type: string) => filtered({ kind: 'lit', value: { type, value: lone } });

const rows = (scope: string, name: string, cell: string) => ({
  nodes: {
    r: { kind: 'rows', scope, columns: [{ name, type: 'text' }], rows: [['fine'], [cell]] },
  },
  root: { node: 'r', cardinality: 'many' },
});

const match = (value: string) =>
  filtered({
    kind: 'text_match',
    value: { kind: 'col', scope: 's', column: 'a' },
    parts: [{ kind: 'literal', value }],
  });

const places: readonly [string, unknown, string][] = [
  ['a text literal', literal('text'), '/nodes/f/predicate/value/value'],
  ['a float64 literal', literal('float64'), '/nodes/f/predicate/value/value'],
  ['a cell', rows('r', 'a', lone), '/nodes/r/rows/1/0'],
  ['a scope', rows(lone, 'a', ''), '/nodes/r/scope'],
  ['the name of a column', rows('r', lone, ''), '/nodes/r/columns/0/name'],
  ['a part of a text match', match(lone), '/nodes/f/predicate/parts/0/value'],
];

for (const [what, query, pointer] of places) {
  test(what, () => {
    const failure = failureOf(() => checkQuery(query));
    expect(outline(failure)).toMatchObject({ reason: 'schema_violation', status: 400, pointer });
    expect(failure.detail).toContain('well-formed Unicode');
  });
}

test('the id of a node, though nothing refers to it', () => {
  const scan = { kind: 'scan', table: 't', scope: 's' };
  const nodes = { fine: scan, [lone]: scan };
  const failure = failureOf(() =>
    checkQuery({ nodes, root: { node: 'fine', cardinality: 'many' } }),
  );
  expect(outline(failure)).toMatchObject({ reason: 'schema_violation', pointer: '/nodes' });
  expect(failure.detail).toContain('a member name: text must be well-formed Unicode');
  expect(failure.errors).toBeUndefined();
});
