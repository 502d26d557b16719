/** A whole LIR document: graph rules, bindings in dependency order, main tree, root rules (docs/lir.md §3, §7, §8, §10). */

import type { Query } from '#lir';
import { type Document, Errors, type Named } from './context.ts';
import { uniqueNames } from './crossing.ts';
import type { Database } from './database.ts';
import { checkGraph, edgesOf, refsBeneath } from './graph.ts';
import { bindNode } from './node.ts';
import { failed, invalid } from './problem.ts';
import { bindRecursive } from './recursion.ts';
import type { Relation, Row } from './relation.ts';

export interface BoundQuery {
  readonly relation: Relation;
  readonly errors: Errors;
  rows(): readonly Row[];
}

export interface QueryContext {
  readonly database: Database;
  readonly statements: ReadonlyMap<string, Named>;
  /** Names of all relational statements of the program. */
  readonly reserved: ReadonlySet<string>;
}

export { checkGraph };

/** `isMutation`: the root's cardinality is ignored, and so are the rules that come with it. */
export function bindQuery(query: Query, context: QueryContext, isMutation: boolean): BoundQuery {
  const errors = new Errors();
  const document: Document = {
    query,
    errors,
    database: context.database,
    statements: context.statements,
    labels: new Set(),
    bindings: new Map(),
  };
  const place = { document, visible: new Map(), siblings: new Map(), frontier: undefined };
  for (const name of bindingOrder(query, context)) {
    const binding = query.bindings?.[name];
    if (binding === undefined) continue;
    if (binding.kind === 'recursive') {
      document.bindings.set(name, bindRecursive(name, binding, place));
      continue;
    }
    const relation = bindNode(binding.node, place);
    uniqueNames(relation, 'binding_output_collision');
    document.bindings.set(name, once(relation));
  }
  const relation = bindNode(query.root.node, place);
  checkReferenced(query);
  if (!isMutation) checkRoot(query, relation);
  const evaluate = () => relation.evaluate({});
  const isAnyFirst = !isMutation && isFirstOfAny(query, relation);
  // Whoever takes any row may stop before one that fails.
  return { relation, errors, rows: isAnyFirst ? () => errors.tentatively(evaluate) : evaluate };
}

function once(relation: Relation): Named {
  let rows: readonly Row[] | undefined;
  return {
    columns: relation.columns,
    rows: () => {
      rows ??= relation.evaluate({});
      return rows;
    },
  };
}

/** Dependencies first, ties by name; a circle or a name of a statement is refused. */
function bindingOrder(query: Query, context: QueryContext): readonly string[] {
  const bindings = query.bindings ?? {};
  const names = Object.keys(bindings).sort();
  for (const name of names) {
    if (context.reserved.has(name)) throw invalid('binding_output_collision', name);
  }
  const uses = new Map(
    names.map((name) => {
      const binding = bindings[name] as NonNullable<Query['bindings']>[string];
      const roots = binding.kind === 'derived' ? [binding.node] : [binding.anchor, binding.step];
      const refs = roots.flatMap((root) => refsBeneath(query, root, 'ref'));
      return [name, new Set(refs.filter((ref) => ref in bindings))] as const;
    }),
  );
  const order: string[] = [];
  while (order.length < names.length) {
    const next = names.find(
      (name) =>
        !order.includes(name) && [...(uses.get(name) ?? [])].every((used) => order.includes(used)),
    );
    if (next === undefined) throw invalid('binding_cycle');
    order.push(next);
  }
  return order;
}

/** Every local binding is used by the main tree or by another binding. */
function checkReferenced(query: Query): void {
  const bindings = Object.entries(query.bindings ?? {});
  for (const [name] of bindings) {
    const others = bindings.flatMap(([other, binding]) => {
      if (other === name) return [];
      return binding.kind === 'derived' ? [binding.node] : [binding.anchor, binding.step];
    });
    const isUsed = [query.root.node, ...others].some((root) =>
      refsBeneath(query, root, 'ref').includes(name),
    );
    if (!isUsed) throw invalid('unknown_binding', name);
  }
}

function checkRoot(query: Query, relation: Relation): void {
  const { cardinality, unordered } = query.root;
  if (cardinality !== 'scalar') uniqueNames(relation);
  if (cardinality === 'scalar' && relation.columns.length !== 1) throw invalid('scalar_arity');
  if (cardinality === 'scalar' && relation.bound > 1) throw invalid('nondeterministic_order');
  if (unordered === true) return;
  if (cardinality === 'many' && !relation.isOrdered) throw invalid('nondeterministic_order');
  if (cardinality === 'first' && relation.bound > 1 && !relation.isOrdered) {
    throw invalid('nondeterministic_order');
  }
}

/** Whether any row may be the result. */
export function isFirstOfAny({ root }: Query, { isOrdered }: Relation): boolean {
  return root.cardinality === 'first' && root.unordered === true && !isOrdered;
}

/** Refuses an `exactly_one` result of none or more rows. */
export function checkCardinality(rows: readonly Row[]): void {
  if (rows.length !== 1) throw failed('cardinality_violation');
}

export { edgesOf };
