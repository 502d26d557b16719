/** Recognizes updates and deletes of one row: the row is part of the program, or is read by its key. `mutate/targets.ts` finds the stored row. */

import { DatabaseError } from '#failure';
import { type TableLayout, tableLayout } from '#layout';
import type { MutationStatementPlan } from '#planner';
import { EvaluationFailure, type Row, type Scalar } from '#value';
import type { KeyedRow } from '../mutate/index-entries.ts';
import type { MutationContext } from '../mutate/mutation-context.ts';
import { findTarget, missingTarget } from '../mutate/targets.ts';
import { type PointRelation, pointRelation, rowKeyOf } from './relation.ts';
import { policyTest, type RowTest, rowTest } from './row-test.ts';

interface GivenTarget {
  readonly kind: 'given';
  readonly layout: TableLayout;
  /** The policy of stored rows; undefined if the statement may change all rows. */
  readonly policy: RowTest | undefined;
  /** The parameter that contains the rows. */
  readonly parameter: number;
  /** Column indexes of the key members in the given row. */
  readonly key: readonly number[];
}

interface ReadTarget {
  readonly kind: 'read';
  readonly layout: TableLayout;
  readonly policy: RowTest | undefined;
  readonly relation: PointRelation;
  /** The condition of the relation. */
  readonly condition: RowTest | undefined;
  /** Position in catalog order of each column of the scan. */
  readonly ordinals: readonly number[];
}

export type Target = GivenTarget | ReadTarget;

/** Returns the row that an update or delete names by key; `undefined` if operators have to find the rows, or to test the policy. */
export function targetOf(plan: MutationStatementPlan): Target | undefined {
  const { query, table, columnIndexes, policies } = plan;
  const policy = policies?.before && policyTest(policies.before);
  if (policies?.before !== undefined && policy === undefined) return undefined;
  const layout = tableLayout(table);
  const { root, bindings } = query;
  if (root.kind === 'rows' && bindings.length === 0) {
    const key = layout.keyOrdinals.map((ordinal) => columnIndexes[ordinal] as number);
    return { kind: 'given', layout, policy, parameter: root.parameter, key };
  }
  const relation = pointRelation(query);
  if (relation?.scan.table !== table) return undefined;
  const ordinals = relation.scan.columns.map(({ id }) =>
    table.columns.findIndex((column) => column.id === id),
  );
  // The key that names the row must be the key by which it was read.
  for (const ordinal of layout.keyOrdinals) {
    const named = relation.columns[columnIndexes[ordinal] as number];
    if (named?.kind !== 'column' || ordinals[named.columnIndex] !== ordinal) return undefined;
  }
  const condition = relation.predicate && rowTest([relation.predicate], ordinals);
  return { kind: 'read', layout, policy, relation, condition, ordinals };
}

/**
 * Returns the row before the change; null if the relation has no row. Returns undefined if operators have to find it: it has to be waited for, or
 * the program contains more than one row.
 */
export function pointTarget(
  mutationContext: MutationContext,
  target: Target,
): KeyedRow | null | undefined {
  const { table } = target.layout;
  const { parameters } = mutationContext.run.plan;
  if (target.kind === 'read') {
    const key = rowKeyOf(target.relation, mutationContext.transaction, parameters);
    if (key instanceof Promise) return undefined;
    const found = key && findTarget(mutationContext, table, key);
    if (found instanceof Promise) return undefined;
    if (found === undefined) return null;
    const isRow = satisfies(target, found, parameters);
    if (isRow === undefined) return undefined;
    return isRow ? permitted(target, found, parameters) : null;
  }
  const row = givenRow(target, parameters);
  if (row === undefined) return undefined;
  const values = target.key.map((columnIndex) => row[columnIndex] as Scalar);
  const key = values.includes(null) ? undefined : target.layout.keyOfValues(values);
  const found = key && findTarget(mutationContext, table, key);
  if (found === undefined) throw missingTarget(table, 0);
  return found instanceof Promise ? undefined : permitted(target, found, parameters);
}

/** Returns whether the row satisfies the condition of the relation; undefined if the condition cannot be computed, which operators report. */
function satisfies(
  { condition }: ReadTarget,
  { row }: KeyedRow,
  parameters: readonly unknown[],
): boolean | undefined {
  try {
    return condition === undefined || condition(row, parameters);
  } catch (error) {
    if (error instanceof EvaluationFailure || error instanceof DatabaseError) return undefined;
    throw error;
  }
}

/** Returns the row. Throws as if it did not exist, if the policy hides it from the statement. */
function permitted(
  { policy, layout }: Target,
  found: KeyedRow,
  parameters: readonly unknown[],
): KeyedRow {
  if (policy?.(found.row, parameters) === false) throw missingTarget(layout.table, 0);
  return found;
}

/** Returns the row that is part of the program, if it is the only one. */
export function givenRow(
  { parameter }: GivenTarget,
  parameters: readonly unknown[],
): Row | undefined {
  const rows = parameters[parameter] as readonly Row[];
  return rows.length === 1 ? rows[0] : undefined;
}
