/** The graph rules of docs/lir.md §3, and walks over a document. */

import type { Query } from '#lir';
import { invalid } from './problem.ts';

const crossingKinds = ['exists', 'first', 'scalar', 'array'];

/** The nodes that a node reads directly, crossings included, in document order. */
export function edgesOf(query: Query, id: string): readonly string[] {
  const node = query.nodes[id] as unknown as Record<string, unknown>;
  const inputs = (['input', 'left', 'right'] as const).flatMap((member) =>
    typeof node[member] === 'string' ? [node[member] as string] : [],
  );
  const list = Array.isArray(node['inputs']) ? (node['inputs'] as string[]) : [];
  return [...inputs, ...list, ...crossingsIn(node)];
}

function crossingsIn(part: unknown): string[] {
  if (Array.isArray(part)) return part.flatMap(crossingsIn);
  if (part === null || typeof part !== 'object') return [];
  const record = part as Record<string, unknown>;
  if (crossingKinds.includes(record['kind'] as string)) return [record['node'] as string];
  return Object.values(record).flatMap(crossingsIn);
}

export function checkGraph(query: Query): void {
  const seen = new Set<string>();
  const expanding = new Set<string>();
  const visit = (id: string): void => {
    if (!Object.hasOwn(query.nodes, id)) throw invalid('unknown_node', id);
    if (expanding.has(id)) throw invalid('node_cycle', id);
    if (seen.has(id)) throw invalid('shared_node', id);
    seen.add(id);
    expanding.add(id);
    for (const edge of edgesOf(query, id)) visit(edge);
    expanding.delete(id);
  };
  visit(query.root.node);
  for (const binding of Object.values(query.bindings ?? {})) {
    if (binding.kind === 'derived') visit(binding.node);
    else {
      visit(binding.anchor);
      visit(binding.step);
    }
  }
  if (seen.size !== Object.keys(query.nodes).length) throw invalid('unreachable_node');
}

/** Binding names that `ref` (or `recursive_ref`) nodes at and beneath `id` use. */
export function refsBeneath(query: Query, id: string, kind: 'ref' | 'recursive_ref'): string[] {
  const node = query.nodes[id] as { kind: string; binding?: string };
  const own = node.kind === kind ? [node.binding as string] : [];
  return [...own, ...edgesOf(query, id).flatMap((edge) => refsBeneath(query, edge, kind))];
}
