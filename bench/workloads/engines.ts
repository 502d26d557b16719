/** The engines that the shop is loaded into: svc over HTTP, and what it is compared with in this process. */

import { Database } from 'bun:sqlite';
import type { Dialect, Question } from './question.ts';
import type { Cell, ShopTable } from './tables.ts';

export interface Engine extends AsyncDisposable {
  readonly name: 'svc' | Dialect;
  load(table: ShopTable): Promise<void>;
  addIndex(table: ShopTable, columns: readonly string[]): Promise<void>;
  ask(question: Question, turn: number): unknown;
}

const rowsPerProgram = 2_000;

export function svc(port: number): Engine {
  const send = async (body: string) => {
    const response = await fetch(`http://127.0.0.1:${port}/execute`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    const text = await response.text();
    if (!response.ok) throw new Error(text.slice(0, 2_000));
    return text;
  };
  const statement = (of: object) => send(JSON.stringify({ statements: [of] }));
  let tables = 0;
  return {
    name: 'svc',
    load: async (table) => {
      const { name, columns, count } = table;
      const primary_key = [columns[0]?.name];
      tables++;
      await statement({ kind: 'create_table', name: 't', table: { name, columns, primary_key } });
      let at = 0;
      const client = async () => {
        while (at < count) {
          const from = at;
          at += rowsPerProgram;
          await send(createRows(table, from, Math.min(count, at)));
        }
      };
      await Promise.all([client(), client()]);
    },
    addIndex: async (_, columns) => {
      const index = { name: `by_${columns.join('_')}_${tables}`, columns, unique: false };
      await statement({ kind: 'create_index', name: 'i', table_id: tables, index });
    },
    ask: (question, turn) => send(question.program(turn)),
    [Symbol.asyncDispose]: async () => {},
  };
}

function createRows({ name, columns, row }: ShopTable, from: number, to: number): string {
  const rows: string[][] = [];
  for (let id = from; id < to; id++) rows.push(row(id).map(String));
  const node = { kind: 'rows', scope: 'r', columns, rows };
  const relation = { nodes: { r: node }, root: { node: 'r', cardinality: 'many' } };
  return JSON.stringify({ statements: [{ kind: 'create', name: 'c', table: name, relation }] });
}

const sqlTypes = { int64: 'bigint', float64: 'double', text: 'text' } as const;

function createTable({ name, columns }: ShopTable, keyType: string): string {
  const list = columns.map((column, i) =>
    i === 0
      ? `${column.name} ${keyType} primary key`
      : `${column.name} ${sqlTypes[column.type]} not null`,
  );
  return `create table ${name} (${list.join(', ')})`;
}

export function sqlite(file: string): Engine {
  const database = new Database(file);
  database.run('pragma journal_mode = wal');
  database.run('pragma cache_size = -262144');
  return {
    name: 'sqlite',
    load: async (table) => {
      database.run(createTable(table, 'integer'));
      const places = table.columns.map(() => '?').join(', ');
      const insert = database.prepare(`insert into ${table.name} values (${places})`);
      database.transaction(() => {
        for (let id = 0; id < table.count; id++) insert.run(...(table.row(id) as Cell[]));
      })();
    },
    addIndex: async ({ name }, columns) => {
      database.run(`create index ${name}_${columns.join('_')} on ${name} (${columns.join(', ')})`);
    },
    ask: (question, turn) => database.query(question.sql(turn, 'sqlite')).all(),
    [Symbol.asyncDispose]: async () => database.close(),
  };
}

/** The parts of `@duckdb/node-api` that are used. */
interface DuckDb {
  readonly DuckDBInstance: {
    create(path: string, options: object): Promise<{ connect(): Promise<DuckDbConnection> }>;
  };
}

interface DuckDbConnection {
  run(sql: string): Promise<unknown>;
  runAndReadAll(sql: string): Promise<{ getRowObjectsJson(): unknown }>;
  createAppender(table: string): Promise<DuckDbAppender>;
  closeSync(): void;
}

interface DuckDbAppender {
  appendBigInt(value: bigint): void;
  appendDouble(value: number): void;
  appendVarchar(value: string): void;
  endRow(): void;
  closeSync(): void;
}

/** With one thread; undefined where the package is not installed. */
export async function duckdb(): Promise<Engine | undefined> {
  const connection = await connectDuckDb();
  if (connection === undefined) return undefined;
  return {
    name: 'duckdb',
    load: async (table) => {
      await connection.run(createTable(table, 'bigint'));
      const appender = await connection.createAppender(table.name);
      for (let id = 0; id < table.count; id++) {
        table.row(id).forEach((cell, i) => {
          const type = table.columns[i]?.type;
          if (type === 'int64') appender.appendBigInt(BigInt(cell));
          else if (type === 'float64') appender.appendDouble(cell as number);
          else appender.appendVarchar(cell as string);
        });
        appender.endRow();
      }
      appender.closeSync();
    },
    addIndex: async ({ name }, columns) => {
      await connection.run(
        `create index ${name}_${columns.join('_')} on ${name} (${columns.join(', ')})`,
      );
    },
    ask: async (question, turn) =>
      (await connection.runAndReadAll(question.sql(turn, 'duckdb'))).getRowObjectsJson(),
    [Symbol.asyncDispose]: async () => connection.closeSync(),
  };
}

async function connectDuckDb(): Promise<DuckDbConnection | undefined> {
  const packageName: string = '@duckdb/node-api';
  try {
    const { DuckDBInstance } = (await import(packageName)) as DuckDb;
    const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
    return await instance.connect();
  } catch {
    return undefined;
  }
}
