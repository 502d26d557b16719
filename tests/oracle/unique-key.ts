/** The unique-key proof of docs/lir.md §7: which columns of the scan beneath do a filter's conjuncts pin? */

import type { Expression, Query } from '#lir';
import type { Document } from './context.ts';
import type { ScanBase } from './relation.ts';

export function pinnedBy(predicate: Expression, base: ScanBase, document: Document): ScanBase {
  const pinned = new Set(base.pinned);
  const pending = [predicate];
  for (let e = pending.pop(); e !== undefined; e = pending.pop()) {
    if (e.kind !== 'binary') continue;
    if (e.op === 'and') pending.push(e.left, e.right);
    if (e.op !== 'eq') continue;
    for (const [column, other] of [
      [e.left, e.right],
      [e.right, e.left],
    ] as const) {
      const isColumn = column.kind === 'col' && column.scope === base.label;
      if (isColumn && !mentions(other, base.label, document.query)) pinned.add(column.column);
    }
  }
  return { ...base, pinned };
}

/** Whether any part of the expression, crossings included, uses a column of the scope. */
function mentions(e: unknown, label: string, query: Query): boolean {
  if (Array.isArray(e)) return e.some((part) => mentions(part, label, query));
  if (e === null || typeof e !== 'object') return false;
  const node = e as Record<string, unknown>;
  if (node['kind'] === 'col') return node['scope'] === label;
  if (['exists', 'first', 'scalar', 'array'].includes(node['kind'] as string)) {
    return mentionsBeneath(node['node'] as string, label, query);
  }
  return Object.values(node).some((part) => mentions(part, label, query));
}

function mentionsBeneath(id: string, label: string, query: Query): boolean {
  const node = query.nodes[id] as unknown as Record<string, unknown>;
  const inputs = ['input', 'left', 'right'].flatMap((member) =>
    typeof node[member] === 'string' ? [node[member] as string] : [],
  );
  const all = [...inputs, ...((node['inputs'] as string[] | undefined) ?? [])];
  return all.some((input) => mentionsBeneath(input, label, query)) || mentions(node, label, query);
}
