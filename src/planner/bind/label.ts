/** Scope labels: bound once per document, whether their scope is still open or not (lir.md §3). */

import type { BoundColumn } from './bound.ts';
import { type BindContext, quoted } from './context.ts';
import { type Scope, scopeOf } from './scope.ts';

/** The scopes that a node which binds `label` shows to its consumer; without a label none. */
export function ownScope(
  context: BindContext,
  node: { readonly id: string; readonly part: object },
  label: string | undefined,
  columns: readonly BoundColumn[],
): Map<string, Scope> {
  if (label === undefined) return new Map();
  if (context.labels.has(label)) {
    const detail = `duplicate scope ${quoted(label)}: a label is bound once per query`;
    throw context.reject(node.part, 'duplicate_scope', detail, { node: node.id, scope: label });
  }
  context.labels.add(label);
  return new Map([[label, scopeOf(columns)]]);
}
