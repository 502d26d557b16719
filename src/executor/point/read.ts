/** Compiles a query of one row by its primary key or a unique index that only selects columns of it, the form of nearly every read. */

import type { Column } from '#catalog';
import type { PlanExpression, QueryPlan } from '#planner';
import type { Row } from '#value';
import { rowBytes } from '../batch/datum-bytes.ts';
import { slotBytes } from '../batch/memory-costs.ts';
import { OperatorProfile } from '../operator-profile.ts';
import { RowDecoder } from '../operators/scan/row-decoder.ts';
import type { ProgramRun } from '../program-run.ts';
import { type PointRelation, pointRelation, rowKeyOf } from './relation.ts';

export interface PointRead {
  /** The operator to which the memory of the rows is charged. */
  readonly site: OperatorProfile;
  /** Returns the rows; undefined if the read would have to wait. */
  readonly rows: (run: ProgramRun) => readonly Row[] | undefined;
}

const none: readonly Row[] = [];

export function compileRead(query: QueryPlan): PointRead | undefined {
  const relation = pointRelation(query);
  if (relation === undefined) return undefined;
  const columns = columnsOf(relation);
  if (columns === undefined) return undefined;
  const { scan, index } = relation;
  const site = new OperatorProfile('scan', scan.id, {
    table: scan.table.name,
    index: index?.index.name,
  });
  return { site, rows: (run) => readRow(relation, columns, run) };
}

export function rowsBytes(rows: readonly Row[]): number {
  return rows.reduce((sum, row) => sum + slotBytes + rowBytes(row), 0);
}

function readRow(
  relation: PointRelation,
  columns: readonly Column[],
  run: ProgramRun,
): readonly Row[] | undefined {
  const { view } = run.context;
  const key = rowKeyOf(relation, view, run.plan.parameters);
  if (key === undefined) return none;
  if (key instanceof Promise) return undefined;
  const found = view.find(key);
  if (found === undefined) return none;
  if (found instanceof Promise) return undefined;
  return [new RowDecoder(relation.scan.table, columns).rowOf(key, found)];
}

/** Returns the columns that the relation selects; undefined if it computes a value. */
function columnsOf({ scan, columns }: PointRelation): readonly Column[] | undefined {
  const chosen = columns.flatMap((of: PlanExpression) =>
    of.kind === 'column' ? (scan.columns[of.columnIndex] as Column) : [],
  );
  return chosen.length === columns.length ? chosen : undefined;
}
