/** Binds the policies for the rows that a mutation changes. */

import type { Steps } from '#base';
import type { PolicyAction, Table } from '#catalog';
import type { BoundQuery, BoundRelation } from './bound.ts';
import type { BindContext } from './context.ts';
import { permittedRows } from './policy.ts';
import { scalarType } from './types.ts';

/** Queries for the numbers of the permitted rows. An absent query permits all rows. */
interface BoundPolicies {
  readonly before: BoundQuery | undefined;
  readonly after: BoundQuery | undefined;
}

export function* bindChanged(
  context: BindContext,
  table: Table,
  kind: 'create' | 'update' | 'delete',
): Steps<BoundPolicies> {
  const before = kind === 'create' ? [] : (['read', kind] as const);
  const after = kind === 'delete' ? [] : [kind];
  return {
    before: yield* bindRows(context, table, before),
    after: yield* bindRows(context, table, after),
  };
}

/** Binds the rows that all actions permit. */
function* bindRows(
  context: BindContext,
  table: Table,
  actions: readonly PolicyAction[],
): Steps<BoundQuery | undefined> {
  const rows = changedRows(context, table);
  const partsBefore = context.parts;
  let permitted: BoundRelation = rows;
  for (const action of actions) permitted = yield* permittedRows(context, table, action, permitted);
  if (permitted === rows) return undefined;
  const number = rows.columns.slice(-1);
  const fields = number.map(
    ({ id, type }) => ({ kind: 'column', id, type, nullable: false }) as const,
  );
  const { node, rowsMax } = rows;
  const facts = { node, rowsMax, ordered: false, key: number.map(({ id }) => id) };
  return {
    bindings: [],
    root: { kind: 'project', input: permitted, fields, columns: number, ...facts },
    cardinality: 'many',
    parts: context.parts - partsBefore + partsOfRows,
  };
}

/** The parts of the relation itself: the rows, a filter and a projection. */
const partsOfRows = 3;

/** Returns the rows that a mutation changes, with their numbers as the last column. */
export function changedRows(context: BindContext, table: Table): BoundRelation {
  const columns = table.columns.map(({ name, type, nullable }) =>
    context.column({ name, type: scalarType(type), nullable }),
  );
  const number = context.column({ name: '', type: scalarType('int64'), nullable: false });
  return {
    kind: 'reference',
    node: table.name,
    source: { kind: 'changed', name: '' },
    columns: [...columns, number],
    ordered: false,
    rowsMax: Infinity,
    key: [number.id],
  };
}
