/** Recognizes relations that are one row of a table by its key, if it satisfies a condition, or values computed from that row. */

import type { Pending } from '#base';
import { type IndexLayout, indexLayout, type TableLayout, tableLayout } from '#layout';
import type { PlanExpression, QueryPlan, ScanPlan } from '#planner';
import type { ReadView } from '#storage';
import type { Scalar } from '#value';
import { partsAtOnce } from '../operators/build.ts';

export interface PointRelation {
  readonly scan: ScanPlan;
  readonly layout: TableLayout;
  /** The unique index by which the row is found; undefined if it is found by its primary key. */
  readonly index: IndexLayout | undefined;
  /** The parameter index of each member of the key. */
  readonly key: readonly number[];
  /** The condition of the row over the columns of the scan; undefined if there is none. */
  readonly predicate: PlanExpression | undefined;
  /** The columns of the relation, as expressions over the columns of the scan. */
  readonly columns: readonly PlanExpression[];
}

export function pointRelation({ bindings, root, parts }: QueryPlan): PointRelation | undefined {
  const rows = root.kind === 'project' ? root.input : root;
  const scan = rows.kind === 'filter' ? rows.input : rows;
  if (bindings.length > 0 || scan.kind !== 'scan' || parts > partsAtOnce) return undefined;
  const { access, table, point, output } = scan;
  if (point?.parameters === undefined) return undefined;
  const asTheyAre = output.map(
    ({ type }, columnIndex) => ({ kind: 'column', columnIndex, type }) as const,
  );
  return {
    scan,
    layout: tableLayout(table),
    index: access.kind === 'index' ? indexLayout(table, access.index) : undefined,
    key: point.parameters,
    predicate: rows.kind === 'filter' ? rows.predicate : undefined,
    columns: root.kind === 'project' ? root.expressions : asTheyAre,
  };
}

/**
 * Returns the primary key of the row; undefined if no row has the key. If an index entry is not in memory, returns a wait, after which the caller
 * calls again.
 */
export function rowKeyOf(
  { layout, index, key }: PointRelation,
  view: ReadView,
  parameters: readonly unknown[],
): Uint8Array | undefined | Pending {
  const values: Scalar[] = [];
  for (const parameter of key) {
    const value = parameters[parameter] as Scalar;
    if (value === null) return undefined;
    values.push(value);
  }
  if (index === undefined) return layout.keyOfValues(values);
  const entryKey = index.uniqueKey(values);
  const entry = view.get(entryKey);
  if (entry === undefined || entry instanceof Promise) return entry;
  return index.rowKeyOfEntry(entryKey, 0, entryKey.length, entry, 0, entry.length);
}
