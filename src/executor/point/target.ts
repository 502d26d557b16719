/** Recognizes updates and deletes of one row: the row is part of the program, or is read by its key. `mutate/targets.ts` finds the stored row. */

import { type TableLayout, tableLayout } from '#layout';
import type { MutationStatementPlan } from '#planner';
import type { Row, Scalar } from '#value';
import type { KeyedRow } from '../mutate/index-entries.ts';
import type { MutationContext } from '../mutate/mutation-context.ts';
import { findTarget, missingTarget } from '../mutate/targets.ts';
import { type PointRelation, pointRelation, rowKeyOf } from './relation.ts';

interface GivenTarget {
  readonly kind: 'given';
  readonly layout: TableLayout;
  /** The parameter that contains the rows. */
  readonly parameter: number;
  /** Column indexes of the key members in the given row. */
  readonly key: readonly number[];
}

interface ReadTarget {
  readonly kind: 'read';
  readonly layout: TableLayout;
  readonly relation: PointRelation;
  /** Position in catalog order of each column of the scan. */
  readonly ordinals: readonly number[];
}

export type Target = GivenTarget | ReadTarget;

/** Returns the row that an update or delete names by key; `undefined` if operators have to find the rows, or to test a policy of stored rows. */
export function targetOf(plan: MutationStatementPlan): Target | undefined {
  const { query, table, columnIndexes, policies } = plan;
  if (policies?.before !== undefined) return undefined;
  const layout = tableLayout(table);
  const { root, bindings } = query;
  if (root.kind === 'rows' && bindings.length === 0) {
    const key = layout.keyOrdinals.map((ordinal) => columnIndexes[ordinal] as number);
    return { kind: 'given', layout, parameter: root.parameter, key };
  }
  const relation = pointRelation(query);
  if (relation?.scan.table !== table || relation.predicate !== undefined) return undefined;
  const ordinals = relation.scan.columns.map(({ id }) =>
    table.columns.findIndex((column) => column.id === id),
  );
  // The key that names the row must be the key by which it was read.
  for (const ordinal of layout.keyOrdinals) {
    const named = relation.columns[columnIndexes[ordinal] as number];
    if (named?.kind !== 'column' || ordinals[named.columnIndex] !== ordinal) return undefined;
  }
  return { kind: 'read', layout, relation, ordinals };
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
    return found instanceof Promise ? undefined : (found ?? null);
  }
  const row = givenRow(target, parameters);
  if (row === undefined) return undefined;
  const values = target.key.map((columnIndex) => row[columnIndex] as Scalar);
  const key = values.includes(null) ? undefined : target.layout.keyOfValues(values);
  const found = key && findTarget(mutationContext, table, key);
  if (found === undefined) throw missingTarget(table, 0);
  return found instanceof Promise ? undefined : found;
}

/** Returns the row that is part of the program, if it is the only one. */
export function givenRow(
  { parameter }: GivenTarget,
  parameters: readonly unknown[],
): Row | undefined {
  const rows = parameters[parameter] as readonly Row[];
  return rows.length === 1 ? rows[0] : undefined;
}
