/** The graph rules: which violation is found first, and where it is. */

import { describe, expect, test } from 'bun:test';
import { neverYield, runWithoutWaiting } from '#base';
import { DatabaseError, type Failure } from '#failure';
import { checkGraphSteps, type Query } from '#lir';

const checkGraph = (query: Query): void => runWithoutWaiting(checkGraphSteps(query, neverYield));

const leaf = (scope: string) => ({ kind: 'scan', table: 't', scope });
const truth = { kind: 'lit', value: { type: 'bool', value: true } };
const filter = (input: string, predicate: unknown = truth) => ({
  kind: 'filter',
  input,
  predicate,
});
const exists = (node: string) => ({ kind: 'exists', node });

function query(nodes: Record<string, unknown>, root: string, bindings?: object): Query {
  const document = { nodes, root: { node: root, cardinality: 'many' } };
  return (bindings === undefined ? document : { ...document, bindings }) as Query;
}

function refusal(document: Query): Failure {
  try {
    checkGraph(document);
  } catch (error) {
    if (error instanceof DatabaseError) return error.failure;
    throw error;
  }
  throw new Error('the graph passed');
}

const both = { kind: 'binary', op: 'and', left: exists('a'), right: exists('b') };
const join = { kind: 'join', join: 'inner', left: 'a', right: 'b', on: truth };
const union = (...inputs: string[]) => ({ kind: 'concatenate', inputs, scope: 'u' });

type Case = [what: string, query: Query, reason: string, pointer: string, detail: string];

const cases: readonly Case[] = [
  [
    'root',
    query({ a: leaf('s') }, 'missing'),
    'unknown_node',
    '/root/node',
    'unknown node "missing"',
  ],
  [
    'input',
    query({ a: filter('missing') }, 'a'),
    'unknown_node',
    '/nodes/a/input',
    'unknown node "missing"',
  ],
  ...(['left', 'right'] as const).map(
    (side): Case => [
      `the ${side} of a join`,
      query({ j: { ...join, [side]: 'missing' }, a: leaf('s'), b: leaf('t') }, 'j'),
      'unknown_node',
      `/nodes/j/${side}`,
      'unknown node "missing"',
    ],
  ),
  [
    'inherited name',
    query({ a: filter('constructor') }, 'a'),
    'unknown_node',
    '/nodes/a/input',
    'unknown node "constructor"',
  ],
  [
    'cycle of two',
    query({ a: filter('b'), b: filter('a') }, 'a'),
    'node_cycle',
    '/nodes/b/input',
    'node "a" is part of a cycle',
  ],
  [
    'cycle of one',
    query({ a: filter('a') }, 'a'),
    'node_cycle',
    '/nodes/a/input',
    'is part of a cycle',
  ],
  [
    'cycle through a crossing',
    query({ a: filter('b', exists('a')), b: leaf('s') }, 'a'),
    'node_cycle',
    '/nodes/a/predicate/node',
    'is part of a cycle',
  ],
  [
    'shared input',
    query({ u: union('a', 'a'), a: leaf('s') }, 'u'),
    'shared_node',
    '/nodes/u/inputs/1',
    'duplicate scope',
  ],
  [
    'shared by crossings',
    query({ f: filter('c', both), c: filter('b'), a: leaf('x'), b: leaf('y') }, 'f'),
    'shared_node',
    '/nodes/f/predicate/right/node',
    'duplicate scope',
  ],
  [
    'shared by a binding',
    query({ a: leaf('s') }, 'a', { 'b/1': { kind: 'derived', node: 'a' } }),
    'shared_node',
    '/bindings/b~11/node',
    'duplicate scope',
  ],
  [
    'shared by anchor and step',
    query({ a: leaf('s'), b: leaf('t') }, 'a', {
      r: { kind: 'recursive', anchor: 'b', step: 'b', accumulation: 'all' },
    }),
    'shared_node',
    '/bindings/r/step',
    'duplicate scope',
  ],
  [
    'unreachable',
    query({ a: leaf('s'), 'x/y': leaf('t') }, 'a'),
    'unreachable_node',
    '/nodes/x~1y',
    '"x/y"',
  ],
  [
    'unknown before unreachable',
    query({ a: filter('missing'), b: leaf('t') }, 'a'),
    'unknown_node',
    '/nodes/a/input',
    '"missing"',
  ],
  [
    'left before right',
    query(
      {
        j: { kind: 'except', left: 'l', right: 'missing', quantifier: 'all', scope: 'e' },
        l: filter('j'),
      },
      'j',
    ),
    'node_cycle',
    '/nodes/l/input',
    '"j"',
  ],
  [
    'inputs before crossings',
    query({ a: filter('missing', exists('a')) }, 'a'),
    'unknown_node',
    '/nodes/a/input',
    '"missing"',
  ],
];

test.each(cases)('%s', (_, document, reason, pointer, fragment) => {
  const failure = refusal(document);
  expect(failure.reason as string).toBe(reason);
  expect(failure.location?.pointer).toBe(pointer);
  expect(failure.detail).toContain(fragment);
});

describe('what passes', () => {
  test('every consumer has its own nodes', () => {
    const nodes = { f: filter('c', both), c: leaf('z'), a: leaf('x'), b: leaf('y'), d: leaf('w') };
    expect(() =>
      checkGraph(query(nodes, 'f', { d: { kind: 'derived', node: 'd' } })),
    ).not.toThrow();
  });

  test('references to bindings are no edges', () => {
    const ref = (scope: string) => ({ kind: 'ref', binding: 'd', scope });
    const nodes = { u: union('a', 'b'), a: ref('x'), b: ref('y'), d: ref('z') };
    expect(() =>
      checkGraph(query(nodes, 'u', { d: { kind: 'derived', node: 'd' } })),
    ).not.toThrow();
  });
});

test('bindings are walked in the order of their names, wherever they stand', () => {
  const wrong = (node: string) => ({ kind: 'derived', node });
  const document = query({ a: leaf('s') }, 'a', { z: wrong('missing1'), b: wrong('missing2') });
  expect(refusal(document)).toMatchObject({ detail: expect.stringContaining('missing2') });
});

test('the walk through a large graph gives way at every edge', () => {
  const nodes: Record<string, Query['nodes'][string]> = {
    n0: { kind: 'scan', table: 't', scope: 's' },
  };
  for (let i = 1; i < 5000; i++) nodes[`n${i}`] = { kind: 'distinct', input: `n${i - 1}` };
  let work = 0;
  const pause = (rows: number) => {
    work += rows;
    return undefined;
  };
  const pace = { ...neverYield, pause };
  runWithoutWaiting(checkGraphSteps(query(nodes, 'n4999'), pace));
  expect(work).toBeGreaterThanOrEqual(5000 * 8);
});
