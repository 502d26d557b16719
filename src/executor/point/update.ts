/** update of one row by its key: the row is read once, the new values came with the program or are computed from it. */

import type { Steps } from '#base';
import { type Column, type ForeignKey, writeProtocol } from '#catalog';
import { DatabaseError } from '#failure';
import type { MutationStatementPlan, PlanExpression } from '#planner';
import { ArithmeticFailure, type Datum, type Row } from '#value';
import { rowBytes } from '../batch/datum-bytes.ts';
import { slotBytes } from '../batch/prices.ts';
import { isIncrement } from '../mutate/increment.ts';
import { reindexRows } from '../mutate/indexes.ts';
import { checkReferences } from '../mutate/references.ts';
import { inFormat, takesNull } from '../mutate/values.ts';
import type { Writing } from '../mutate/writing.ts';
import { RowValues } from './row-values.ts';
import { findTarget, givenRow, type Target, type TargetRow, targetOf } from './target.ts';
import type { PointWrite, PointWritten } from './write.ts';

interface Assigned {
  readonly ordinal: number;
  readonly column: Column;
  readonly takesNull: boolean;
  /** Of the relation: which of its columns has the value. */
  readonly slot: number;
}

interface Update {
  readonly plan: MutationStatementPlan;
  readonly target: Target;
  readonly assigned: readonly Assigned[];
  /** The values in the order of `assigned`. */
  readonly valuesOf: (before: Row, parameters: readonly unknown[]) => readonly Datum[];
  /** Schema ids of the assigned columns. */
  readonly changed: ReadonlySet<number>;
  readonly changesIndex: boolean;
  readonly foreignKeys: readonly ForeignKey[];
}

const noRows: PointWritten = { rows: [] };

export function compileUpdate(plan: MutationStatementPlan): PointWrite | undefined {
  const { table } = plan;
  const target = targetOf(plan);
  const assigned = target && assignedBy(plan);
  if (assigned === undefined || target === undefined) return undefined;
  const changed = new Set(assigned.map(({ column }) => column.id));
  const isChanged = ({ columns }: { readonly columns: readonly number[] }) =>
    columns.some((id) => changed.has(id));
  const update = {
    plan,
    target,
    assigned,
    valuesOf: valuesOf(target, assigned),
    changed,
    changesIndex: table.indexes.some(isChanged),
    foreignKeys: writeProtocol(table).foreignKeys.filter(isChanged),
  };
  return (writing) => updateRow(writing, update);
}

function updateRow(writing: Writing, update: Update): PointWritten | undefined {
  const { target, changesIndex, foreignKeys } = update;
  const found = findTarget(writing, target);
  if (found === undefined || found === null) return found === null ? noRows : undefined;
  const row = changedRow(update, found.before, writing.run.plan.parameters);
  if (row === undefined) return undefined;
  writing.hold(slotBytes + rowBytes(row));
  writing.put(found.key, target.layout.bodyOfRow(row));
  writing.account();
  const rows = [row];
  if (!changesIndex && foreignKeys.length === 0) return { rows };
  return { rows, rest: follow(writing, update, found, rows) };
}

/** Index entries, then what the row references. */
function* follow(
  writing: Writing,
  { plan, changed, foreignKeys }: Update,
  { key, before }: TargetRow,
  rows: readonly Row[],
): Steps<void> {
  const { table } = plan;
  yield* reindexRows(writing, table, changed, { keys: [key], rows: [before] }, rows);
  for (const foreignKey of foreignKeys) yield* checkReferences(writing, table, foreignKey, rows);
}

/** Undefined if a value cannot be computed or its column refuses it: operators then report that. Faults of the server itself are not hidden. */
function changedRow(
  { plan, assigned, valuesOf }: Update,
  before: Row,
  parameters: readonly unknown[],
): Row | undefined {
  const row = [...before];
  try {
    const values = valuesOf(before, parameters);
    for (let a = 0; a < assigned.length; a++) {
      const { ordinal, column, takesNull } = assigned[a] as Assigned;
      const value = values[a] as Datum;
      if (value === null && !takesNull) return undefined;
      row[ordinal] = column.type === 'bytes' ? inFormat(plan.table, column, value, 0) : value;
    }
  } catch (error) {
    if (error instanceof ArithmeticFailure || error instanceof DatabaseError) return undefined;
    throw error;
  }
  return row;
}

/** The supplied columns outside of the primary key; undefined where a mark goes up with one. */
function assignedBy({ table, slots }: MutationStatementPlan): readonly Assigned[] | undefined {
  const assigned = table.columns.flatMap((column, ordinal) => {
    const slot = slots[ordinal] as number;
    if (slot < 0 || table.primaryKey.includes(column.id)) return [];
    return { ordinal, column, takesNull: takesNull(table, column), slot };
  });
  return assigned.some(({ column }) => isIncrement(column)) ? undefined : assigned;
}

function valuesOf(target: Target, assigned: readonly Assigned[]): Update['valuesOf'] {
  if (target.kind === 'given') {
    return (_, parameters) => {
      const row = givenRow(target, parameters) as Row;
      return assigned.map(({ slot }) => row[slot] as Datum);
    };
  }
  const { relation, ordinals } = target;
  const expressions = assigned.map(({ slot }) => relation.columns[slot] as PlanExpression);
  const values = new RowValues(expressions, ordinals);
  return (before, parameters) => values.of(before, parameters);
}
