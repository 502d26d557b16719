/** DuckDB in this process, with one thread and its data in memory. It loads CSV files. */

import { csvPath } from './csv.ts';
import type { Engine } from './engine.ts';
import { createIndex, createTable, dropIndex } from './sql.ts';

/** The parts of `@duckdb/node-api` that are used. */
interface DuckDb {
  readonly DuckDBInstance: {
    create(path: string, options: object): Promise<{ connect(): Promise<Connection> }>;
  };
}

interface Connection {
  run(sql: string): Promise<unknown>;
  runAndReadAll(sql: string): Promise<{ getRowObjectsJson(): unknown }>;
  closeSync(): void;
}

/** `directory` contains the CSV files. Throws if the package is not installed. */
export async function duckdb(directory: string): Promise<Engine> {
  const packageName: string = '@duckdb/node-api';
  const { DuckDBInstance } = (await import(packageName)) as DuckDb;
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  const run = async (sql: string) => {
    await connection.run(sql);
  };
  return {
    name: 'duckdb',
    load: async (table, indexes = []) => {
      await run(createTable(table));
      for (const columns of indexes) await run(createIndex(table, columns));
      await run(`copy ${table.name} from '${csvPath(directory, table)}' (header false)`);
    },
    addIndex: (table, columns) => run(createIndex(table, columns)),
    dropIndex: (table, columns) => run(dropIndex(table, columns)),
    ask: async (question, turn) =>
      (await connection.runAndReadAll(question.sql(turn, 'duckdb'))).getRowObjectsJson(),
    [Symbol.asyncDispose]: async () => connection.closeSync(),
  };
}
