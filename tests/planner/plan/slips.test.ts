/** Small rules of the planner that a result rarely shows: each by the plan that would be wrong without it. */

import { expect, test } from 'bun:test';
import type { Node } from '#lir';
import { crossing, filter, op, order, project, query, scan, textOf } from '../support.ts';

const linesOf = (text: string) => text.split('\n').map((line) => line.trim().split(' | ')[0]);

test('a predicate over a field with a crossing stays above the projection', () => {
  const nodes: Record<string, Node> = {
    n: scan('note', 'n'),
    g: filter('n', op('eq', 'n.owner', 'u.id')),
    u: scan('user', 'u'),
    p: project('u', { id: 'u.id', writes: crossing('exists', 'g') }, 'p'),
    f: filter('p', op('eq', 'p.writes', true)),
  };
  const lines = linesOf(textOf(query(nodes)));
  expect(lines.indexOf('filter')).toBeLessThan(
    lines.findIndex((line) => line?.startsWith('attach')),
  );
  expect(lines.findIndex((line) => line?.startsWith('attach'))).toBeGreaterThan(0);
});

test('beside such a field other predicates go down', () => {
  const nodes: Record<string, Node> = {
    n: scan('note', 'n'),
    g: filter('n', op('eq', 'n.owner', 'u.id')),
    u: scan('user', 'u'),
    p: project('u', { id: 'u.id', writes: crossing('exists', 'g') }, 'p'),
    f: filter('p', op('eq', 'p.id', 7)),
  };
  expect(textOf(query(nodes))).toContain('primary key: id = 7');
});

/** The first rows of `inner` by age, ordered again by age and name. */
function twice(inner: Record<string, Node>, input: string, scope: string) {
  return textOf(
    query(
      {
        ...inner,
        first: order(input, `${scope}.age`),
        some: { kind: 'slice', input: 'first', limit: 10 },
        again: order('some', `${scope}.age`, `${scope}.name`),
      },
      'many',
    ),
  );
}

const sorts = (text: string) => linesOf(text).filter((line) => line === 'sort').length;

test('an order of rows without a key leaves ties, which a longer order has to sort', () => {
  const both: Record<string, Node> = {
    a: scan('user', 'a'),
    b: scan('user', 'b'),
    c: { kind: 'concatenate', inputs: ['a', 'b'], scope: 'c' },
  };
  expect(sorts(twice(both, 'c', 'c'))).toBe(2);
});

test('an order that ends in a key leaves none', () => {
  const inner: Record<string, Node> = { a: scan('user', 'a') };
  const text = textOf(
    query(
      {
        ...inner,
        first: order('a', 'a.name'),
        some: { kind: 'slice', input: 'first', limit: 10 },
        again: order('some', 'a.name', 'a.id', 'a.age'),
      },
      'many',
    ),
  );
  expect(sorts(text)).toBe(1);
});
