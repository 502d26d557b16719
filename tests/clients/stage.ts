/** The corpus on a database in memory and on the oracle: text, answer, canonical result. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Program } from '#pir';
import {
  BuildError,
  type Client,
  type Compiled,
  CursorError,
  compile,
  createClient,
  type Page,
  pageOf,
  type Runnable,
  SvcError,
  tablesOf,
} from '../../clients/typescript/runtime/index.ts';
import {
  applyChange,
  copyDatabase,
  type Database,
  emptyDatabase,
  runProgram,
} from '../oracle/index.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { parseLossless } from '../support/lossless.ts';
import { type SchemaFile, schemaChanges } from '../support/schema-file.ts';
import { interpret, type Tree } from './interpret.ts';
import { tableInfos } from './make-tables.ts';

export interface Case {
  readonly name: string;
  readonly build: Tree;
  /** Absent where nothing is sent. */
  readonly text?: string;
  readonly result?: unknown;
  readonly problem?: Problem;
}

/** `class` of the client's error; code, reason and guard as the server tells them. */
export interface Problem {
  readonly class: string;
  readonly code?: string;
  readonly reason?: string;
  readonly guard?: string;
}

export const corpus = join(import.meta.dir, 'corpus');
const read = (name: string) => readFileSync(join(corpus, name), 'utf8');
export const schema = parse(read('schema.yaml')) as SchemaFile;
export const tables = tablesOf(tableInfos(schema));

/** Tables in the order in which they can be filled. */
export const seed = () =>
  JSON.parse(read('seed.json')) as readonly (readonly [table: string, rows: readonly unknown[]])[];

export interface Stage extends AsyncDisposable {
  readonly db: Client;
  readonly database: TestDatabase;
}

export async function openStage(): Promise<Stage> {
  const database = await openTestDatabase('direct', schema);
  const generated = { version: 1, hash: '', tables: [], compile: compiledOf, page: pageOf };
  const db = createClient(generated, {
    url: 'http://127.0.0.1:1',
    schema: 'off',
    fetch: async (url, { method, headers, body }) => {
      const { pathname, search } = new URL(url);
      const reply = await database.send(method, pathname + search, body, { ...headers });
      const text = reply.text === '' ? null : reply.text;
      return new Response(text, { status: reply.status, headers: reply.headers });
    },
  });
  for (const statement of seedStatements()) await db.run(statement as Runnable<unknown>);
  return { db, database, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
}

const seedStatements = () =>
  seed().map(([table, rows]) => compile(interpret(tables, ['insertMany', table, rows])));

export function oracleDatabase(): Database {
  const database = emptyDatabase('direct');
  for (const change of schemaChanges(schema)) applyChange(database, change, true);
  for (const { body } of seedStatements()) {
    const { kind } = runProgram(database, parseLossless(body) as Program);
    if (kind !== 'done') throw new Error(`the seed is ${kind}`);
  }
  return database;
}

/** Queries of the client come compiled or not. */
function compiledOf(runnable: unknown): Compiled {
  const isCompiled = typeof (runnable as Partial<Compiled>)?.body === 'string';
  return isCompiled ? (runnable as Compiled) : compile(runnable);
}

/** A case's tree as text. Throws BuildError, CursorError. */
export function compiledTree(build: Tree): Compiled {
  if (build[0] !== 'page') return compile(interpret(tables, build));
  return pageOf(interpret(tables, build[1]), build[2] as Parameters<typeof pageOf>[1]);
}

/** One page of a tree. */
export async function pageAt(build: Tree, db: Client): Promise<Page<unknown>> {
  return db.run(compiledTree(build) as Runnable<Page<unknown>>);
}

/** What becomes of a case: text, and result or problem. */
export async function outcomeOf(build: Tree, db: Client): Promise<Omit<Case, 'name' | 'build'>> {
  let compiled: Compiled;
  try {
    compiled = compiledTree(build);
  } catch (error) {
    return { problem: problemOf(error) };
  }
  const text = compiled.body;
  try {
    return { text, result: canonical(await db.run(compiled as Runnable<unknown>)) };
  } catch (error) {
    return { text, problem: problemOf(error) };
  }
}

function problemOf(error: unknown): Problem {
  if (error instanceof BuildError || error instanceof CursorError) return { class: error.name };
  if (!(error instanceof SvcError)) throw error;
  const { guard } = error as { guard?: string };
  const { name, code, reason } = error;
  return { class: name, code, reason, ...(guard !== undefined && { guard }) };
}

/** The oracle's answer to a text, decoded; undefined where the specification leaves it open. */
export function oracleOutcome(build: Tree, database: Database): Omit<Case, 'name' | 'build'> {
  const compiled = compiledTree(build);
  const outcome = runProgram(copyDatabase(database), parseLossless(compiled.body) as Program);
  if (outcome.kind === 'open') return {};
  if (outcome.kind === 'refused') {
    const [{ code, reason } = { code: '', reason: '' }] = outcome.errors;
    return { problem: { class: '', code, reason } };
  }
  if (outcome.isAmbiguous) return {};
  try {
    return { result: canonical(compiled.decode(exactly(parseLossless(outcome.result)))) };
  } catch (error) {
    return { problem: problemOf(error) };
  }
}

/** Integers beyond 2^53 as the client reads them: as texts. */
function exactly(value: unknown): unknown {
  if (typeof value === 'bigint') {
    return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  }
  if (Array.isArray(value)) return value.map(exactly);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, exactly(one)]));
}

/** As JSON that is the same in every language; members in order. */
export function canonical(value: unknown): unknown {
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : { $int64: String(value) };
  }
  if (Object.is(value, -0)) return { $float: '-0' };
  if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString('base64') };
  if (Array.isArray(value)) return value.map(canonical);
  if (value === undefined) return null;
  if (value === null || typeof value !== 'object') return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(
    names.map((name) => [name, canonical((value as Readonly<Record<string, unknown>>)[name])]),
  );
}
