/** The entity tag of a query: equal tags prove equal results (docs/pir.md, "Inputs of a tag"). */

import { invariant } from '#base';
import { columnById, type Principal, type Table, tableById } from '#catalog';
import { type TableLayout, tableLayout } from '#layout';
import type { ColumnsUsed, PointLookup, ProgramPlan } from '#planner';
import type { Snapshot } from '#storage';
import { ByteString, type Scalar } from '#value';
import type { Ticket } from './admission/ticket.ts';
import type { Database } from './database.ts';

const formatVersion = 4;

/**
 * A digest over the query as it was sent (`queryText`) and the state of every table that it reads: what the names of its columns mean, and when its rows last
 * changed. Made after binding, so an invalid query has none. The same question in another spelling may get another tag; never the other way round.
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
 * The same of a query that reads nothing but the rows that it looks for by key: the values that it uses of them in `view` take the place of when their
 * tables have changed.
 */
export async function pointTagOf(
  database: Database,
  query: string,
  plan: ProgramPlan,
  view: Snapshot,
  { budget, principal }: Ticket,
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

/** Undefined for a read of NULL, which finds nothing. */
function keyOf(layout: TableLayout, { key }: PointLookup, { parameters }: ProgramPlan) {
  const values = key.map((parameter) => parameters[parameter] as Scalar);
  return values.includes(null) ? undefined : layout.keyOfValues(values);
}

/** The values of a row that the query uses. Which columns they are of stands in the text of their table. */
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

/** With a comma behind it, no text of a value of one column is the beginning of another one's. */
function valueText(value: Scalar): string {
  if (typeof value === 'string') return `${value.length}:${value}`;
  if (value instanceof ByteString) return value.bytes.toHex();
  return Object.is(value, -0) ? '-0' : String(value);
}

/** Principals that see other rows have other answers. */
function begin(
  { identity, mode }: Database,
  query: string,
  { visibility }: Principal,
): Bun.CryptoHasher {
  const hasher = new Bun.CryptoHasher('sha256');
  const seen = visibility === '' ? [] : [visibility];
  hasher.update(JSON.stringify([formatVersion, identity, mode, ...seen]));
  hasher.update(query);
  return hasher;
}

function end(hasher: Bun.CryptoHasher): string {
  return `W/"svc-query-${hasher.digest('base64url')}"`;
}

interface TableState {
  readonly physicalId: number;
  /** Where its rows lie, and what its columns are, as far as the query depends on it. */
  readonly text: string;
}

/** A plan is current only while its tables have the records that it was made from. */
const known = new WeakMap<ColumnsUsed, readonly TableState[]>();

/** The tables that the plan reads, by schema id. */
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
 * Names stand beside ids: where two tables or two columns exchange their names, the query means other values. Indexes, keys, defaults and columns that the query does
 * not use have no part in it. A table keeps its schema id and its columns theirs for ever, so what is deleted and made anew differs.
 */
function tableState(table: Table | undefined, used: ReadonlySet<number> = new Set()): TableState {
  invariant(table !== undefined, 'a plan reads tables of its catalog');
  const { id, name, physicalId, primaryKey, columns } = table;
  const key = primaryKey.map((of) => [of, columnById(table, of)?.physicalId]);
  const parts = columns
    .filter((column) => used.has(column.id))
    .map((column) => {
      const { name, type, identifierFormat, missing } = column;
      // Of two copies that went their own ways, a column may have one id and other values for rows that are older than it.
      const older = valueText(missing);
      return [name, column.id, column.physicalId, type, identifierFormat ?? null, older];
    });
  return { physicalId, text: JSON.stringify([id, name, physicalId, key, parts]) };
}
