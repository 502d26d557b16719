/** Binds relations without inputs: tables, references to results, and the frontier of a recursion, which is the rows of the previous round. */

import type { Steps } from '#base';
import type { RefNode, ScanNode } from '#lir';
import type { BoundReference, BoundScan } from './bound.ts';
import { type BindContext, quoted, type StatementRows } from './context.ts';
import type { NodeSite } from './node-site.ts';
import { isPoliced, permittedRows } from './policy.ts';
import type { BoundInScope } from './relation-context.ts';
import { scalarType } from './types.ts';
import { pinsOf } from './unique-proof.ts';
import { unknownTable } from './wording.ts';

export function bindScan(at: NodeSite, node: ScanNode): BoundInScope | Steps<BoundInScope> {
  const { context, id } = at;
  const table = context.table(node.table);
  if (table === undefined) {
    throw at.reject('unknown_table', unknownTable(context, node.table));
  }
  context.around.needs.reads(table);
  const columns = table.columns.map(({ name, type, nullable }) =>
    context.column({ name, type: scalarType(type), nullable }),
  );
  const idOf = new Map(table.columns.map((column, i) => [column.id, columns[i]?.id as number]));
  const key = table.primaryKey.map((columnId) => idOf.get(columnId) as number);
  const scopes = at.ownScope(columns);
  const scan: BoundScan = {
    ...{ kind: 'scan', node: id, table, columns, ordered: false, rowsMax: Infinity, key },
  };
  // Policies must not affect whether a query is valid, so their conditions pin nothing.
  const pins = pinsOf(table, columns);
  return isPoliced(context)
    ? policedScan(context, scan, { scopes, pins })
    : { relation: scan, scopes, pins };
}

function* policedScan(
  context: BindContext,
  scan: BoundScan,
  found: Omit<BoundInScope, 'relation'>,
): Steps<BoundInScope> {
  return { relation: yield* permittedRows(context, scan.table, 'read', scan), ...found };
}

/** Binds a reference to a local binding, or to the result of an earlier statement. */
export function bindReference(at: NodeSite, node: RefNode): BoundInScope {
  const { context, id } = at;
  const source = sourceOf(context, node.binding);
  if (source === undefined) {
    const detail = `unknown binding ${quoted(node.binding)}`;
    throw at.reject('unknown_binding', detail, { binding: node.binding });
  }
  const columns = source.columns.map((column) => context.column(column));
  const scopes = at.ownScope(columns);
  const of = { kind: source.kind, name: node.binding };
  const { ordered } = source;
  const relation: BoundReference = {
    ...{ kind: 'reference', node: id, source: of, columns, ...unknown, ordered },
  };
  return { relation, scopes, pins: undefined };
}

/** Properties of rows that are computed elsewhere: none is proven. */
const unknown = { ordered: false, rowsMax: Infinity, key: undefined } as const;

interface Source extends StatementRows {
  readonly kind: 'binding' | 'statement';
}

function sourceOf(context: BindContext, name: string): Source | undefined {
  const local = context.bindings.get(name);
  if (local !== undefined) {
    const columns = local.kind === 'derived' ? local.relation.columns : local.columns;
    return { kind: 'binding', columns, ordered: false };
  }
  const rows = context.around.results.get(name);
  return rows && { kind: 'statement', ...rows };
}

export function bindFrontier(at: NodeSite, node: RefNode): BoundInScope {
  const { context, id, place } = at;
  const { recursion } = context;
  const { binding } = node;
  if (recursion === undefined || recursion.binding !== binding) {
    const detail = `recursive_ref ${quoted(binding)} is outside the step of that binding`;
    throw at.reject('unknown_binding', detail, { binding });
  }
  const refuse = (where: string) =>
    at.reject('invalid', `recursive_ref ${quoted(binding)} is not allowed ${where}`, { binding });
  if (recursion.phase === 'anchor') throw refuse('in the anchor');
  if (place.frontierRefusal !== undefined) throw refuse(place.frontierRefusal);
  if (recursion.uses > 0) throw refuse('twice in a step');
  recursion.uses++;
  const columns = recursion.columns.map((column) => context.column(column));
  const scopes = at.ownScope(columns);
  const relation = { kind: 'frontier', node: id, binding, columns, ...unknown } as const;
  return { relation, scopes, pins: undefined };
}
