/** Starts a transition, as a pure function from catalog to catalog with the rules of docs/pir.md §7. */

import { unreachable } from '#base';
import { fail } from '#failure';
import { PhysicalIds, requireColumn, requireTable, withTable } from '../change/change.ts';
import { checkColumn } from '../change/column-record.ts';
import { isIncrement, isSameDefault } from '../change/default.ts';
import { foreignKeyRecord, indexRecord, typeTrouble } from '../change/member-record.ts';
import { requireName } from '../change/name.ts';
import type {
  ConstraintDefinition,
  IndexDefinition,
  ReplacementDefinition,
  TransitionStart,
} from '../definition.ts';
import { columnsOf, tableById, tableByName } from '../lookup.ts';
import { requireColumnUnread } from '../policy/uses.ts';
import type { Catalog, Table } from '../table.ts';
import type { Column, ForeignKey } from '../table-parts.ts';
import { checkAdmission, checkPrerequisites, isWaiting } from './admission.ts';
import { ended, replaceColumn } from './move.ts';
import type { TransitionRecord } from './record.ts';
import { namesOf } from './subject.ts';
import { objectIdOf, type Transition, type TransitionGoal } from './transition.ts';

interface StartedTransition {
  readonly catalog: Catalog;
  readonly record: TransitionRecord;
}

/** Starts a transition. `after`: ids of transitions that the same program has started and that must become ready first. Throws `invalid`, or `schema_violation` for a default. */
export function startTransition(
  catalog: Catalog,
  start: TransitionStart,
  after: readonly number[],
): StartedTransition {
  const table = requireTable(catalog, start.table_id);
  const prerequisites = checkPrerequisites(catalog, prerequisitesOf(start), after);
  const waits = isWaiting(catalog, prerequisites);
  const ids = new PhysicalIds(catalog);
  const id = ids.next();
  const goal = goalOf(catalog, table, start, ids);
  checkAdmission(table, goal, prerequisites);
  const grown = { ...catalog, physicalIdMax: ids.max };
  requireCellsUnread(catalog, table, goal, waits);
  if (!waits) {
    const trouble = troubleAtActivation(grown, table, goal);
    if (trouble !== undefined) throw fail('invalid', trouble);
    const relaxed = relaxedColumn(table, goal);
    if (relaxed !== undefined) {
      const published = withTable(grown, replaceColumn(table, relaxed));
      const after = ended(published, { id, state: 'ready' });
      const names = namesOf(table, goal);
      const record = { ...newRecord(goal, { id, state: 'ready', prerequisites }), names };
      return { catalog: { ...after, version: catalog.version + 1 }, record };
    }
  }
  const state = waits ? 'waiting' : 'building';
  const transition: Transition = { ...goal, id, state, prerequisites };
  const transitions = [...(table.transitions ?? []), transition];
  const after_ = withTable(grown, { ...table, transitions });
  return { catalog: after_, record: newRecord(goal, { id, state, prerequisites }) };
}

/** Throws `invalid` if a policy reads the cells that the transition converts. A replacement that waits may have to convert cells when it becomes active. */
function requireCellsUnread(
  catalog: Catalog,
  table: Table,
  goal: TransitionGoal,
  waits: boolean,
): void {
  if (goal.kind !== 'column_replacement') return;
  if (!waits && relaxedColumn(table, goal) !== undefined) return;
  const column = requireColumn(table, goal.column);
  requireColumnUnread(catalog, table, column, `column "${column.name}" cannot be replaced`);
}

function newRecord(
  goal: TransitionGoal,
  { id, state, prerequisites }: Pick<TransitionRecord, 'id' | 'state' | 'prerequisites'>,
): TransitionRecord {
  const { kind } = goal;
  const object = objectIdOf(goal);
  return { id, kind, object, state, generation: 1, epoch: 0, prerequisites, rowsScanned: 0 };
}

function prerequisitesOf(start: TransitionStart): readonly string[] {
  switch (start.kind) {
    case 'start_index_build':
      return start.prerequisites ?? [];
    case 'start_column_replacement':
      return start.replacement.prerequisites ?? [];
    case 'start_constraint_validation':
      return start.constraint.prerequisites ?? [];
    default:
      return unreachable(start);
  }
}

function goalOf(
  catalog: Catalog,
  table: Table,
  start: TransitionStart,
  ids: PhysicalIds,
): TransitionGoal {
  switch (start.kind) {
    case 'start_index_build':
      return indexGoal(table, start.index, ids);
    case 'start_column_replacement':
      return replacementGoal(requireColumn(table, start.column_id), start.replacement, ids);
    case 'start_constraint_validation':
      return constraintGoal(catalog, table, start.constraint, ids);
    default:
      return unreachable(start);
  }
}

function indexGoal(table: Table, definition: IndexDefinition, ids: PhysicalIds): TransitionGoal {
  return { kind: 'index_build', index: indexRecord(table, definition, () => ids.next()) };
}

function replacementGoal(
  column: Column,
  definition: ReplacementDefinition,
  ids: PhysicalIds,
): TransitionGoal {
  const { id, name } = column;
  const { type, nullable, format, default: given } = definition;
  const checked = checkColumn({
    name,
    type,
    nullable,
    ...(format !== undefined && { format }),
    ...(given !== undefined && { default: given }),
  });
  if (!isSameDefault(column.default, checked.default)) {
    if (isIncrement(column.default) || isIncrement(checked.default)) {
      throw fail('invalid', `increment generator on column "${name}" is immutable`);
    }
  }
  const target = { id, physicalId: ids.next(), ...checked };
  return { kind: 'column_replacement', column: id, target };
}

