/** Relations without inputs: tables, references to results, and the frontier of a recursion. */

import type { RefNode, ScanNode } from '#lir';
import type { BoundOutput, BoundReference } from './bound.ts';
import { type BindContext, quoted } from './context.ts';
import { ownScope } from './label.ts';
import type { Bound, Place } from './place.ts';
import { scalarType } from './types.ts';
import { pinsOf } from './unique-proof.ts';
import { unknownTable } from './wording.ts';

export function bindScan(context: BindContext, id: string, node: ScanNode): Bound {
  const table = context.table(node.table);
  if (table === undefined) {
    throw context.reject(node, 'unknown_table', unknownTable(context, node.table), { node: id });
  }
  const columns = table.columns.map(({ name, type, nullable }) =>
    context.column({ name, type: scalarType(type), nullable }),
  );
  const idOf = new Map(table.columns.map((column, i) => [column.id, columns[i]?.id as number]));
  const key = table.primaryKey.map((columnId) => idOf.get(columnId) as number);
  const scopes = ownScope(context, { id, part: node }, node.scope, columns);
  return {
    relation: { kind: 'scan', node: id, table, columns, ordered: false, rowsMax: Infinity, key },
    scopes,
    pins: pinsOf(table, columns),
  };
}

/** A local binding, or the result of an earlier statement. */
export function bindReference(context: BindContext, id: string, node: RefNode): Bound {
  const source = sourceOf(context, node.binding);
  if (source === undefined) {
    const detail = `unknown binding ${quoted(node.binding)}`;
    throw context.reject(node, 'unknown_binding', detail, { node: id, binding: node.binding });
  }
  const columns = source.columns.map((column) => context.column(column));
  const scopes = ownScope(context, { id, part: node }, node.scope, columns);
  const facts = { ordered: false, rowsMax: Infinity, key: undefined };
  const { kind } = source;
  const relation: BoundReference = {
    kind: 'reference',
    node: id,
    source: { kind, name: node.binding },
    columns,
    ...facts,
  };
  return { relation, scopes, pins: undefined };
}

function sourceOf(
  context: BindContext,
  name: string,
):
  | { readonly kind: 'binding' | 'statement'; readonly columns: readonly BoundOutput[] }
  | undefined {
  const local = context.bindings.get(name);
  if (local !== undefined) {
    const columns = local.kind === 'derived' ? local.relation.columns : local.columns;
    return { kind: 'binding', columns };
  }
  const columns = context.around.results.get(name);
  return columns && { kind: 'statement', columns };
}

export function bindFrontier(context: BindContext, id: string, node: RefNode, place: Place): Bound {
  const { recursion } = context;
  const at = { node: id, binding: node.binding };
  if (recursion === undefined || recursion.binding !== node.binding) {
    const detail = `recursive_ref ${quoted(node.binding)} stands outside the step of that binding`;
    throw context.reject(node, 'unknown_binding', detail, at);
  }
  const refuse = (where: string) =>
    context.reject(
      node,
      'invalid',
      `recursive_ref ${quoted(node.binding)} may not stand ${where}`,
      at,
    );
  if (recursion.phase === 'anchor') throw refuse('in the anchor');
  if (place.frontierRefusal !== undefined) throw refuse(place.frontierRefusal);
  if (recursion.uses > 0) throw refuse('twice in a step');
  recursion.uses++;
  const columns = recursion.columns.map((column) => context.column(column));
  const scopes = ownScope(context, { id, part: node }, node.scope, columns);
  const facts = { ordered: false, rowsMax: Infinity, key: undefined };
  const relation = {
    kind: 'frontier',
    node: id,
    binding: node.binding,
    columns,
    ...facts,
  } as const;
  return { relation, scopes, pins: undefined };
}
