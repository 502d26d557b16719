/** Binds a whole query: bindings in dependency order, the main tree, then the rules of its root (docs/lir.md §7, §10). */

import type { Steps } from '#base';
import { bindingOf, nodeOf, type Query } from '#lir';
import { bindBinding } from './binding.ts';
import type { BoundQuery, BoundRelation } from './bound.ts';
import { duplicateName } from './columns.ts';
import { BindContext, quoted, type Surroundings } from './context.ts';
import { type Dependencies, dependenciesOf } from './dependencies.ts';
import { bindRelation } from './relation.ts';

/** Binds a query. The rules of the root apply only to an observed query, since the relation of a mutation has other rules. */
export function* bindQuery(
  query: Query,
  around: Surroundings,
  use: 'observed' | 'mutation',
): Steps<{ readonly bound: BoundQuery; readonly context: BindContext }> {
  const dependencies = dependenciesOf(query);
  const wait = around.pace.pause(Infinity);
  if (wait !== undefined) yield wait;
  const context = new BindContext(query, around, dependencies.crossed);
  yield* bindBindings(context, dependencies);
  const { relation: root } = yield* bindRelation(context, query.root.node, {
    enclosing: undefined,
    frontierRefusal: undefined,
  });
  checkReferenced(context, dependencies);
  if (use === 'observed') checkRoot(context, root);
  const bindings = [...context.bindings.values()];
  const { parts } = context;
  return { bound: { bindings, root, cardinality: query.root.cardinality, parts }, context };
}

function* bindBindings(context: BindContext, { order, cycle }: Dependencies): Steps<void> {
  const { query, around } = context;
  if (cycle !== undefined) {
    const detail = `binding ${quoted(cycle)} refers to itself through ref`;
    throw context.reject(bindingOf(query, cycle) ?? {}, 'binding_cycle', detail, {
      binding: cycle,
    });
  }
  for (const name of Object.keys(query.bindings ?? {}).sort()) {
    if (!around.reserved.has(name)) continue;
    const detail = `binding ${quoted(name)} has the name of a statement of the program`;
    const part = bindingOf(query, name) ?? {};
    throw context.reject(part, 'binding_output_collision', detail, { binding: name });
  }
  for (const name of order) {
    const binding = bindingOf(query, name);
    if (binding === undefined) continue;
    context.bindings.set(name, yield* bindBinding(context, name, binding));
  }
}

function checkReferenced(context: BindContext, { order, referenced }: Dependencies): void {
  const unused = [...order].sort().find((name) => !referenced.has(name));
  if (unused === undefined) return;
  const part = bindingOf(context.query, unused) ?? {};
  const detail = `unknown binding use: no node refers to binding ${quoted(unused)}; remove it`;
  throw context.reject(part, 'unknown_binding', detail, { binding: unused });
}

function checkRoot(context: BindContext, root: BoundRelation): void {
  const { node, cardinality, unordered } = context.query.root;
  const part = nodeOf(context.query, node) ?? {};
  const at = { node, role: 'root' };
  const repeated = cardinality === 'scalar' ? undefined : duplicateName(root.columns);
  if (repeated !== undefined) {
    const detail = `duplicate column ${quoted(repeated)} in the result`;
    throw context.reject(part, 'projection_collision', detail, at);
  }
  if (cardinality === 'scalar' && root.columns.length !== 1) {
    const detail = `a scalar query needs a single-column root, got ${root.columns.length} columns`;
    throw context.reject(part, 'scalar_arity', detail, at);
  }
  if (unordered === true && cardinality !== 'scalar') return;
  const problem = orderProblem(root, cardinality);
  if (problem !== undefined) throw context.reject(part, 'nondeterministic_order', problem, at);
}

function orderProblem(
  { rowsMax, ordered }: BoundRelation,
  cardinality: Query['root']['cardinality'],
): string | undefined {
  switch (cardinality) {
    case 'scalar':
      return rowsMax > 1 ? 'a scalar query needs a root of at most one row' : undefined;
    case 'many':
      return ordered
        ? undefined
        : 'a query for many rows needs an ordered root; put an order node at its root, by a key such as the primary key, or set `unordered`';
    case 'first':
      return rowsMax > 1 && !ordered
        ? 'a query for the first row needs an ordered root, or one of at most one row; put an order node at its root, or set `unordered`'
        : undefined;
    case 'exactly_one':
      return undefined;
  }
}
