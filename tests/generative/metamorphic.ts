/** Rewritings of a query that must not change its rows, on the engine alone. Each says of what it makes one, or undefined. */

import type { Expression, Node, Query } from '#lir';

export interface Rewriting {
  readonly name: string;
  rewrite(query: Query, id: string, node: Node): Query | undefined;
}

/** Fresh ids and labels: no generated one looks like them. */
const fresh = 'fresh';
const truth: Expression = { kind: 'lit', value: { type: 'bool', value: true } };
const not = (expr: Expression): Expression => ({ kind: 'unary', op: 'not', expr });

function withNodes(query: Query, changed: Readonly<Record<string, Node>>): Query {
  return { ...query, nodes: { ...query.nodes, ...changed } };
}

export const rewritings: readonly Rewriting[] = [
  {
    name: 'a conjunction is two filters',
    rewrite: (query, id, node) => {
      if (node.kind !== 'filter') return undefined;
      const { predicate, input } = node;
      if (predicate.kind !== 'binary' || predicate.op !== 'and') return undefined;
      return withNodes(query, {
        [fresh]: { kind: 'filter', input, predicate: predicate.left },
        [id]: { kind: 'filter', input: fresh, predicate: predicate.right },
      });
    },
  },
  {
    name: 'two filters are a conjunction',
    rewrite: (query, id, node) => {
      const inner = node.kind === 'filter' ? query.nodes[node.input] : undefined;
      if (node.kind !== 'filter' || inner?.kind !== 'filter') return undefined;
      const { [node.input]: _, ...nodes } = query.nodes;
      const both = { op: 'and', left: inner.predicate, right: node.predicate } as const;
      const predicate: Expression = { kind: 'binary', ...both };
      return withNodes({ ...query, nodes }, { [id]: { ...node, input: inner.input, predicate } });
    },
  },
  {
    name: 'not not',
    rewrite: (query, id, node) => {
      if (node.kind !== 'filter') return undefined;
      return withNodes(query, { [id]: { ...node, predicate: not(not(node.predicate)) } });
    },
  },
  {
    name: 'and, or turned by De Morgan',
    rewrite: (query, id, node) => {
      if (node.kind !== 'filter' || node.predicate.kind !== 'binary') return undefined;
      const { op, left, right } = node.predicate;
      if (op !== 'and' && op !== 'or') return undefined;
      const turned = op === 'and' ? 'or' : 'and';
      const inner: Expression = { kind: 'binary', op: turned, left: not(left), right: not(right) };
      return withNodes(query, { [id]: { ...node, predicate: not(inner) } });
    },
  },
  {
    name: 'an inner join commutes',
    rewrite: (query, id, node) => {
      if (node.kind !== 'join' || node.join !== 'inner') return undefined;
      return withNodes(query, { [id]: { ...node, left: node.right, right: node.left } });
    },
  },
  {
    name: 'the condition of an inner join is a filter above it',
    rewrite: (query, id, node) => {
      if (node.kind !== 'join' || node.join !== 'inner') return undefined;
      return withNodes(query, {
        [fresh]: { ...node, on: truth },
        [id]: { kind: 'filter', input: fresh, predicate: node.on },
      });
    },
  },
  {
    name: 'a filter that keeps everything',
    rewrite: (query, id, node) =>
      withNodes(query, {
        [fresh]: node,
        [id]: { kind: 'filter', input: fresh, predicate: truth },
      }),
  },
  {
    name: 'distinct twice',
    rewrite: (query, id, node) => {
      if (node.kind !== 'distinct') return undefined;
      return withNodes(query, { [fresh]: node, [id]: { kind: 'distinct', input: fresh } });
    },
  },
  {
    name: 'except distinct is except all of distinct inputs',
    rewrite: (query, id, node) => {
      if (node.kind !== 'except' || node.quantifier !== 'distinct') return undefined;
      const all = { ...node, quantifier: 'all', left: `${fresh}1`, right: `${fresh}2` } as const;
      return withNodes(query, {
        [`${fresh}1`]: { kind: 'distinct', input: node.left },
        [`${fresh}2`]: { kind: 'distinct', input: node.right },
        [id]: all,
      });
    },
  },
  {
    name: 'a slice of an order is two slices',
    rewrite: (query, id, node) => {
      if (node.kind !== 'slice' || query.nodes[node.input]?.kind !== 'order') return undefined;
      const { input, offset = 0, limit } = node;
      // The whole order first, so that nothing keeps the top alone.
      const rest: Node = { kind: 'slice', input, offset };
      if (limit === undefined) return undefined;
      return withNodes(query, { [fresh]: rest, [id]: { kind: 'slice', input: fresh, limit } });
    },
  },
  {
    name: 'a binding that is used once is where it is used',
    rewrite: inlined,
  },
  {
    name: 'a relation is a binding',
    rewrite: bound,
  },
];

/** `ref` reads a derived binding: its body stands in its place, under a projection with the label of the `ref`. */
function inlined(query: Query, id: string, node: Node): Query | undefined {
  if (node.kind !== 'ref') return undefined;
  const binding = query.bindings?.[node.binding];
  const uses = Object.values(query.nodes).filter(
    (other) => other.kind === 'ref' && other.binding === node.binding,
  );
  if (binding?.kind !== 'derived' || uses.length !== 1) return undefined;
  const body = query.nodes[binding.node];
  const label = body !== undefined && 'scope' in body ? body.scope : undefined;
  if (label === undefined) return undefined;
  const { [node.binding]: _, ...others } = query.bindings ?? {};
  const bindings = Object.keys(others).length > 0 ? { bindings: others } : {};
  const project: Node = {
    kind: 'project',
    input: binding.node,
    spread: [label],
    scope: node.scope,
  };
  return withNodes({ nodes: query.nodes, root: query.root, ...bindings }, { [id]: project });
}

/** A leaf of the main tree becomes the body of a binding. */
function bound(query: Query, id: string, node: Node): Query | undefined {
  if (node.kind !== 'scan' && node.kind !== 'rows') return undefined;
  const bindings = { ...query.bindings, [fresh]: { kind: 'derived', node: fresh } as const };
  return withNodes(
    { ...query, bindings },
    {
      [fresh]: { ...node, scope: fresh },
      [id]: { kind: 'ref', binding: fresh, scope: node.scope },
    },
  );
}
