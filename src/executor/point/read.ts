/** A query of one row by its primary key or a unique index that does nothing but choose columns of it, as nearly every read has it. */

import type { Column } from '#catalog';
import type { PlanExpression, QueryPlan } from '#planner';
import type { Row } from '#value';
import { rowBytes } from '../batch/datum-bytes.ts';
import { slotBytes } from '../batch/prices.ts';
import { RowDecoder } from '../operators/scan/row-decoder.ts';
import type { ProgramRun } from '../program-run.ts';
import { Site } from '../site.ts';
import { type PointRelation, pointRelation, rowKeyOf } from './relation.ts';

export interface PointRead {
  /** The operator that the memory of the rows belongs to. */
  readonly site: Site;
  /** The rows; undefined when something that is read has to be waited for. */
  readonly rows: (run: ProgramRun) => readonly Row[] | undefined;
}

const none: readonly Row[] = [];

export function compileRead(query: QueryPlan): PointRead | undefined {
  const relation = pointRelation(query);
  if (relation === undefined) return undefined;
  const columns = columnsOf(relation);
  if (columns === undefined) return undefined;
  const { scan, index } = relation;
  const site = new Site('scan', scan.id, { table: scan.table.name, index: index?.index.name });
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

/** Undefined where a value is computed. */
function columnsOf({ scan, columns }: PointRelation): readonly Column[] | undefined {
  const chosen = columns.flatMap((of: PlanExpression) =>
    of.kind === 'column' ? (scan.columns[of.columnIndex] as Column) : [],
  );
  return chosen.length === columns.length ? chosen : undefined;
}
