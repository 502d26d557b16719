/**
 * update, for one row that its whole primary key names: the key and the new values came with the program, or the row is read and its values are changed by
 * arithmetic. In plain calls: operators would read such a row once more, and making them costs more than the update.
 */

import { type Column, writeProtocol } from '#catalog';
import { type TableLayout, tableLayout } from '#layout';
import type { PlanExpression, ProjectPlan, StatementPlan } from '#planner';
import type { Datum, Row, Scalar } from '#value';
import { rowBytes } from '../batch/datum-bytes.ts';
import { slotBytes } from '../batch/prices.ts';
import { operationOf } from '../kernels/arithmetic.ts';
import { RowDecoder } from '../operators/scan/row-decoder.ts';
import { isIncrement } from './increment.ts';
import { takesNull } from './values.ts';
import type { Writing } from './writing.ts';

type MutationPlan = Extract<StatementPlan, { kind: 'create' | 'update' | 'delete' }>;

/** Of the row as it was, in catalog order, and of what came with the program. Throws where the operators would. */
type ValueOf = (before: Row, parameters: readonly unknown[]) => Datum;

interface Assigned {
  readonly ordinal: number;
  readonly takesNull: boolean;
  readonly value: ValueOf;
}

interface OneWay {
  readonly layout: TableLayout;
  /** The members of the key, in key order. */
  readonly key: readonly ValueOf[];
  readonly assigned: readonly Assigned[];
  /** Which parameter holds the rows, of which there may be others than one; undefined when the row is read. */
  readonly rowsAt: number | undefined;
}

/** By statement; null for what is not done here. */
const ways = new WeakMap<MutationPlan, OneWay | null>();

const none: readonly Row[] = [];
const noRow: Row = [];

/**
 * The rows that were updated, written; undefined, with nothing written, for what is not done here, when something that is read has to be waited for, and
 * whenever there is something to refuse: operators say what.
 */
export function updateOne(writing: Writing, plan: MutationPlan): readonly Row[] | undefined {
  const { context, plan: program } = writing.run;
  const { parameters, planned } = program;
  // Where something is estimated, what operators count is compared with it.
  const needsOperators = planned.length > 0 || context.trace?.isDetailed === true;
  const way = needsOperators ? undefined : wayOf(plan);
  if (way === undefined) return undefined;
  const { rowsAt, layout } = way;
  if (rowsAt !== undefined && (parameters[rowsAt] as readonly Row[]).length !== 1) return undefined;
  const values = way.key.map((member) => member(noRow, parameters) as Scalar);
  const isRead = rowsAt === undefined;
  if (values.includes(null)) return isRead ? none : undefined;
  const key = layout.keyOfValues(values);
  const found = writing.transaction.find(key);
  if (found === undefined) return isRead ? none : undefined;
  if (found instanceof Promise) return undefined;
  const before = new RowDecoder(plan.table, plan.table.columns).rowOf(key, found);
  const row = changed(before, way.assigned, parameters);
  if (row === undefined) return undefined;
  writing.hold(2 * slotBytes + rowBytes(before) + rowBytes(row));
  writing.holdKey(key);
  writing.put(key, layout.bodyOfRow(row));
  writing.account();
  return [row];
}

/** Undefined when a value cannot be computed, or may not stand in its column. */
function changed(
  before: Row,
  assigned: readonly Assigned[],
  parameters: readonly unknown[],
): Row | undefined {
  const row = [...before];
  try {
    for (let a = 0; a < assigned.length; a++) {
      const { ordinal, takesNull, value } = assigned[a] as Assigned;
      const after = value(before, parameters);
      if (after === null && !takesNull) return undefined;
      row[ordinal] = after;
    }
  } catch {
    return undefined;
  }
  return row;
}

function wayOf(plan: MutationPlan): OneWay | undefined {
  let way = ways.get(plan);
  if (way === undefined) {
    way = compile(plan) ?? null;
    ways.set(plan, way);
  }
  return way ?? undefined;
}

