/** The rows that a query reads, where its plan proves that it reads nothing but rows by their whole primary keys: whatever becomes of other rows is none of its business. */

import { type TableLayout, tableLayout } from '#layout';
import { type ProgramPlan, rootsOf, type ScanPlan, walkPlans } from '#planner';
import type { Scalar } from '#value';
import { isPoint } from './operators/scan/interval.ts';

/** Reading more rows one by one, to know whether they have changed, is not worth it. */
const rowsMax = 16;

interface PointRow {
  readonly layout: TableLayout;
  /** Which parameter is which member of the key. */
  readonly key: readonly number[];
}

/** By statements, which plans with other parameters share; null for what is not proven. */
const known = new WeakMap<ProgramPlan['statements'], readonly PointRow[] | null>();

/** A row that is looked for. */
export interface PointLook {
  readonly layout: TableLayout;
  /** Undefined for a look for a NULL, which finds nothing. */
  readonly key: Uint8Array | undefined;
}

/**
 * The rows, one for each look. Undefined for plans that read more, or that rest on how large tables are: those of another process may then be others.
 */
export function pointLooks(plan: ProgramPlan): readonly PointLook[] | undefined {
  if (plan.planned.length > 0) return undefined;
  let rows = known.get(plan.statements);
  if (rows === undefined) {
    rows = pointsOf(plan) ?? null;
    known.set(plan.statements, rows);
  }
  return rows?.map(({ layout, key }) => {
    const values = key.map((parameter) => plan.parameters[parameter] as Scalar);
    return { layout, key: values.includes(null) ? undefined : layout.keyOfValues(values) };
  });
}

function pointsOf({ statements }: ProgramPlan): readonly PointRow[] | undefined {
  const rows: (PointRow | undefined)[] = [];
  for (const statement of statements) {
    if (statement.kind !== 'query') return undefined;
    walkPlans(rootsOf(statement.query), (plan) => {
      if (plan.kind === 'scan') rows.push(pointOf(plan));
    });
  }
  const proven = rows.filter((row) => row !== undefined);
  return proven.length === rows.length && rows.length <= rowsMax ? proven : undefined;
}

function pointOf({ access, table }: ScanPlan): PointRow | undefined {
  if (access.kind !== 'primary' || !isPoint(access.interval, table.primaryKey.length)) {
    return undefined;
  }
  const key: number[] = [];
  for (const { value, isNull } of access.interval.prefix) {
    if (value.kind !== 'parameter' || isNull) return undefined;
    key.push(value.index);
  }
  return { layout: tableLayout(table), key };
}
