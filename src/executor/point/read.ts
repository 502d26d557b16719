/** Compiles a query of one row by its primary key or a unique index that only selects columns of it, the form of nearly every read. */

import type { Column } from '#catalog';
import { DatabaseError } from '#failure';
import type { QueryPlan } from '#planner';
import { type Datum, EvaluationFailure, type Row } from '#value';
import { rowBytes } from '../batch/datum-bytes.ts';
import { slotBytes } from '../batch/memory-costs.ts';
import { OperatorProfile } from '../operator-profile.ts';
import { RowDecoder } from '../operators/scan/row-decoder.ts';
import type { ProgramRun } from '../program-run.ts';
import { type PointRelation, pointRelation, rowKeyOf } from './relation.ts';
import { rowTest } from './row-test.ts';

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
  const chosen = columnIndexesOf(relation);
  if (chosen === undefined) return undefined;
  const { scan, index } = relation;
  const site = new OperatorProfile('scan', scan.id, {
    table: scan.table.name,
    index: index?.index.name,
  });
  const columns = chosen.map((columnIndex) => scan.columns[columnIndex] as Column);
  const tested = testedRow(relation, chosen);
  return {
    site,
    rows: (run) =>
      tested === undefined
        ? readRow(relation, columns, run)
        : tested(readRow(relation, scan.columns, run), run),
  };
}

type ReadTest = (rows: readonly Row[] | undefined, run: ProgramRun) => readonly Row[] | undefined;

/** Returns the test of the row, which returns the chosen columns; undefined if the relation has no condition. */
function testedRow(
  { scan, predicate }: PointRelation,
  chosen: readonly number[],
): ReadTest | undefined {
  if (predicate === undefined) return undefined;
  const test = rowTest([predicate], [...scan.columns.keys()]);
  return (rows, { plan }) => {
    const row = rows?.[0];
    if (row === undefined) return rows;
    try {
      if (!test(row, plan.parameters)) return none;
      return [chosen.map((columnIndex) => row[columnIndex] as Datum)];
    } catch (error) {
      // Operators report the failure.
      if (error instanceof EvaluationFailure || error instanceof DatabaseError) return undefined;
      throw error;
    }
  };
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

/** Returns the columns of the scan that the relation selects; undefined if it computes a value. */
function columnIndexesOf({ columns }: PointRelation): readonly number[] | undefined {
  const chosen = columns.flatMap((of) => (of.kind === 'column' ? of.columnIndex : []));
  return chosen.length === columns.length ? chosen : undefined;
}
