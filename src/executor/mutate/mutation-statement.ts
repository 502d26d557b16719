/** Runs a mutation: first its whole relation, so that it never reads its own effects, then one set of changes. */

import type { Steps } from '#base';
import type { StatementPlan } from '#planner';
import type { Row } from '#value';
import { rowBytes } from '../batch/datum-bytes.ts';
import type { Sequence } from '../batch/long-list.ts';
import { slotBytes } from '../batch/memory-costs.ts';
import type { OperatorProfile } from '../operator-profile.ts';
import { pointWrite } from '../point/statement.ts';
import type { PointWrite, PointWritten } from '../point/write.ts';
import type { ProgramRun } from '../program-run.ts';
import {
  drainQuery,
  isReadLater,
  keepRows,
  listOf,
  type StatementEnd,
  storeOf,
} from '../query-statement.ts';
import { createRows, givenRows } from './create.ts';
import { deleteRows } from './delete.ts';
import { MutationContext } from './mutation-context.ts';
import { insertRows, rowChange } from './row-change.ts';
import { updateRows } from './update.ts';

type MutationPlan = Extract<StatementPlan, { kind: 'create' | 'update' | 'delete' }>;

const appliers = { create: createRows, update: updateRows, delete: deleteRows };

export function* mutationStatement(plan: MutationPlan, run: ProgramRun): Steps<StatementEnd> {
  const { name } = plan;
  const write = pointWrite(plan, run);
  const pause = write && run.budget.pause(plan.query.parts);
  if (pause !== undefined) yield pause;
  const point = write && writePoint(write, plan, run);
  if (point?.rest !== undefined) yield* point.rest;
  const { mutationContext, rows, operators } =
    point ?? (yield* writeGiven(plan, run)) ?? (yield* writeAll(plan, run));
  const outcome = { name, affected: rows.length, operators };
  if (isReadLater(plan, run)) {
    yield* keepRows(listOf(plan, run, mutationContext.site), rows, run);
  }
  if (run.plan.result !== name) return { outcome, result: undefined };
  const result = yield* keepResult(mutationContext, rows);
  return { outcome, result: { columns: plan.output, rows: result, cardinality: 'many' } };
}

interface Written {
  readonly mutationContext: MutationContext;
  readonly rows: Sequence<Row>;
  readonly operators: readonly OperatorProfile[];
}

const noSites: readonly OperatorProfile[] = [];

/** Writes one row by its key, without waits; work that might have to wait is in `rest`. */
function writePoint(
  write: PointWrite,
  plan: MutationPlan,
  run: ProgramRun,
): (Written & Pick<PointWritten, 'rest'>) | undefined {
  const mutationContext = new MutationContext(run, plan.catalog, plan.kind, plan.table.name);
  const written = write(mutationContext);
  return written && { mutationContext, rows: written.rows, rest: written.rest, operators: noSites };
}

/** Creates rows that are part of the program and need no operators; returns undefined for other statements. */
function* writeGiven(plan: MutationPlan, run: ProgramRun): Steps<Written | undefined> {
  const { kind, table, columnIndexes, query } = plan;
  const { root, bindings } = query;
  if (kind !== 'create' || root.kind !== 'rows' || bindings.length > 0) return undefined;
  const rows = run.plan.parameters[root.parameter] as readonly Row[];
  const given = givenRows(table, columnIndexes, rows);
  if (given === undefined) return undefined;
  const pause = run.budget.pause(query.parts);
  if (pause !== undefined) yield pause;
  const mutationContext = new MutationContext(run, plan.catalog, kind, table.name);
  yield* insertRows(mutationContext, rowChange(table), given);
  return { mutationContext, rows: given, operators: noSites };
}

function* writeAll(plan: MutationPlan, run: ProgramRun): Steps<Written> {
  const { table } = plan;
  const input = storeOf(plan.query);
  const operators = yield* drainQuery(plan.query, run, (batch) => {
    input.append(batch);
    return input.bytes;
  });
  const mutationContext = new MutationContext(run, plan.catalog, plan.kind, table.name);
  const rows = yield* appliers[plan.kind](mutationContext, table, plan.columnIndexes, input);
  return { mutationContext, rows, operators };
}

/** Returns the result rows as one array with its full capacity from the start: a growing array would be copied repeatedly. */
function* keepResult(mutationContext: MutationContext, rows: Sequence<Row>): Steps<readonly Row[]> {
  const result: Row[] = new Array(rows.length);
  for (let i = 0; i < rows.length; i++) {
    const pause = mutationContext.pause();
    if (pause !== undefined) yield pause;
    const row = rows.at(i) as Row;
    mutationContext.run.keep(slotBytes + rowBytes(row));
    result[i] = row;
  }
  return result;
}
