/** The entity tag of a query: equal tags prove equal results (docs/pir.md, "What a tag depends on"). */

import { type Table, tableById } from '#catalog';
import type { ProgramPlan } from '#planner';
import type { Snapshot } from '#storage';
import type { Ticket } from './admission/ticket.ts';
import type { Database } from './database.ts';

const formatVersion = 3;

/**
 * A digest over the query as it was sent (`queryText`) and the state of every table that it reads: its record, and when its rows last changed. Made after
 * binding, so an invalid query has none. The same question in another spelling may get another tag; never the other way round.
 */
export function entityTagOf(database: Database, query: string, plan: ProgramPlan): string {
  const hasher = begin(database, query);
  for (const id of tablesOf(plan)) {
    const table = tableById(plan.catalog, id);
    const changedAt = table && database.store.changeOf(table.physicalId);
    hasher.update(`[${id},${JSON.stringify(changedAt ?? null)},${recordText(table)}]`);
  }
  return end(hasher);
}

/** The same of a query that reads nothing but the rows with these keys: what they hold in `view` takes the place of when their tables have changed. */
export async function pointTagOf(
  database: Database,
  query: string,
  plan: ProgramPlan,
  keys: readonly (Uint8Array | undefined)[],
  view: Snapshot,
  { budget }: Ticket,
): Promise<string> {
  const hasher = begin(database, query);
  for (const id of tablesOf(plan)) {
    hasher.update(`[${id},${recordText(tableById(plan.catalog, id))}]`);
  }
  for (const key of keys) {
    let row = key && view.get(key);
    while (row instanceof Promise) {
      await budget.wait(row);
      row = view.get(key as Uint8Array);
    }
    hasher.update(`[${key?.length ?? -1},${row?.length ?? -1}]`);
    if (key !== undefined) hasher.update(key);
    if (row !== undefined) hasher.update(row);
  }
  return end(hasher);
}

function begin({ identity, mode }: Database, query: string): Bun.CryptoHasher {
  const hasher = new Bun.CryptoHasher('sha256');
  hasher.update(JSON.stringify([formatVersion, identity, mode]));
  hasher.update(query);
  return hasher;
}

function end(hasher: Bun.CryptoHasher): string {
  return `W/"svc-query-${hasher.digest('base64url')}"`;
}

function tablesOf({ tables }: ProgramPlan): readonly number[] {
  return [...tables].sort((a, b) => a - b);
}

/** A record is never changed: a table that does change has another one. */
const recordTexts = new WeakMap<Table, string>();

function recordText(table: Table | undefined): string {
  if (table === undefined) return 'null';
  let text = recordTexts.get(table);
  if (text === undefined) {
    text = JSON.stringify(table, replaceBigint);
    recordTexts.set(table, text);
  }
  return text;
}

function replaceBigint(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value;
}
