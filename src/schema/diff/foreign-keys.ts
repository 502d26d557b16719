/** Steps for foreign keys created or deleted in tables that exist in both schemas. A changed key is deleted and created again. */

import {
  type Catalog,
  columnByName,
  type ForeignKey,
  foreignKeyByName,
  type Table,
} from '#catalog';
import { foreignKeyDefinition } from './definitions.ts';
import { inTable, type Step, step } from './step.ts';

interface ForeignKeyDifference {
  readonly deleted: readonly ForeignKey[];
  readonly created: readonly ForeignKey[];
}

/** Returns the difference of the keys. `renamed` is the current table after all renames, which generated names follow. */
export function foreignKeyDifference(renamed: Table, after: Table): ForeignKeyDifference {
  const isKept = (key: ForeignKey, others: Table) => {
    const other = foreignKeyByName(others, key.name);
    return other !== undefined && identityOf(other) === identityOf(key);
  };
  return {
    deleted: renamed.foreignKeys.filter((key) => !isKept(key, after)),
    created: after.foreignKeys.filter((key) => !isKept(key, renamed)),
  };
}

/** Returns the properties of a key in which a change matters. The referenced columns are always the primary key of the referenced table, which never changes. */
function identityOf({ columns, refTable, onDelete }: ForeignKey): string {
  return JSON.stringify([columns, refTable, onDelete]);
}

export function deleteForeignKeySteps(
  { id, name }: Table,
  deleted: readonly ForeignKey[],
): readonly Step[] {
  return deleted.map((key) => {
    const summary = `delete foreign key ${key.name} on ${name}`;
    return step(summary, inTable(name), {
      kind: 'delete_foreign_key',
      table_id: id,
      foreign_key: key.name,
    });
  });
}

/** Returns steps that create keys immediately and check all rows in the commit. */
export function createForeignKeySteps(
  desired: Catalog,
  table: Table,
  created: readonly ForeignKey[],
): readonly Step[] {
  return created.map((key) => {
    const summary = `create foreign key ${key.name} on ${table.name}`;
    const foreign_key = foreignKeyDefinition(desired, table, key);
    return step(summary, inTable(table.name), {
      kind: 'create_foreign_key',
      table_id: table.id,
      foreign_key,
    });
  });
}

/** Returns steps that validate keys while programs continue to use the table. Each waits for the earlier starts that affect a column of its key. */
export function validateForeignKeySteps(
  desired: Catalog,
  table: Table,
  created: readonly ForeignKey[],
  earlier: readonly Step[],
): readonly Step[] {
  const starts = [...earlier];
  for (const key of created) {
    const summary = `validate foreign key ${key.name} on ${table.name}`;
    const constraint = {
      name: key.name,
      kind: 'foreign_key',
      foreign_key: foreignKeyDefinition(desired, table, key),
      prerequisites: [],
    } as const;
    const after = starts.filter((start) => touches(start, table, key.columns));
    const action = { kind: 'start_constraint_validation', table_id: table.id, constraint } as const;
    starts.push(step(summary, inTable(table.name), action, after));
  }
  return starts.slice(earlier.length);
}

function touches({ action }: Step, table: Table, columns: readonly number[]): boolean {
  if (!('table_id' in action) || action.table_id !== table.id) return false;
  switch (action.kind) {
    case 'start_column_replacement':
      return columns.includes(action.column_id);
    case 'start_constraint_validation': {
      const { constraint } = action;
      if (constraint.kind === 'not_null') return columns.includes(constraint.column_id);
      return constraint.foreign_key.columns.some((name) =>
        columns.includes(columnByName(table, name)?.id ?? -1),
      );
    }
    default:
      return false;
  }
}
