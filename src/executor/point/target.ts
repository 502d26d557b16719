/** Recognises updates and deletes of one row: named by a row that came with the program, or read by its key. `mutate/targets.ts` finds the row. */

import { type TableLayout, tableLayout } from '#layout';
import type { MutationStatementPlan } from '#planner';
import type { Row, Scalar } from '#value';
import type { KeyedRow } from '../mutate/index-entries.ts';
import { findTarget, missingTarget } from '../mutate/targets.ts';
import type { Writing } from '../mutate/writing.ts';
import { type PointRelation, pointRelation, rowKeyOf } from './relation.ts';

interface GivenTarget {
  readonly kind: 'given';
  readonly layout: TableLayout;
  /** The parameter that holds the rows. */
  readonly parameter: number;
  /** Of the row: the members of the key. */
  readonly key: readonly number[];
}

interface ReadTarget {
  readonly kind: 'read';
  readonly layout: TableLayout;
  readonly relation: PointRelation;
  /** In catalog order, of the columns of the scan. */
  readonly ordinals: readonly number[];
}

export type Target = GivenTarget | ReadTarget;

/** Undefined for rows that are found otherwise. */
export function targetOf(plan: MutationStatementPlan): Target | undefined {
  const { query, table, columnIndexes } = plan;
  const layout = tableLayout(table);
  const { root, bindings } = query;
  if (root.kind === 'rows' && bindings.length === 0) {
    const key = layout.keyOrdinals.map((ordinal) => columnIndexes[ordinal] as number);
    return { kind: 'given', layout, parameter: root.parameter, key };
  }
  const relation = pointRelation(query);
  if (relation === undefined || relation.scan.table !== table) return undefined;
  const ordinals = relation.scan.columns.map(({ id }) =>
    table.columns.findIndex((column) => column.id === id),
  );
  // The key that names the row must be the one that it was read with.
  for (const ordinal of layout.keyOrdinals) {
    const named = relation.columns[columnIndexes[ordinal] as number];
    if (named?.kind !== 'column' || ordinals[named.columnIndex] !== ordinal) return undefined;
  }
  return { kind: 'read', layout, relation, ordinals };
}

/** The row as it was before; null when the relation has none; undefined when operators have to find it: it has to be waited for, or did not come alone. */
export function pointTarget(writing: Writing, target: Target): KeyedRow | null | undefined {
  const { table } = target.layout;
  const { parameters } = writing.run.plan;
  if (target.kind === 'read') {
    const key = rowKeyOf(target.relation, writing.transaction, parameters);
    if (key instanceof Promise) return undefined;
    const found = key && findTarget(writing, table, key);
    return found instanceof Promise ? undefined : (found ?? null);
  }
  const row = givenRow(target, parameters);
  if (row === undefined) return undefined;
  const values = target.key.map((columnIndex) => row[columnIndex] as Scalar);
  const key = values.includes(null) ? undefined : target.layout.keyOfValues(values);
  const found = key && findTarget(writing, table, key);
  if (found === undefined) throw missingTarget(table, 0);
  return found instanceof Promise ? undefined : found;
}

/** The row that came with the program, if it came alone. */
export function givenRow(
  { parameter }: GivenTarget,
  parameters: readonly unknown[],
): Row | undefined {
  const rows = parameters[parameter] as readonly Row[];
  return rows.length === 1 ? rows[0] : undefined;
}
