/** Deep documents: long chains of terms and nodes are planned, what is too deep is refused. */

import { expect, test } from 'bun:test';
import type { Expression, Node } from '#lir';
import {
  crossing,
  filter,
  numbers,
  op,
  planOf,
  project,
  query,
  refusalOf,
  term,
} from './support.ts';

function folded(name: 'and' | 'add', first: Expression, count: number): Expression {
  let chain = first;
  for (let i = 0; i < count; i++) chain = op(name, chain, name === 'and' ? op('lt', 'a.n', i) : i);
  return chain;
}

test('left-folded chains', () => {
  const and = folded('and', op('lt', 'a.n', 1), 1_000);
  planOf(query({ r: numbers('a', 1), f: filter('r', and) }));
  const add = folded('add', term('a.n'), 1_000);
  planOf(query({ r: numbers('a', 1), p: project('r', { v: add }) }));
});

test('a violation deep in a chain has its pointer', () => {
  const chain = folded('and', op('lt', 'zz.n', 1), 400);
  const pointer = refusalOf(query({ r: numbers('a', 1), f: filter('r', chain) }));
  expect(pointer).toBe(`unknown_scope /nodes/f/predicate${'/left'.repeat(401)}`);
});

function chainOf(length: number, make: (input: string, i: number) => Node): Record<string, Node> {
  const nodes: Record<string, Node> = { n0: numbers('a', 1) };
  for (let i = 1; i < length; i++) nodes[`n${i}`] = make(`n${i - 1}`, i);
  return nodes;
}

test('chains of nodes and of crossings', () => {
  planOf(query(chainOf(2_000, (input) => filter(input, op('lt', op('add', 'a.n', 1), 5)))));
  const nested = chainOf(500, (input, i) => project(`r${i}`, { v: crossing('exists', input) }));
  for (let i = 1; i < 500; i++) nested[`r${i}`] = numbers(`s${i}`, 1);
  const root = { node: 'n499', cardinality: 'exactly_one' } as const;
  planOf({ nodes: nested, root });
});

test('what nests too deep is refused, not a crash', () => {
  const nodes = chainOf(5_000, (input) => ({ kind: 'distinct', input }));
  expect(refusalOf(query(nodes))).toMatch(/^invalid \/nodes\/n/);
});
