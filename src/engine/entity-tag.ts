/** The entity tag of a query: equal tags prove equal results (docs/operations.md). */

import { type Table, tableById } from '#catalog';
import type { ProgramPlan } from '#planner';
import type { Database } from './database.ts';

const formatVersion = 2;

/**
 * A digest over the query as it was sent (`queryText`) and the state of every table that it reads: its record, and when its rows last changed. Made after
 * binding, so an invalid query has none. The same question in another spelling may get another tag; never the other way round.
 */
export function entityTagOf(database: Database, query: string, plan: ProgramPlan): string {
  const hasher = new Bun.CryptoHasher('sha256');
  hasher.update(JSON.stringify([formatVersion, database.identity, database.mode]));
  hasher.update(query);
  for (const id of [...plan.tables].sort((a, b) => a - b)) {
    const table = tableById(plan.catalog, id);
    const changedAt = table && database.store.changeOf(table.physicalId);
    hasher.update(`[${id},${JSON.stringify(changedAt ?? null)},${recordText(table)}]`);
  }
  return `W/"svc-query-${hasher.digest('base64url')}"`;
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
