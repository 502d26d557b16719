/** Walkers meet every edge and every part once, in document order. */

import { expect, test } from 'bun:test';
import {
  bindingOf,
  bindingRoots,
  crossingsOf,
  type Expression,
  inputsOf,
  type Node,
  nodeOf,
  type Query,
} from '#lir';
import { expressionsOf, walkExpression } from '../../src/lir/walk.ts';

const col = (column: string): Expression => ({ kind: 'col', scope: 's', column });
const exists = (node: string): Expression => ({ kind: 'exists', node });

const nodes: readonly [Node, readonly string[], number][] = [
  [{ kind: 'scan', table: 't', scope: 's' }, [], 0],
  [{ kind: 'rows', scope: 's', columns: [], rows: [] }, [], 0],
  [{ kind: 'ref', binding: 'b', scope: 's' }, [], 0],
  [{ kind: 'recursive_ref', binding: 'b', scope: 's' }, [], 0],
  [{ kind: 'filter', input: 'i', predicate: col('a') }, ['i'], 1],
  [{ kind: 'project', input: 'i', spread: ['s'] }, ['i'], 0],
  [{ kind: 'project', input: 'i', fields: [{ as: 'a', expr: col('a') }] }, ['i'], 1],
  [{ kind: 'join', left: 'l', right: 'r', join: 'inner', on: col('a') }, ['l', 'r'], 1],
  [{ kind: 'concatenate', inputs: ['x', 'y', 'z'], scope: 's' }, ['x', 'y', 'z'], 0],
  [{ kind: 'except', left: 'l', right: 'r', quantifier: 'all', scope: 's' }, ['l', 'r'], 0],
  [
    {
      kind: 'aggregate',
      input: 'i',
      groups: [{ expr: col('g') }],
      aggs: [
        { fn: 'count', as: 'c' },
        { fn: 'sum', as: 's', arg: col('a') },
      ],
    },
    ['i'],
    2,
  ],
  [{ kind: 'order', input: 'i', terms: [{ expr: col('a') }, { expr: col('b') }] }, ['i'], 2],
  [{ kind: 'slice', input: 'i', limit: 1 }, ['i'], 0],
  [{ kind: 'distinct', input: 'i' }, ['i'], 0],
];

test.each(nodes)('inputs and expressions of %p', (node, inputs, expressions) => {
  expect(inputsOf(node)).toEqual(inputs);
  expect(expressionsOf(node)).toHaveLength(expressions);
});

const everywhere: Expression = {
  kind: 'branch',
  branches: [
    {
      when: { kind: 'unary', op: 'not', expr: exists('1') },
      then: { kind: 'cast', expr: exists('2'), to: 'bool' },
    },
  ],
  else: {
    kind: 'binary',
    op: 'or',
    left: { kind: 'text_match', value: exists('3'), parts: [{ kind: 'any_many' }] },
    right: exists('4'),
  },
};

test('crossings come in document order', () => {
  const node: Node = {
    kind: 'project',
    input: 'i',
    fields: [
      { as: 'a', expr: everywhere },
      { as: 'b', expr: { kind: 'scalar', node: '5' } },
    ],
  };
  expect(crossingsOf(node).map((crossing) => crossing.node)).toEqual(['1', '2', '3', '4', '5']);
});

test('an operator is visited before its operands', () => {
  const kinds: string[] = [];
  walkExpression(everywhere, (part) => kinds.push(part.kind));
  const order = ['branch', 'unary', 'exists', 'cast', 'exists', 'binary', 'text_match', 'exists'];
  expect(kinds).toEqual([...order, 'exists']);
});

test('lookups do not meet inherited members', () => {
  const query: Query = {
    nodes: { a: { kind: 'scan', table: 't', scope: 's' } },
    bindings: { b: { kind: 'recursive', anchor: 'x', step: 'y', accumulation: 'all' } },
    root: { node: 'a', cardinality: 'many' },
  };
  expect(nodeOf(query, 'a')?.kind).toBe('scan');
  expect(nodeOf(query, 'constructor')).toBeUndefined();
  expect(bindingOf(query, 'toString')).toBeUndefined();
  expect(bindingRoots({ kind: 'derived', node: 'n' })).toEqual(['n']);
  const binding = bindingOf(query, 'b');
  expect(binding === undefined ? [] : bindingRoots(binding)).toEqual(['x', 'y']);
});
