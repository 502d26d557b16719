/** Tests row policies: which rows of a mutation they permit. One relation over many rows is run, not a lookup for each row. */

import type { Steps } from '#base';
import type { Table } from '#catalog';
import { fail } from '#failure';
import type { QueryPlan } from '#planner';
import type { Datum, DatumType, Row } from '#value';
import type { Batch } from '../batch/batch.ts';
import type { Sequence } from '../batch/long-list.ts';
import { batchRowsMax, denseSelection } from '../batch/vector.ts';
import { drainQuery } from '../drain-query.ts';
import { policyTest, type RowTest } from '../point/row-test.ts';
import { appendTo, flushed } from '../spill/list-rows.ts';
import { RowList } from '../spill/row-list.ts';
import type { MutationContext } from './mutation-context.ts';

const numberType: DatumType = { kind: 'int64' };

/** Throws `policy_violation` if the policy permits not all of the complete new rows. */
export function* requirePermitted(
  mutationContext: MutationContext,
  table: Table,
  policy: QueryPlan,
  rows: Sequence<Row>,
): Steps<void> {
  const [first] = yield* hiddenRows(mutationContext, table, policy, rows);
  if (first !== undefined) throw violation(table, first);
}

/** Like `requirePermitted`, for one row, without a wait. Returns false if operators have to test the policy. */
export function requiresNoOperators(
  { run }: MutationContext,
  table: Table,
  policy: QueryPlan,
  row: Row,
): boolean {
  const test = policyTest(policy);
  if (test?.(row, run.plan.parameters) === false) throw violation(table, 0);
  return test !== undefined;
}

function violation({ name: table }: Table, inputRow: number): Error {
  const detail = `the policy of table "${table}" does not permit this row; nothing was changed`;
  return fail('policy_violation', detail, { execution: { table }, inputRow });
}

/** Returns the positions of the rows that the policy does not permit, in ascending order. */
export function* hiddenRows(
  mutationContext: MutationContext,
  table: Table,
  policy: QueryPlan,
  rows: Sequence<Row>,
): Steps<readonly number[]> {
  if (rows.length === 0) return [];
  const test = rows.length <= testedAloneMax ? policyTest(policy) : undefined;
  if (test !== undefined) return failing(rows, test, mutationContext.run.plan.parameters);
  const { run, site } = mutationContext;
  const types = [...table.columns.map(({ type }) => ({ kind: type })), numberType];
  const changed = new RowList(types, run.memory, site);
  const isPermitted = new Uint8Array(rows.length);
  try {
    yield* numberRows(mutationContext, changed, rows);
    yield* run.within(changed, function* () {
      yield* drainQuery(policy, run, (batch) => {
        markNumbers(isPermitted, batch);
        return 0;
      });
    });
  } finally {
    changed.clear();
  }
  const hidden: number[] = [];
  for (let i = 0; i < isPermitted.length; i++) if (isPermitted[i] === 0) hidden.push(i);
  return hidden;
}

/** Up to this number of rows, testing each of them is faster than running operators. */
const testedAloneMax = 16;

function failing(
  rows: Sequence<Row>,
  test: RowTest,
  parameters: readonly unknown[],
): readonly number[] {
  const hidden: number[] = [];
  for (let i = 0; i < rows.length; i++) if (!test(rows.at(i) as Row, parameters)) hidden.push(i);
  return hidden;
}

function markNumbers(isPermitted: Uint8Array, { columns, selection, count }: Batch): void {
  const numbers = columns[0] as ArrayLike<Datum>;
  for (let i = 0; i < count; i++) isPermitted[numbers[selection[i] as number] as number] = 1;
}

/** Appends the rows to a list, each with its position as an additional column. */
function* numberRows(
  mutationContext: MutationContext,
  list: RowList,
  rows: Sequence<Row>,
): Steps<void> {
  const pause = (work: number) => mutationContext.pause(work);
  for (let from = 0; from < rows.length; from += batchRowsMax) {
    const wait = pause(batchRowsMax);
    if (wait !== undefined) yield wait;
    const piece = rows.slice(from, from + batchRowsMax);
    const columns = list.types.map((_, c) =>
      piece.map((row, i) => (c < row.length ? row[c] : from + i) as Datum),
    );
    yield* appendTo(list, { columns, selection: denseSelection, count: piece.length }, pause);
  }
  yield* flushed(list);
}
