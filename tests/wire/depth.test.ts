/** Legal documents may be deep and long; the checks may not exhaust the stack. */

import { expect, test } from 'bun:test';
import { checkProgram, checkQuery } from '#wire';
import { failureOf, outline } from './failure-of.ts';

const scan = { kind: 'scan', table: 't', scope: 's' };
const col = { kind: 'col', scope: 's', column: 'a' };

const filtered = (predicate: unknown) => ({
  nodes: { s: scan, f: { kind: 'filter', input: 's', predicate } },
  root: { node: 'f', cardinality: 'many' },
});

/** `expr` below `count` operators of one operand. */
function nested(count: number, innermost: unknown): unknown {
  let expression = innermost;
  for (let i = 0; i < count; i++) expression = { kind: 'unary', op: 'not', expr: expression };
  return expression;
}

test('an expression of 1,020 levels, the most that a body can hold', () => {
  const query = filtered(nested(1_020, col));
  expect<unknown>(checkQuery(query)).toBe(query);
});

test('a mistake at the bottom of it is found and located', () => {
  const statement = {
    kind: 'query',
    name: 'q',
    relation: filtered(nested(1_000, { kind: 'cool' })),
  };
  const failure = failureOf(() => checkProgram({ statements: [statement] }));
  const pointer = `/statements/0/relation/nodes/f/predicate${'/expr'.repeat(1_000)}/kind`;
  expect(outline(failure)).toMatchObject({ reason: 'schema_violation', status: 422, pointer });
});

test('a left-folded conjunction of 500 terms', () => {
  let predicate: unknown = col;
  for (let i = 1; i < 500; i++)
    predicate = { kind: 'binary', op: 'and', left: predicate, right: col };
  expect(() => checkQuery(filtered(predicate))).not.toThrow();
});

test('a crossing at the bottom of a deep expression is part of the graph', () => {
  const deep = filtered(nested(1_000, { kind: 'exists', node: 'gone' }));
  const failure = failureOf(() => checkQuery(deep));
  expect(outline(failure)).toMatchObject({
    reason: 'unknown_node',
    pointer: `/nodes/f/predicate${'/expr'.repeat(1_000)}/node`,
  });
});

test('a chain of 9,999 filters', () => {
  const nodes: Record<string, unknown> = { n0: scan };
  for (let i = 1; i < 9_999; i++)
    nodes[`n${i}`] = { kind: 'filter', input: `n${i - 1}`, predicate: col };
  const query = { nodes, root: { node: 'n9998', cardinality: 'many' } };
  expect<unknown>(checkQuery(query)).toBe(query);
});
