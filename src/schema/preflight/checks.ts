/** Selects the checks of a plan by table, so that each table is read once. */

import { type Catalog, type ForeignKey, type Table, tableById } from '#catalog';
import { fateOf } from '../diff/columns.ts';
import type { Difference } from '../diff/difference.ts';
import type { TablePair } from '../diff/pairs.ts';
import { immediateForeignKeyRowsMax, type MigrationPlan } from '../diff/plan.ts';
import type { Step } from '../diff/step.ts';
import type { RowCheck } from './check.ts';
import { type Counter, columnLoss, conversions, nulls, rowCount, tableLoss } from './counts.ts';
import { duplicates, isUniqueAlready } from './duplicates.ts';
import { isShortAlways, longKeys } from './long-keys.ts';
import { missingParents } from './missing-parents.ts';

export interface TableChecks {
  /** The table before the migration. */
  readonly table: Table;
  /** Checks for data that would be lost. */
  readonly destructive: readonly RowCheck[];
  /** Checks for rows that make the migration impossible. */
  readonly blocking: readonly RowCheck[];
  /** Counts rows to decide whether new foreign keys of the table are validated online; `undefined` if the table gets none. */
  readonly size: Counter | undefined;
}

/** Returns the checks. `keyBytesMax` is the memory limit for the keys of all unique indexes together. */
export function checksOf(plan: MigrationPlan, keyBytesMax: number): readonly TableChecks[] {
  const { pair, steps, addedKeys } = plan.difference;
  const needed = steps.filter((step) => !plan.matched.has(step));
  const unique = needed.filter(isUniqueBuild).length;
  const stepsOf = Map.groupBy(needed, tableIdOf);
  const keysOf = Map.groupBy(addedKeys, ({ table }) => table.id);
  const checks = [
    ...pair.deletedTables.map((table) => ({
      table,
      destructive: [tableLoss(table)],
      blocking: [],
      size: undefined,
    })),
    ...pair.tables.map((tables) =>
      checksOfTable(tables, {
        current: pair.current,
        own: stepsOf.get(tables.after.id) ?? [],
        added: keysOf.get(tables.after.id) ?? [],
        keyBytesMax: keyBytesMax / Math.max(1, unique),
      }),
    ),
  ];
  return checks.filter(
    ({ destructive, blocking, size }) =>
      destructive.length + blocking.length > 0 || size !== undefined,
  );
}

function isUniqueBuild({ action }: Step): boolean {
  return action.kind === 'start_index_build' && action.index.unique === true;
}

function tableIdOf({ action }: Step): number | undefined {
  return 'table_id' in action ? action.table_id : undefined;
}

/** The part of a plan that concerns one table. */
interface OwnPart {
  readonly current: Catalog;
  readonly own: readonly Step[];
  /** Foreign keys that are added to the table. */
  readonly added: Difference['addedKeys'];
  /** Memory limit for the keys of one unique index. */
  readonly keyBytesMax: number;
}

function checksOfTable(
  tables: TablePair,
  { current, own, added, keyBytesMax }: OwnPart,
): TableChecks {
  const { before, after } = tables;
  const started = new Set(
    own.flatMap(({ action }) => {
      if (action.kind === 'start_column_replacement') return [action.column_id];
      const isNotNull =
        action.kind === 'start_constraint_validation' && action.constraint.kind === 'not_null';
      return isNotNull ? [action.constraint.column_id] : [];
    }),
  );
  const changed = tables.columns.filter((column) => started.has(column.after.id));
  const rewritten = changed.filter((column) => fateOf(column) === 'rewritten');
  const tightened = changed.filter((column) => column.before.nullable && !column.after.nullable);
  const built = new Set(
    own.flatMap(({ action }) => (action.kind === 'start_index_build' ? [action.index.name] : [])),
  );
  const indexes = after.indexes.filter((index) => built.has(index.name));
  const unique = indexes.filter((index) => index.unique && !isUniqueAlready(tables, index));
  const long = indexes.filter((index) => !isShortAlways(tables, index));
  const keys = neededKeys(own, added);
  return {
    table: before,
    destructive: tables.deletedColumns.map((column) => columnLoss(tables, column)),
    blocking: [
      ...rewritten.map((column) => conversions(tables, column)),
      ...tightened.map((column) => nulls(tables, column.after)),
      ...unique.map((index) => duplicates(tables, index, keyBytesMax)),
      ...long.map((index) => longKeys(tables, index)),
      ...keys.map((key) => missingParents(tables, key, tableById(current, key.refTable))),
    ],
    size: keys.length > 0 ? rowCount(immediateForeignKeyRowsMax + 1) : undefined,
  };
}

/** Returns the foreign keys that are still to be created or validated. */
function neededKeys(own: readonly Step[], added: Difference['addedKeys']): readonly ForeignKey[] {
  const names = new Set(
    own.flatMap(({ action }) => {
      if (action.kind === 'create_foreign_key') return [action.foreign_key.name];
      const isKey =
        action.kind === 'start_constraint_validation' && action.constraint.kind === 'foreign_key';
      return isKey ? [action.constraint.name] : [];
    }),
  );
  return added.map(({ foreignKey }) => foreignKey).filter(({ name }) => names.has(name));
}
