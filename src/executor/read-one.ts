/**
 * A query that reads one row by its primary key and does nothing but choose columns of it, as nearly every read has it: in plain calls. Operators and
 * batches would cost such a row more than finding it.
 */

import type { Column } from '#catalog';
import { type TableLayout, tableLayout } from '#layout';
import type { PlanExpression, QueryPlan, ScanPlan } from '#planner';
import type { Row, Scalar } from '#value';
import { rowBytes } from './batch/datum-bytes.ts';
import { slotBytes } from './batch/prices.ts';
import { RowDecoder } from './operators/scan/row-decoder.ts';
import type { ProgramRun } from './program-run.ts';
import { Site } from './site.ts';

interface OneWay {
  readonly scan: ScanPlan;
  readonly layout: TableLayout;
  /** Which parameter is which member of the key. */
  readonly key: readonly number[];
  /** Of the row, in output order. */
  readonly columns: readonly Column[];
}

/** By query; null for what is not done here. */
const ways = new WeakMap<QueryPlan, OneWay | null>();

const none: readonly Row[] = [];

/** Undefined for queries that are not run here. */
export function oneWay(query: QueryPlan, { plan, context }: ProgramRun): OneWay | undefined {
  // Where something is estimated, what operators count is compared with it; what a transaction remembers of its reads is in account of them.
  if (plan.planned.length > 0 || context.transaction !== undefined) return undefined;
  // Operators are what a detailed trace tells of.
  return context.trace?.isDetailed === true ? undefined : wayOf(query);
}

/** What the query gives, in account of the statement; undefined when something that is read has to be waited for. */
export function readOne(way: OneWay, run: ProgramRun): readonly Row[] | undefined {
  const values: Scalar[] = [];
  for (const parameter of way.key) {
    const value = run.plan.parameters[parameter] as Scalar;
    if (value === null) return none;
    values.push(value);
  }
  const key = way.layout.keyOfValues(values);
  const found = run.context.view.find(key);
  if (found === undefined) return none;
  if (found instanceof Promise) return undefined;
  const { id, table } = way.scan;
  const row = new RowDecoder(table, way.columns).rowOf(key, found);
  run.memory.holding(new Site('scan', id, { table: table.name })).resize(rowsBytes([row]));
  return [row];
}

export function rowsBytes(rows: readonly Row[]): number {
  return rows.reduce((sum, row) => sum + slotBytes + rowBytes(row), 0);
}

function wayOf(query: QueryPlan): OneWay | undefined {
  let way = ways.get(query);
  if (way === undefined) {
    way = compile(query) ?? null;
    ways.set(query, way);
  }
  return way ?? undefined;
}

function compile({ bindings, root }: QueryPlan): OneWay | undefined {
  const scan = root.kind === 'project' ? root.input : root;
  if (bindings.length > 0 || scan.kind !== 'scan') return undefined;
  const { access, table, columns } = scan;
  const key = access.kind === 'primary' ? scan.point?.parameters : undefined;
  const slots = root.kind === 'project' ? root.expressions.map(slotOf) : columns.keys();
  const chosen = [...slots].map((slot) => columns[slot]);
  if (key === undefined || chosen.includes(undefined)) return undefined;
  return { scan, layout: tableLayout(table), key, columns: chosen as Column[] };
}

/** -1: not a column as it is. */
function slotOf(expression: PlanExpression): number {
  return expression.kind === 'column' ? expression.slot : -1;
}
