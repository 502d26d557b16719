/** An engine over a store in memory with one table of registers, and short hands for statements over it. */

import { systemWorld, type World } from '#base';
import type { Engine, EngineOptions, EngineTransaction, ProgramRequest } from '#engine';
import type { Store } from '#storage';
import { checkProgram } from '#wire';
import type { Database } from '../../../src/engine/database.ts';
import { openDatabase } from '../../../src/engine/open.ts';
import { engineOver } from '../../../src/engine/open-engine.ts';
import { Chain, col, compare, int, statement } from '../../serializability/lir.ts';

export interface Setting {
  readonly engine: Engine;
  readonly store: Store;
  readonly database: Database;
}

export async function openSetting(
  options: Partial<EngineOptions> = {},
  world: World = systemWorld(),
): Promise<Setting> {
  const all: EngineOptions = {
    storage: 'memory',
    path: '',
    mode: 'direct',
    world,
    tuning: { cacheBytes: 1 << 20 },
    programMemoryBytes: 8 << 20,
    statementTimeoutMs: 0,
    concurrency: 4,
    queueMax: 4,
    holderAddress: 'test',
    ...options,
  };
  const database = await openDatabase(all);
  const engine = engineOver(database, all);
  await execute(engine, createTable('register'));
  return { engine, database, store: database.store };
}

/** A program of these statements. */
export function requestOf(...statements: unknown[]): ProgramRequest {
  const program = checkProgram(programOf(statements));
  return { program: () => program };
}

/** It returns what its last statement does. */
function programOf(statements: readonly unknown[]) {
  const last = statements.at(-1) as { readonly name: string; readonly kind: string };
  const isCatalog = last.kind.includes('_');
  return { statements, ...(isCatalog ? {} : { result: last.name }) };
}

export function execute(engine: Engine, ...statements: unknown[]) {
  return engine.execute(requestOf(...statements));
}

/** Runs the statements as one plan; the rows of the result. */
export async function run(
  transaction: EngineTransaction,
  ...statements: unknown[]
): Promise<readonly (readonly number[])[]> {
  const { result } = await transaction.run(requestOf(...statements));
  return (result?.rows ?? []).map((row) => row.map(Number));
}

/** Rows as a program of its own sees them. */
export async function rows(engine: Engine, table = 'register') {
  const { result } = await execute(engine, all(table));
  return (result?.rows ?? []).map((row) => row.map(Number));
}

export function createTable(name: string, more: object = {}): unknown {
  const columns = ['key', 'value'].map((it) => ({ name: it, type: 'int64' }));
  const table = { name, columns, primary_key: ['key'], ...more };
  return { kind: 'create_table', name: 'made', table };
}

export function put(key: number, value: number, table = 'register'): unknown {
  return statement('create', 'put', Chain.row('r', { key, value }), { table });
}

export function set(key: number, value: number): unknown {
  return statement('update', 'set', Chain.row('r', { key, value }), { table: 'register' });
}

export function remove(key: number, table = 'register'): unknown {
  return statement('delete', 'remove', withKey(key, table).pick({ key: col('r', 'key') }), {
    table,
  });
}

export function get(key: number): unknown {
  return statement('query', 'got', withKey(key, 'register').orderBy('key'));
}

export function all(table = 'register'): unknown {
  return statement('query', 'all', Chain.scan(table, 'r').orderBy('key'));
}

function withKey(key: number, table: string): Chain {
  return Chain.scan(table, 'r').where(compare('eq', col('r', 'key'), int(key)));
}