function constraintGoal(
  catalog: Catalog,
  table: Table,
  definition: ConstraintDefinition,
  ids: PhysicalIds,
): TransitionGoal {
  const { name } = definition;
  requireName(name, 'constraint');
  requireFreeConstraintName(table, name);
  const physicalId = ids.next();
  const kind = 'constraint_validation';
  if (definition.kind === 'not_null') {
    const { id } = requireColumn(table, definition.column_id);
    return { kind, name, physicalId, constraint: { kind: 'not_null', column: id } };
  }
  const { foreign_key: key } = definition;
  const target = key.ref_table === table.name ? table : tableByName(catalog, key.ref_table);
  const foreignKey = foreignKeyRecord(table, target, key, () => ids.next(), 'later');
  return { kind, name, physicalId, constraint: { kind: 'foreign_key', foreignKey } };
}

function requireFreeConstraintName(table: Table, name: string): void {
  const isTaken = table.transitions?.some(
    (transition) => transition.kind === 'constraint_validation' && transition.name === name,
  );
  if (isTaken === true) {
    throw fail('invalid', `duplicate constraint name: "${name}" is already being validated`);
  }
}

/**
 * Returns the reason for which a transition cannot become active on the current table; `undefined` if it can. The condition is checked at the
 * start, or when waiting ends.
 */
export function troubleAtActivation(
  catalog: Catalog,
  table: Table,
  goal: TransitionGoal,
): string | undefined {
  switch (goal.kind) {
    case 'index_build':
      return undefined;
    case 'column_replacement':
      return troubleOfReplacement(catalog, table, goal);
    case 'constraint_validation':
      return goal.constraint.kind === 'not_null'
        ? troubleOfNotNull(table, goal.constraint.column)
        : troubleOfForeignKey(catalog, table, goal.constraint.foreignKey);
  }
}

/** Checks a column replacement. Keys and indexes need the cells of the column. If the cells stay unchanged, the only rule is that a primary key column remains not nullable. */
function troubleOfReplacement(
  catalog: Catalog,
  table: Table,
  goal: Extract<TransitionGoal, { kind: 'column_replacement' }>,
): string | undefined {
  const { column: id, target } = goal;
  const column = requireColumn(table, id);
  const isFree =
    relaxedColumn(table, goal) !== undefined && !(target.nullable && table.primaryKey.includes(id));
  const user = isFree ? undefined : userOf(catalog, table, id);
  if (user !== undefined) {
    return `column "${column.name}" cannot be replaced: it is used by ${user}`;
  }
  if (isSameColumn(column, target)) {
    return `column "${column.name}" already has the definition of its replacement`;
  }
  return undefined;
}

function userOf(catalog: Catalog, table: Table, id: number): string | undefined {
  if (table.primaryKey.includes(id)) return 'the primary key';
  const index = table.indexes.find(({ columns }) => columns.includes(id));
  if (index !== undefined) return `the index "${index.name}"`;
  const key = table.foreignKeys.find(({ columns }) => columns.includes(id));
  if (key !== undefined) return `the foreign key "${key.name}"`;
  for (const other of catalog.tables) {
    const inbound = other.foreignKeys.find(
      ({ refTable, refColumns }) => refTable === table.id && refColumns.includes(id),
    );
    if (inbound !== undefined) return `the foreign key "${inbound.name}" of table "${other.name}"`;
  }
  return undefined;
}

/** Returns whether two columns are equal in all properties that a replacement can change. */
export function isSameColumn(left: Column, right: Column): boolean {
  return (
    left.type === right.type &&
    left.nullable === right.nullable &&
    left.format === right.format &&
    isSameDefault(left.default, right.default)
  );
}

function troubleOfNotNull(table: Table, id: number): string | undefined {
  const column = requireColumn(table, id);
  if (!column.nullable) return `column "${column.name}" is already not nullable`;
  const key = table.foreignKeys.find(
    ({ columns, onDelete }) => onDelete === 'set_null' && columns.includes(id),
  );
  return key && `column "${column.name}" must stay nullable: foreign key "${key.name}" clears it`;
}

function troubleOfForeignKey(catalog: Catalog, table: Table, key: ForeignKey): string | undefined {
  const refTable = tableById(catalog, key.refTable);
  if (refTable === undefined) {
    return `foreign key "${key.name}" references a table that no longer exists`;
  }
  const strict = columnsOf(table, key.columns).find(({ nullable }) => !nullable);
  if (key.onDelete === 'set_null' && strict !== undefined) {
    return `foreign key "${key.name}": set_null needs the column "${strict.name}" to be nullable`;
  }
  return typeTrouble(table, refTable, key);
}

/** Returns the column after a replacement that leaves every stored cell unchanged (docs/migrations.md); `undefined` if cells must be converted or checked. */
export function relaxedColumn(table: Table, goal: TransitionGoal): Column | undefined {
  if (goal.kind !== 'column_replacement') return undefined;
  const column = requireColumn(table, goal.column);
  const { type, identifierFormat, nullable } = goal.target;
  const hasSameCells = column.type === type && column.identifierFormat === identifierFormat;
  if (!hasSameCells || (column.nullable && !nullable)) return undefined;
  const { physicalId, missing } = column;
  return { ...goal.target, physicalId, missing };
}
