/** Runs a mutation: first its whole relation, so that it never reads its own effects, then one set of changes. */

import { invariant, type Steps } from '#base';
import type { StatementPlan } from '#planner';
import type { Row } from '#value';
import { drainQuery } from '../drain-query.ts';
import type { OperatorProfile } from '../operator-profile.ts';
import { pointWrite } from '../point/statement.ts';
import type { PointWrite } from '../point/write.ts';
import type { ProgramRun } from '../program-run.ts';
import type { StatementEnd } from '../query-statement.ts';
import { RowList } from '../spill/row-list.ts';
import { createRows, givenRows } from './create.ts';
import { deleteRows } from './delete.ts';
import { MutationContext } from './mutation-context.ts';
import { MutationResult } from './mutation-result.ts';
import { insertRows, rowChange } from './row-change.ts';
import { updateRows } from './update.ts';

type MutationPlan = Extract<StatementPlan, { kind: 'create' | 'update' | 'delete' }>;

const appliers = { create: createRows, update: updateRows, delete: deleteRows };

export function* mutationStatement(plan: MutationPlan, run: ProgramRun): Steps<StatementEnd> {
  const { name } = plan;
  const write = pointWrite(plan, run);
  const pause = write && run.budget.pause(plan.query.parts);
  if (pause !== undefined) yield pause;
  const { result, operators } =
    (write && (yield* writePoint(write, plan, run))) ??
    (yield* writeGiven(plan, run)) ??
    (yield* writeAll(plan, run));
  const rows = yield* result.finish();
  const outcome = { name, affected: result.count, operators };
  if (rows === undefined) return { outcome, result: undefined };
  return { outcome, result: { columns: plan.output, rows, cardinality: 'many' } };
}

interface Written {
  readonly result: MutationResult;
  readonly operators: readonly OperatorProfile[];
}

const noSites: readonly OperatorProfile[] = [];

/** Writes one row by its key. */
function* writePoint(
  write: PointWrite,
  plan: MutationPlan,
  run: ProgramRun,
): Steps<Written | undefined> {
  const mutationContext = new MutationContext(run, plan.catalog, plan.kind, plan.table.name);
  const written = write(mutationContext);
  if (written === undefined) return undefined;
  if (written.rest !== undefined) yield* written.rest;
  const result = new MutationResult(mutationContext, plan);
  yield* result.add(written.rows);
  return { result, operators: noSites };
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
  const change = { ...rowChange(table), policy: plan.policies?.after };
  yield* insertRows(mutationContext, change, given);
  const result = new MutationResult(mutationContext, plan);
  yield* result.add(given);
  return { result, operators: noSites };
}

function* writeAll(plan: MutationPlan, run: ProgramRun): Steps<Written> {
  const { table, columnIndexes, query } = plan;
  const types = query.output.map((column) => column.type);
  let input: RowList | undefined;
  const operators = yield* drainQuery(query, run, noBytes, (site) => {
    input = new RowList(types, run.memory, site);
    return input;
  });
  invariant(input !== undefined, 'a query has an operator at its root');
  const mutationContext = new MutationContext(run, plan.catalog, plan.kind, table.name);
  const result = new MutationResult(mutationContext, plan);
  const named = { table, columnIndexes, input, ordered: plan.ordered === true };
  try {
    const { policies = {} } = plan;
    yield* appliers[plan.kind](mutationContext, named, (rows) => result.add(rows), policies);
  } catch (error) {
    throw result.explained(error);
  }
  input.clear();
  return { result, operators };
}

/** All rows are in the list. */
const noBytes = () => 0;
