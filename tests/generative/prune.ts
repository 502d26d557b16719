/** Cuts what a generator made and did not use: nodes out of reach, and bindings that nothing refers to. */

import type { Binding, Node, Query } from '#lir';

export function prune(query: Query): Query {
  const reached = new Set<string>();
  const refs = new Set<string>();
  const roots = [query.root.node];
  const bindings: Record<string, Binding> = {};
  for (let id = roots.pop(); id !== undefined; id = roots.pop()) {
    reach(query, id, reached, refs);
    for (const name of refs) {
      const binding = query.bindings?.[name];
      if (binding === undefined || name in bindings) continue;
      bindings[name] = binding;
      if (binding.kind === 'derived') roots.push(binding.node);
      else roots.push(binding.anchor, binding.step);
    }
  }
  const nodes = Object.entries(query.nodes).filter(([id]) => reached.has(id));
  return {
    nodes: Object.fromEntries(nodes),
    ...(Object.keys(bindings).length > 0 && { bindings }),
    root: query.root,
  };
}

function reach(query: Query, id: string, reached: Set<string>, refs: Set<string>): void {
  const pending: unknown[] = [query.nodes[id]];
  reached.add(id);
  const visit = (target: string) => {
    if (reached.has(target)) return;
    reached.add(target);
    pending.push(query.nodes[target]);
  };
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    if (part === null || typeof part !== 'object') continue;
    if (Array.isArray(part)) {
      pending.push(...part);
      continue;
    }
    const node = part as Partial<Record<string, unknown>> & { readonly kind?: string };
    if (node.kind === 'ref') refs.add(node['binding'] as string);
    for (const target of targetsOf(node as unknown as Node)) visit(target);
    pending.push(...Object.values(node));
  }
}

/** Ids that a node or a crossing names directly. */
function targetsOf(node: Node): readonly string[] {
  const members = node as unknown as Readonly<Record<string, unknown>>;
  const single = ['input', 'left', 'right', 'node'].flatMap((name) =>
    typeof members[name] === 'string' ? [members[name] as string] : [],
  );
  return [...single, ...((members['inputs'] as readonly string[] | undefined) ?? [])];
}