/** Tables under a transition, and columns that something else follows from, are written to step by step. */
function compile(plan: MutationPlan): OneWay | undefined {
  const { kind, query, table, slots } = plan;
  const { building, shadows, violations, foreignKeys } = writeProtocol(table);
  if (kind !== 'update' || query.bindings.length > 0) return undefined;
  if (building.length + shadows.length + violations.length > 0) return undefined;
  const source = sourceOf(plan);
  if (source === undefined) return undefined;
  const assigned: Assigned[] = [];
  for (let ordinal = 0; ordinal < table.columns.length; ordinal++) {
    const column = table.columns[ordinal] as Column;
    const slot = slots[ordinal] as number;
    if (slot < 0 || table.primaryKey.includes(column.id)) continue;
    const isFollowed = [...table.indexes, ...foreignKeys].some(({ columns }) =>
      columns.includes(column.id),
    );
    const value = source.value(slot);
    if (isFollowed || isIncrement(column) || column.type === 'bytes') return undefined;
    if (value === undefined) return undefined;
    assigned.push({ ordinal, takesNull: takesNull(table, column), value });
  }
  const { key, rowsAt } = source;
  return { layout: tableLayout(table), key, assigned, rowsAt };
}

interface Source {
  readonly key: readonly ValueOf[];
  readonly rowsAt: number | undefined;
  /** What the relation gives in this column; undefined for what is not computed here. */
  value(slot: number): ValueOf | undefined;
}

function sourceOf(plan: MutationPlan): Source | undefined {
  const { root } = plan.query;
  if (root.kind === 'project') return readSource(plan, root);
  if (root.kind !== 'rows') return undefined;
  const { parameter } = root;
  const cellOf =
    (slot: number): ValueOf =>
    (_, parameters) =>
      ((parameters[parameter] as readonly Row[])[0] as Row)[slot] as Datum;
  const key = tableLayout(plan.table).keyOrdinals.map((at) => cellOf(plan.slots[at] as number));
  return { key, rowsAt: parameter, value: cellOf };
}

/** Of the row that is read: the primary key as it is, and values computed from the others. */
function readSource(
  { table, slots }: MutationPlan,
  { input: scan, expressions }: ProjectPlan,
): Source | undefined {
  if (scan.kind !== 'scan' || scan.table !== table || scan.access.kind !== 'primary')
    return undefined;
  const parameters = scan.point?.parameters;
  if (parameters === undefined) return undefined;
  const ordinals = scan.columns.map(({ id }) => table.columns.findIndex((of) => of.id === id));
  for (const ordinal of tableLayout(table).keyOrdinals) {
    const named = expressions[slots[ordinal] as number];
    if (named?.kind !== 'column' || ordinals[named.slot] !== ordinal) return undefined;
  }
  const key = parameters.map(
    (index): ValueOf =>
      (_, parameters) =>
        parameters[index] as Datum,
  );
  const value = (slot: number) => computed(expressions[slot] as PlanExpression, ordinals);
  return { key, rowsAt: undefined, value };
}

/** `ordinals`: of the columns that the expression counts by slot. */
function computed(expression: PlanExpression, ordinals: readonly number[]): ValueOf | undefined {
  switch (expression.kind) {
    case 'parameter': {
      const { index } = expression;
      return (_, parameters) => parameters[index] as Datum;
    }
    case 'column': {
      const ordinal = ordinals[expression.slot] as number;
      return (before) => before[ordinal] as Datum;
    }
    case 'arithmetic': {
      const left = computed(expression.left, ordinals);
      const right = computed(expression.right, ordinals);
      if (left === undefined || right === undefined) return undefined;
      const both = operationOf(expression.op, expression.type.kind === 'float64');
      return (before, parameters) => {
        const a = left(before, parameters);
        const b = right(before, parameters);
        return a === null || b === null ? null : both(a, b);
      };
    }
    default:
      return undefined;
  }
}
