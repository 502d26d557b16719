/** The entity tag of a query. Equal tags prove equal results (docs/pir.md, "Inputs of a tag"). */

import type { Principal } from '#access';
import { invariant } from '#base';
import { columnById, type Table, tableById } from '#catalog';
import type { ProgramResult } from '#executor';
import { type TableLayout, tableLayout } from '#layout';
import type { ColumnsUsed, PointLookup, ProgramPlan } from '#planner';
import type { Snapshot } from '#storage';
import { ByteString, encodeResult, type Scalar } from '#value';
import type { RequestContext } from './admission/request-context.ts';
import type { Database } from './database.ts';

const formatVersion = 4;

/**
 * Returns a digest of the sent query (`queryText`) and of the state of each table that it reads: the meaning of its
 * column names and the time of the last row change. The digest is computed after binding, so an invalid query has no
 * tag. An equivalent query with another text may get another tag. Queries with different results never get the same tag.
 */
export function entityTagOf(
  database: Database,
  query: string,
  plan: ProgramPlan,
  principal: Principal,
): string {
  const hasher = begin(database, query, principal);
  for (const { physicalId, text } of tablesOf(plan)) {
    hasher.update(`[${JSON.stringify(database.store.changeOf(physicalId))},${text}]`);
  }
  return end(hasher);
}

/**
 * Returns the tag of a query that reads only rows by their keys. The tag contains the used values of these rows in `view` instead of the times of
 * table changes.
 */
export async function pointTagOf(
  database: Database,
  query: string,
  plan: ProgramPlan,
  view: Snapshot,
  { budget, principal }: RequestContext,
): Promise<string> {
  const hasher = begin(database, query, principal);
  for (const { text } of tablesOf(plan)) hasher.update(`[${text}]`);
  for (const read of plan.pointLookups ?? []) {
    const layout = tableLayout(read.table);
    const key = keyOf(layout, read, plan);
    let row = key && view.get(key);
    while (row instanceof Promise) {
      await budget.wait(row);
      row = view.get(key as Uint8Array);
    }
    hasher.update(row === undefined ? '[]' : `[${valuesOf(layout, key as Uint8Array, row, plan)}]`);
  }
  return end(hasher);
}

/** Returns the tag of a query by its result. */
export function resultTagOf(
  { identity, mode }: Database,
  query: string,
  result: ProgramResult | undefined,
): string {
  const hasher = new Bun.CryptoHasher('sha256');
  hasher.update(JSON.stringify([formatVersion, identity, mode, 'result']));
  hasher.update(query);
  if (result !== undefined) {
    hasher.update(encodeResult(result.columns, result.rows, result.cardinality));
  }
  return end(hasher);
}

/** Returns the key of a lookup; `undefined` if a value is NULL, because such a lookup finds no row. */
function keyOf(layout: TableLayout, { key }: PointLookup, { parameters }: ProgramPlan) {
  const values = key.map((parameter) => parameters[parameter] as Scalar);
  return values.includes(null) ? undefined : layout.keyOfValues(values);
}

/** Returns the values of a row that the query uses. The text of the table contains their columns. */
function valuesOf(
  layout: TableLayout,
  key: Uint8Array,
  row: Uint8Array,
  { columnsUsed }: ProgramPlan,
): string {
  const { table } = layout;
  const used = columnsUsed?.get(table.id);
  const reader = layout.reader();
  reader.open(key, 0, key.length, row, 0, row.length);
  let text = '';
  for (const [ordinal, { id }] of table.columns.entries()) {
    if (used?.has(id)) text += `${valueText(reader.cell(ordinal))},`;
  }
  return text;
}

/** Returns the text of a value. With a trailing comma, the text of one value is never a prefix of the text of another. */
function valueText(value: Scalar): string {
  if (typeof value === 'string') return `${value.length}:${value}`;
  if (value instanceof ByteString) return value.bytes.toHex();
  return Object.is(value, -0) ? '-0' : String(value);
}

/** Starts a digest. The digest contains the visibility of the principal, because principals that see other rows get other results. */
function begin(
  { identity, mode }: Database,
  query: string,
  { visibility }: Principal,
): Bun.CryptoHasher {
  const hasher = new Bun.CryptoHasher('sha256');
  const seen = visibility.key === '' ? [] : [visibility.key];
  hasher.update(JSON.stringify([formatVersion, identity, mode, ...seen]));
  hasher.update(query);
  return hasher;
}

function end(hasher: Bun.CryptoHasher): string {
  return `W/"svc-query-${hasher.digest('base64url')}"`;
}

interface TableState {
  readonly physicalId: number;
  /** The storage ID of the rows and the definition of the columns, as far as the query depends on them. */
  readonly text: string;
}

/** Cached per plan. A plan is current only while its tables have the records that it was made from. */
const known = new WeakMap<ColumnsUsed, readonly TableState[]>();

/** Returns the states of the tables that the plan reads, in order of their schema IDs. */
function tablesOf({ tables, catalog, columnsUsed }: ProgramPlan): readonly TableState[] {
  invariant(columnsUsed !== undefined, 'only a query has a tag');
  let states = known.get(columnsUsed);
  if (states === undefined) {
    states = [...tables]
      .sort((a, b) => a - b)
      .map((id) => tableState(tableById(catalog, id), columnsUsed.get(id)));
    known.set(columnsUsed, states);
  }
  return states;
}

/**
 * Returns the state of a table. The state contains names as well as IDs: if two tables or columns exchange their names, the query reads other
 * values. Indexes, keys, defaults and columns that the query does not use are not included. Schema IDs of tables and columns are never reused, so
 * a deleted and recreated object differs.
 */
function tableState(table: Table | undefined, used: ReadonlySet<number> = new Set()): TableState {
  invariant(table !== undefined, 'a plan reads tables of its catalog');
  const { id, name, physicalId, primaryKey, columns } = table;
  const key = primaryKey.map((of) => [of, columnById(table, of)?.physicalId]);
  const parts = columns
    .filter((column) => used.has(column.id))
    .map((column) => {
      const { name, type, identifierFormat, missing } = column;
      // In diverged copies of a database, a column may have the same ID but another value for rows that are older than
      // the column.
      const older = valueText(missing);
      return [name, column.id, column.physicalId, type, identifierFormat ?? null, older];
    });
  return { physicalId, text: JSON.stringify([id, name, physicalId, key, parts]) };
}
