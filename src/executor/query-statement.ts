/** Runs the relation of a query statement until it is exhausted, and stores the rows that later statements or the client will read. */

import type { Steps } from '#base';
import { fail } from '#failure';
import type { Cardinality } from '#lir';
import type { QueryPlan, StatementPlan } from '#planner';
import type { Row } from '#value';
import type { Batch } from './batch/batch.ts';
import { rowBytes } from './batch/datum-bytes.ts';
import type { Sequence } from './batch/long-list.ts';
import { slotBytes } from './batch/memory-costs.ts';
import { rowAt } from './batch/row-store.ts';
import { drainQuery } from './drain-query.ts';
import type { OperatorProfile } from './operator-profile.ts';
import type { ProgramResult, StatementOutcome } from './outcome.ts';
import { rowsBytes } from './point/read.ts';
import { pointRead } from './point/statement.ts';
import type { ProgramRun } from './program-run.ts';
import { listRows } from './spill/list-rows.ts';
import { type Pause, RowList } from './spill/row-list.ts';

export interface StatementEnd {
  readonly outcome: StatementOutcome;
  /** Result of the statement if the program selects it. */
  readonly result: ProgramResult | undefined;
}

const noSites: readonly OperatorProfile[] = [];
const none: readonly Row[] = [];

export function* queryStatement(
  plan: Extract<StatementPlan, { kind: 'query' }>,
  run: ProgramRun,
): Steps<StatementEnd> {
  const { name, query, cardinality } = plan;
  const isResult = run.plan.result === name;
  const sink = isResult && cardinality === 'many' ? run.context.sink : undefined;
  const read = pointRead(plan, run);
  if (read !== undefined) {
    const pause = run.budget.pause(query.parts);
    if (pause !== undefined) yield pause;
    const only = read.rows(run);
    if (only !== undefined) {
      if (isReadLater(plan, run))
        yield* keepRows(listOf({ name, output: query.output }, run, read.site), only, run);
      const full = sink !== undefined && only.length > 0 && sink.take(only, query.output);
      if (full instanceof Promise) yield full;
      return endOfOne(plan, { found: only.length, rows: sink ? none : only }, read.site, run);
    }
  }
  const rows: Row[] = [];
  let count = 0;
  let bytes = 0;
  const operators = yield* drainQuery(
    query,
    run,
    (batch) => {
      count += batch.count;
      if (sink !== undefined)
        return batch.count > 0 ? (sink.take(rowsOf(batch), query.output) ?? 0) : 0;
      if (isResult) bytes += takeRows(batch, rows);
      return bytes;
    },
    isReadLater(plan, run)
      ? (site) => listOf({ name, output: query.output }, run, site)
      : undefined,
  );
  run.keep(bytes + (run.results.get(name)?.bytes ?? 0));
  const outcome = { name, affected: count, operators };
  if (!isResult) return { outcome, result: undefined };
  const shaped = shapedRows(rows, cardinality);
  return { outcome, result: { columns: query.output, rows: shaped, cardinality } };
}

/** Returns the outcome and result of a statement that has found at most one row without operators. `rows` are those that the sink has not taken. */
function endOfOne(
  plan: Extract<StatementPlan, { kind: 'query' }>,
  { found, rows }: { readonly found: number; readonly rows: readonly Row[] },
  site: OperatorProfile,
  run: ProgramRun,
): StatementEnd {
  const { name, query, cardinality } = plan;
  const bytes = rowsBytes(rows);
  // The record of reads of the transaction counts as memory of the statement.
  run.memory.reservation(site).resize(bytes + run.transactionBytes);
  const outcome = { name, affected: found, operators: noSites };
  if (run.plan.result !== name) return { outcome, result: undefined };
  run.keep(bytes);
  const result = { columns: query.output, rows: shapedRows(rows, cardinality), cardinality };
  return { outcome, result };
}

/** Returns whether a later statement may read the rows. The result of the program does not count. */
export function isReadLater(plan: StatementPlan, run: ProgramRun): boolean {
  return plan.isReferenced && run.plan.statements.at(-1) !== plan;
}

function pauseOf({ budget }: ProgramRun): Pause {
  return (work) => budget.pause(work);
}

/** Adds rows to `list`, the result of a statement, and keeps their memory accounted. */
function* keepRows(list: RowList, rows: Sequence<Row>, run: ProgramRun): Steps<void> {
  yield* listRows(list, rows, pauseOf(run));
  run.keep(list.bytes);
}

/** Returns the list of the rows of a statement, which later statements read. */
export function listOf(
  { name, output }: { readonly name: string; readonly output: QueryPlan['output'] },
  run: ProgramRun,
  site: OperatorProfile,
): RowList {
  const list = new RowList(
    output.map((column) => column.type),
    run.memory,
    site,
  );
  run.results.set(name, list);
  return list;
}

/** Appends the rows of a batch; returns the bytes that they take. */
function takeRows(batch: Batch, rows: Row[]): number {
  let bytes = 0;
  for (const row of rowsOf(batch)) {
    bytes += slotBytes + rowBytes(row);
    rows.push(row);
  }
  return bytes;
}

function rowsOf({ columns, selection, count }: Batch): readonly Row[] {
  const rows: Row[] = [];
  for (let i = 0; i < count; i++) rows.push(rowAt(columns, selection[i] as number));
  return rows;
}

function shapedRows(rows: readonly Row[], cardinality: Cardinality): readonly Row[] {
  if (cardinality === 'many') return rows;
  if (cardinality === 'exactly_one' && rows.length !== 1) {
    const got = rows.length === 0 ? 'none' : 'more';
    throw fail('cardinality_violation', `expected exactly one row, got ${got}`);
  }
  return rows.slice(0, 1);
}
