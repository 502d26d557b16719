/** Leaves out the parts of a relation that nothing uses, such as a common table expression without a reference. */

import { type Binding, bindingRoots, crossingsOf, inputsOf, type Node, type Query } from '#lir';

export function reachable({ nodes, bindings = {}, root }: Query): Query {
  const kept: Record<string, Node> = {};
  const used: Record<string, Binding> = {};
  const open = [root.node];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const node = nodes[id];
    if (node === undefined || id in kept) continue;
    kept[id] = node;
    open.push(...inputsOf(node), ...crossingsOf(node).map((crossing) => crossing.node));
    const binding = node.kind === 'ref' ? bindings[node.binding] : undefined;
    if (node.kind !== 'ref' || binding === undefined || node.binding in used) continue;
    used[node.binding] = binding;
    open.push(...bindingRoots(binding));
  }
  return { nodes: kept, ...(Object.keys(used).length > 0 && { bindings: used }), root };
}
