/** What crossings demand of their relations (docs/lir.md §7, §8). */

import { expect, test } from 'bun:test';
import type { Expression, Node } from '#lir';
import {
  crossing,
  filter,
  join,
  numbers,
  op,
  order,
  planOf,
  project,
  query,
  refusalOf,
  scan,
  textOf,
} from '../support.ts';

const outer = numbers('o', 1);
const at = '/nodes/p/fields/0/expr';
const inside = (kind: 'exists' | 'first' | 'scalar' | 'array', nodes: Record<string, Node>) => {
  const last = Object.keys(nodes).at(-1) as string;
  return query({ r: outer, ...nodes, p: project('r', { v: crossing(kind, last) }) });
};
const users = scan('user', 'u');

test('array needs an order, even of one row', () => {
  expect(refusalOf(inside('array', { i: numbers('i', 1) }))).toBe(`nondeterministic_order ${at}`);
  planOf(inside('array', { i: numbers('i', 1), s: order('i', 'i.n') }));
});

test('first needs an order or at most one row', () => {
  expect(refusalOf(inside('first', { s: users }))).toBe(`nondeterministic_order ${at}`);
  planOf(inside('first', { s: users, f: filter('s', op('eq', 'u.id', 'o.n')) }));
});

test('scalar needs at most one row, then one column', () => {
  expect(refusalOf(inside('scalar', { s: users }))).toBe(`nondeterministic_order ${at}`);
  const one = filter('s', op('eq', 'u.id', 'o.n'));
  expect(refusalOf(inside('scalar', { s: users, f: one }))).toBe(`scalar_arity ${at}`);
});

test('a checked scalar needs one column only, and no check of a proven row', () => {
  const checked = (nodes: Record<string, Node>) => {
    const node = Object.keys(nodes).at(-1) as string;
    const expr = { kind: 'scalar', node, check: true } as const;
    return query({ r: outer, ...nodes, p: project('r', { v: expr }) });
  };
  const age = project('s', { v: 'u.age' });
  expect(refusalOf(checked({ s: users }))).toBe(`scalar_arity ${at}`);
  expect(textOf(checked({ s: users, q: age }))).toContain('scalar 0 of at most one row');
  const one = filter('s', op('eq', 'u.id', 'o.n'));
  const proven = checked({ s: users, f: one, q: project('f', { v: 'u.age' }) });
  expect(textOf(proven)).not.toContain('at most one row,');
  const unchecked = inside('scalar', { s: users, f: one, q: project('f', { v: 'u.age' }) });
  expect(textOf(proven)).toBe(textOf(unchecked));
});

test('exists demands nothing, first unique names', () => {
  const pair = { a: numbers('a', 1), b: numbers('b', 1), j: join('a', 'b', true) };
  planOf(inside('exists', pair));
  expect(refusalOf(inside('first', pair))).toBe(`projection_collision ${at}`);
});

test('of several crossings the first in document order that is refused is named', () => {
  const refused = (expression: Expression) =>
    refusalOf(
      query({
        r: outer,
        good: numbers('g', 1),
        one: scan('nothing', 'x'),
        other: scan('nowhere', 'y'),
        p: project('r', { v: expression }),
      }),
    );
  const [good, one, other] = ['good', 'one', 'other'].map((node) => crossing('exists', node)) as [
    Expression,
    Expression,
    Expression,
  ];
  const atNode = (node: string) => `unknown_table /nodes/${node}`;
  expect(refused(op('and', good, one))).toBe(atNode('one'));
  expect(refused(op('and', one, good))).toBe(atNode('one'));
  expect(refused(op('and', one, other))).toBe(atNode('one'));
  expect(refused(op('and', other, one))).toBe(atNode('other'));
  expect(refused(op('eq', op('or', good, other), op('and', one, good)))).toBe(atNode('other'));
});
