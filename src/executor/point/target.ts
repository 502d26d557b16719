/** The one row that an update or a delete is about: named by a row that came with the program, or read by its key. */

import { writeProtocol } from '#catalog';
import { type TableLayout, tableLayout } from '#layout';
import type { MutationStatementPlan } from '#planner';
import type { Row, Scalar } from '#value';
import { rowBytes } from '../batch/datum-bytes.ts';
import { slotBytes } from '../batch/prices.ts';
import type { Writing } from '../mutate/writing.ts';
import { RowDecoder } from '../operators/scan/row-decoder.ts';
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

/** As it was before the statement. */
export interface TargetRow {
  readonly key: Uint8Array;
  readonly before: Row;
}

/** Undefined for what is not done here: rows that are found otherwise, and tables under a transition. */
export function targetOf(plan: MutationStatementPlan): Target | undefined {
  const { query, table, slots } = plan;
  const { building, shadows, violations } = writeProtocol(table);
  if (building.length + shadows.length + violations.length > 0) return undefined;
  const layout = tableLayout(table);
  const { root, bindings } = query;
  if (root.kind === 'rows' && bindings.length === 0) {
    const key = layout.keyOrdinals.map((ordinal) => slots[ordinal] as number);
    return { kind: 'given', layout, parameter: root.parameter, key };
  }
  const relation = pointRelation(query);
  if (relation === undefined || relation.scan.table !== table) return undefined;
  const ordinals = relation.scan.columns.map(({ id }) =>
    table.columns.findIndex((column) => column.id === id),
  );
  // The key that names the row must be the one that it was read with.
  for (const ordinal of layout.keyOrdinals) {
    const named = relation.columns[slots[ordinal] as number];
    if (named?.kind !== 'column' || ordinals[named.slot] !== ordinal) return undefined;
  }
  return { kind: 'read', layout, relation, ordinals };
}

/** The row, in account; null when the relation has none; undefined when operators have to find it, or to say what is wrong. */
export function findTarget(writing: Writing, target: Target): TargetRow | null | undefined {
  const { transaction, run } = writing;
  const { parameters } = run.plan;
  const key =
    target.kind === 'given'
      ? givenKey(target, parameters)
      : rowKeyOf(target.relation, transaction, parameters);
  const missing = target.kind === 'given' ? undefined : null;
  if (key === undefined) return missing;
  if (key instanceof Promise) return undefined;
  const found = transaction.find(key);
  if (found === undefined) return missing;
  if (found instanceof Promise) return undefined;
  const { table } = target.layout;
  const before = new RowDecoder(table, table.columns).rowOf(key, found);
  writing.hold(slotBytes + rowBytes(before));
  writing.holdKey(key);
  return { key, before };
}

/** The row that came with the program, if it came alone. */
export function givenRow(
  { parameter }: GivenTarget,
  parameters: readonly unknown[],
): Row | undefined {
  const rows = parameters[parameter] as readonly Row[];
  return rows.length === 1 ? rows[0] : undefined;
}

function givenKey(target: GivenTarget, parameters: readonly unknown[]): Uint8Array | undefined {
  const row = givenRow(target, parameters);
  if (row === undefined) return undefined;
  const values = target.key.map((slot) => row[slot] as Scalar);
  return values.includes(null) ? undefined : target.layout.keyOfValues(values);
}
