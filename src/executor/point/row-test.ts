/** Conditions on single rows, tested without operators: of a policy over changed rows, and of a relation of one row. */

import type { PlanExpression, QueryPlan, RelationPlan } from '#planner';
import type { Row } from '#value';
import { RowValues } from './row-values.ts';

/** Returns whether a row satisfies a condition. Throws if the condition cannot be computed, which is impossible for the condition of a policy. */
export type RowTest = (row: Row, parameters: readonly unknown[]) => boolean;

/** `ordinals`: the positions in the row of the columns to which the conditions refer. */
export function rowTest(
  conditions: readonly PlanExpression[],
  ordinals: readonly number[],
): RowTest {
  const equalities = conditions.flatMap((one) => equalityTest(one, ordinals) ?? []);
  if (equalities.length === conditions.length) {
    const [only] = equalities;
    if (only !== undefined && equalities.length === 1) return only;
    return (row, parameters) => equalities.every((test) => test(row, parameters));
  }
  const values = new RowValues(conditions, ordinals);
  return (row, parameters) => values.of(row, parameters).every((value) => value === true);
}

/** Returns the test of a column that equals a parameter, as in most policies; undefined for other conditions. Equal values of these types are identical. */
function equalityTest(condition: PlanExpression, ordinals: readonly number[]): RowTest | undefined {
  if (condition.kind !== 'compare' || condition.op !== 'eq') return undefined;
  const { left, right, operandType } = condition;
  const [column, other] = left.kind === 'column' ? [left, right] : [right, left];
  if (operandType === 'bytes' || column.kind !== 'column' || other.kind !== 'parameter') {
    return undefined;
  }
  const ordinal = ordinals[column.columnIndex] as number;
  return (row, parameters) => row[ordinal] !== null && row[ordinal] === parameters[other.index];
}

const known = new WeakMap<QueryPlan, { readonly test: RowTest | undefined }>();

/** Returns the test of a policy over changed rows; undefined if the policy reads other rows, so that operators have to run it. */
export function policyTest(policy: QueryPlan): RowTest | undefined {
  let entry = known.get(policy);
  if (entry === undefined) {
    entry = { test: compile(policy) };
    known.set(policy, entry);
  }
  return entry.test;
}

function compile({ bindings, root, registerCount }: QueryPlan): RowTest | undefined {
  if (bindings.length > 0 || registerCount > 0 || root.kind !== 'project') return undefined;
  const conditions: PlanExpression[] = [];
  let plan: RelationPlan = root.input;
  for (; plan.kind === 'filter'; plan = plan.input) conditions.push(plan.predicate);
  return plan.kind === 'materialized' ? rowTest(conditions, plan.columnIndexes) : undefined;
}
