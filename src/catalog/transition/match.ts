/** Finds out whether the work of a transition start is already in progress (docs/migrations.md). */

import { checkColumn } from '../change/column-record.ts';
import type { ConstraintDefinition, IndexDefinition, TransitionStart } from '../definition.ts';
import { columnByName, tableById } from '../lookup.ts';
import type { Catalog, Table } from '../table.ts';
import type { Column } from '../table-parts.ts';
import { isSameColumn } from './start.ts';
import type { Transition } from './transition.ts';

/** Returns the active transition that does exactly the work of `start`; `undefined` if there is none. */
export function matchingTransition(
  catalog: Catalog,
  start: TransitionStart,
): Transition | undefined {
  const table = tableById(catalog, start.table_id);
  if (table === undefined) return undefined;
  return table.transitions?.find((transition) => isAskedFor(catalog, table, start, transition));
}

function isAskedFor(
  catalog: Catalog,
  table: Table,
  start: TransitionStart,
  transition: Transition,
): boolean {
  switch (start.kind) {
    case 'start_index_build':
      return transition.kind === 'index_build' && isSameIndex(table, start.index, transition.index);
    case 'start_column_replacement': {
      if (transition.kind !== 'column_replacement' || transition.column !== start.column_id) {
        return false;
      }
      const { target } = transition;
      const { type, nullable, format, default: given } = start.replacement;
      const wanted = checkColumn({
        name: target.name,
        type,
        nullable,
        ...(format !== undefined && { format }),
        ...(given !== undefined && { default: given }),
      });
      return isSameColumn(target, wanted as Column);
    }
    case 'start_constraint_validation':
      return (
        transition.kind === 'constraint_validation' &&
        isSameConstraint(catalog, table, start.constraint, transition)
      );
  }
}

function isSameIndex(
  table: Table,
  { name, columns, unique = false }: IndexDefinition,
  index: { readonly name: string; readonly columns: readonly number[]; readonly unique: boolean },
): boolean {
  return (
    index.name === name && index.unique === unique && areColumns(table, columns, index.columns)
  );
}

function isSameConstraint(
  catalog: Catalog,
  table: Table,
  definition: ConstraintDefinition,
  { name, constraint }: Extract<Transition, { kind: 'constraint_validation' }>,
): boolean {
  if (definition.name !== name) return false;
  if (definition.kind === 'not_null') {
    return constraint.kind === 'not_null' && constraint.column === definition.column_id;
  }
  if (constraint.kind !== 'foreign_key') return false;
  const { foreignKey } = constraint;
  const { foreign_key: wanted } = definition;
  return (
    foreignKey.name === wanted.name &&
    foreignKey.onDelete === (wanted.on_delete ?? 'restrict') &&
    tableById(catalog, foreignKey.refTable)?.name === wanted.ref_table &&
    areColumns(table, wanted.columns, foreignKey.columns)
  );
}

function areColumns(table: Table, names: readonly string[], ids: readonly number[]): boolean {
  if (names.length !== ids.length) return false;
  return names.every((name, i) => columnByName(table, name)?.id === ids[i]);
}
