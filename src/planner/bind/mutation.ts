/** Checks the input of a mutation: the columns of the target that it supplies, and their types (docs/pir.md §4). */

import { type Column, columnByName, type Table } from '#catalog';
import type { Reason } from '#failure';
import type { MutationStatement } from '#pir';
import type { BoundColumn, BoundRelation } from './bound.ts';
import { type BindContext, quoted } from './context.ts';
import { hasSequence } from './row-sequence.ts';
import { noColumn, unknownTable } from './wording.ts';

/** The mapping from input columns to table columns. */
interface MutationShape {
  readonly table: Table;
  /** For each column of the table, in catalog order: the position of the input column that supplies it, or -1. */
  readonly positions: readonly number[];
  /** Whether the numbers of new rows and the result follow the order of the input. */
  readonly ordered: boolean;
}

const noSequence =
  'an ordered create needs an ordered relation, or literal rows; put an order node at its root, or set `unordered` in the root for any order';

export function checkMutation(
  context: BindContext,
  statement: MutationStatement,
  root: BoundRelation,
): MutationShape {
  const table = context.table(statement.table);
  if (table === undefined) {
    const pointer = context.around.pointer.replace(/relation$/, 'table');
    throw context.reject(root, 'unknown_table', unknownTable(context, statement.table), {
      pointer,
      role: 'mutation',
    });
  }
  context.around.needs.changes(table, statement.kind);
  const position = new Map<string, number>();
  root.columns.forEach((column, i) => {
    if (position.has(column.name)) {
      const detail = `duplicate column ${quoted(column.name)} in the input of ${statement.kind}`;
      throw reject(context, root, 'projection_collision', detail, column.name);
    }
    position.set(column.name, i);
    checkColumn(context, { statement, table, root }, column);
  });
  const problem = shapeProblem(statement.kind, table, position);
  if (problem !== undefined) throw reject(context, root, 'type_mismatch', problem);
  const positions = table.columns.map(({ name }) => position.get(name) ?? -1);
  const ordered = statement.ordered === true;
  if (ordered && statement.relation.root.unordered !== true && !hasSequence(root)) {
    throw reject(context, root, 'nondeterministic_order', noSequence);
  }
  return { table, positions, ordered };
}

interface Mutation {
  readonly statement: MutationStatement;
  readonly table: Table;
  readonly root: BoundRelation;
}

function checkColumn(
  context: BindContext,
  { statement, table, root }: Mutation,
  { name, type, nullable }: BoundColumn,
): void {
  const target = columnByName(table, name);
  if (target === undefined) {
    const detail = noColumn(
      `table ${quoted(table.name)}`,
      name,
      table.columns.map((column) => column.name),
    );
    throw reject(context, root, 'unknown_column', detail, name);
  }
  if (type.kind !== target.type) {
    const detail = `column ${quoted(name)} is of type ${target.type}, got ${type.kind}`;
    throw reject(context, root, 'type_mismatch', detail, name);
  }
  if (nullable && !target.nullable && statement.kind !== 'delete') {
    const detail = `column ${quoted(name)} is not nullable, but its input is`;
    throw reject(context, root, 'type_mismatch', detail, name);
  }
}

function shapeProblem(
  kind: MutationStatement['kind'],
  table: Table,
  given: ReadonlyMap<string, number>,
): string | undefined {
  const isKey = (column: Column) => table.primaryKey.includes(column.id);
  const absent = table.columns.filter((column) => !given.has(column.name));
  const absentKey = absent.find(isKey);
  const title = `${kind} of table ${quoted(table.name)}`;
  if (kind === 'create') {
    const required = absent.find((column) => !column.nullable && column.default === undefined);
    return required && `${title} needs column ${quoted(required.name)}: not nullable, no default`;
  }
  if (absentKey !== undefined) return `${title} needs key column ${quoted(absentKey.name)}`;
  const keyColumns = table.primaryKey.length;
  if (kind === 'update' && given.size === keyColumns) return `${title} assigns no column`;
  if (kind === 'delete' && given.size !== keyColumns) {
    const keys = table.columns.filter(isKey).map((column) => quoted(column.name));
    return `${title} accepts only the key columns; put a project node on top that keeps ${keys.join(', ')}`;
  }
  return undefined;
}

function reject(
  context: BindContext,
  root: BoundRelation,
  reason: Reason,
  detail: string,
  column?: string,
): Error {
  const part = context.query.nodes[context.query.root.node] ?? {};
  const role = column === undefined ? 'mutation' : `input column ${column}`;
  return context.reject(part, reason, detail, { node: root.node, role });
}
