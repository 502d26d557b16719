/** The two databases of the comparison behind one interface. */

import { openSql, type SqlSession } from '../support/run-sql.ts';
import type { WireClient } from '../support/wire-client.ts';
import { doneOf, type Outcome, outcomeOf } from './outcome.ts';
import { createTable, definitionOf, serial, tables } from './tables.ts';

export interface Side {
  /** Empties the tables, and runs the statements. */
  reset(inserts: readonly string[]): Promise<void>;
  /** Runs one statement as a transaction. */
  run(text: string, parameters: readonly (string | null)[]): Promise<Outcome>;
}

/** PostgreSQL as a side. Its sequence follows the rule of svc: the next number is above all that were stored, and a failed statement uses none. */
export async function postgresSide(client: WireClient, schema: string): Promise<Side> {
  const must = async (text: string) => {
    const failed = (await client.query(text)).find(({ error }) => error !== undefined);
    if (failed !== undefined) throw new Error(`PostgreSQL: ${failed.error?.message}: ${text}`);
  };
  await must(`create schema ${schema}; set search_path to ${schema}`);
  for (const table of tables) await must(createTable(table));
  const sequence = `${serial.table}_${serial.column}_seq`;
  const raise = `update mark set n = greatest(n, (select max(${serial.column}) from ${serial.table}))`;
  const next = `select setval('${sequence}', greatest(1, n), n > 0) from mark`;
  await must('create table mark (n int8); insert into mark values (0)');
  return {
    reset: async (inserts) => {
      const empty = `truncate ${tables.map(({ name }) => name).join(', ')}; update mark set n = 0`;
      await must([empty, ...inserts, raise].join('; '));
    },
    run: async (text, parameters) => {
      if (!/^insert into sale\b/.test(text))
        return outcomeOf(await client.execute(text, parameters));
      await must(next);
      const outcome = outcomeOf(await client.execute(text, parameters));
      await must(raise);
      return outcome;
    },
  };
}

/** svc in this process, without the wire. Each reset opens a new database. */
export async function svcSide(): Promise<Side & AsyncDisposable> {
  let session: SqlSession | undefined;
  const must = async (text: string) => {
    const outcome = await session?.run(text);
    if (outcome?.kind !== 'done') throw new Error(`svc: ${outcome?.message}: ${text}`);
  };
  const close = async () => {
    await session?.engine.close();
    session = undefined;
  };
  return {
    reset: async (inserts) => {
      await close();
      session = await openSql();
      const statements = tables.map((table) => ({
        kind: 'create_table',
        name: `make_${table.name}`,
        table: definitionOf(table),
      }));
      await session.program(...statements);
      for (const insert of inserts) await must(insert);
    },
    run: async (text, parameters) => {
      if (session === undefined) throw new Error('the database is not open');
      try {
        const outcome = await session.run(text, parameters);
        if (outcome.kind === 'failed') return outcome;
        const columns = (outcome.columns ?? []).map(({ name, type }) => ({ name, oid: type.oid }));
        return doneOf(columns, outcome.rows, outcome.tag);
      } catch (error) {
        return { kind: 'failed', sqlstate: 'XX000', message: String(error) };
      }
    },
    [Symbol.asyncDispose]: close,
  };
}
