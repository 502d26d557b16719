/**
 * The ways to run a program: the engine as it is, the engine without access paths, the engine with wrong ideas of what is in its tables, the engine
 * without spools, the engine over rows that lie as columns, the engine that puts down what it would hold, and the oracle. All but the last are engines in memory of their own, so that what a
 * mutation leaves behind is compared too.
 */

import { anyone, type Principal } from '#access';
import { systemWorld } from '#base';
import type { Catalog, CatalogChange } from '#catalog';
import { type Engine, openEngine, type ProgramResponse } from '#engine';
import { DatabaseError, reasons } from '#failure';
import type { Query } from '#lir';
import type { Program } from '#pir';
import type { PlanOptions } from '#planner';
import type { StoreTuning } from '#storage';
import { encodeResult } from '#value';
import { checkProgram } from '#wire';
import { rowEncoderOf } from '../../src/value/json/encode.ts';
import {
  applyChange,
  type Database,
  emptyDatabase,
  type Outcome,
  runProgram,
  tableTexts,
} from '../oracle/index.ts';
import { SpillDirectory } from '../support/spill-directory.ts';
import { lies, lyingExperience } from '../support/synopses.ts';
import type { Answer } from './answer.ts';
import { addPlanParts } from './plan-parts.ts';

export type Mode = 'direct' | 'schema';

export const plannings: Readonly<Record<string, PlanOptions>> = {
  engine: { accessPaths: 'all', crossings: 'spooled' },
  scan_only: { accessPaths: 'scan_only', crossings: 'spooled', topSorts: 'whole' },
  misled: { accessPaths: 'all', crossings: 'spooled' },
  nested: {
    accessPaths: 'all',
    crossings: 'nested',
    without: [
      'index_only',
      'key_lists',
      'join_order',
      'late_tests',
      'membership',
      'merge_join',
      'outer_to_inner',
      'redundant_distinct',
      'semi_join',
      'rows_ahead',
      'zones',
    ],
  },
  columns: { accessPaths: 'all', crossings: 'spooled' },
  spilled: {
    accessPaths: 'scan_only',
    crossings: 'spooled',
    topSorts: 'whole',
    // A merge holds too little to be put down.
    without: ['merge_join'],
  },
};

/**
 * Every commit becomes a table at once, and few of those are left beside each other: rows are read from blocks, and from small ones. No scan
 * fits into the cache, so that the blocks of a scan share memory.
 */
const columnTuning: StoreTuning = {
  cacheBytes: 1,
  memtableBytes: 1,
  blockBytes: 400,
  filterKeysMin: 0,
  flushedTablesMax: 2,
  flushedTablesPerKeyMax: 2,
};

export interface Way extends AsyncDisposable {
  readonly name: string;
  readonly catalog: Catalog;
  run(program: Program): Promise<Answer>;
  /** The texts of the rows of a table, in key order. */
  table(name: string): Promise<readonly string[]>;
}

const world = systemWorld();

/** An engine in memory with a schema. */
export async function openWay(
  name: string,
  mode: Mode,
  changes: readonly CatalogChange[],
): Promise<Way> {
  const engine = await openWayEngine(name, mode, changes);
  return {
    name,
    get catalog() {
      return engine.catalog;
    },
    run: (program) => answerOnWay(engine, name, program),
    table: (table) => rowsOfTable(engine, table),
    [Symbol.asyncDispose]: () => engine.close(),
  };
}

/** Runs a program on the engine of a way, by default of a client to whom no policies apply. */
export async function answerOnWay(
  engine: Engine,
  name: string,
  program: Program,
  principal: Principal = anyone,
): Promise<Answer> {
  const answer = await answerOf(engine, program, !byOperators.has(name), principal);
  if (name === 'columns') await settled();
  return answer;
}

export async function openWayEngine(
  name: string,
  mode: Mode,
  changes: readonly CatalogChange[],
): Promise<Engine> {
  const engine = await openEngine({
    storage: 'memory',
    path: '',
    mode,
    world,
    tuning: { cacheBytes: 1 << 20, ...(name === 'columns' && columnTuning) },
    programMemoryBytes: 256 << 20,
    statementTimeoutMs: 0,
    concurrency: 1,
    queueMax: 1,
    holderAddress: 'test',
    planning: plannings[name] as PlanOptions,
    ...(name === 'misled' && { statistics: lies(1), experience: lyingExperience(2) }),
    ...(name === 'spilled' && { openSpill: () => new SpillDirectory().space({ holdBytes: 64 }) }),
  });
  for (const change of changes) await engine.changeCatalog(() => change);
  return engine;
}

/** Flushes and merges of a store in memory take some turns, and no time. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await new Promise(setImmediate);
}

const options = { showPlan: false, dryRun: false };

/** Ways whose statements of one row operators run: what an engine is asked for the first time it counts in detail. */
const byOperators: ReadonlySet<string> = new Set(['scan_only', 'nested']);

/** `isPlain`: nothing is counted in detail, so that statements of one row run without operators. */
async function answerOf(
  engine: Engine,
  program: Program,
  isPlain = false,
  principal: Principal = anyone,
): Promise<Answer> {
  const requestContext = engine.requestContext({ principal });
  if (isPlain) engine.trace(requestContext, false);
  try {
    return done(
      await engine.execute({ program: () => checkProgram(program), ...options }, requestContext),
    );
  } catch (error) {
    if (!(error instanceof DatabaseError)) return crashed(error);
    const { reason } = error.failure;
    const { code } = reasons[reason];
    return code === 'internal' ? crashed(error) : { kind: 'refused', code, reason };
  } finally {
    requestContext.close();
  }
}

function crashed(error: unknown): Answer {
  return { kind: 'crashed', error: error instanceof Error ? `${error.stack}` : String(error) };
}

function done({ result, statements, prepared }: ProgramResponse): Answer {
  const affected = statements.map((statement) => statement.affected);
  const operators = new Set<string>();
  addPlanParts(prepared, (part) => operators.add(part));
  if (result === undefined) {
    return { kind: 'done', result: 'null', rows: undefined, affected, operators };
  }
  const { columns, rows, cardinality } = result;
  const texts = cardinality === 'many' ? rows.map(rowEncoderOf(columns)) : undefined;
  return {
    kind: 'done',
    result: encodeResult(columns, rows, cardinality),
    rows: texts,
    affected,
    operators,
  };
}

export async function rowsOfTable(engine: Engine, name: string): Promise<readonly string[]> {
  const table = engine.catalog.tables.find((candidate) => candidate.name === name);
  if (table === undefined) return ['there is no such table'];
  const answer = await answerOf(engine, { statements: [dumpOf(name, keyColumn(table))] });
  if (answer.kind !== 'done') throw new Error(`${name} cannot be read: ${JSON.stringify(answer)}`);
  return answer.rows ?? [];
}

function keyColumn(table: Engine['catalog']['tables'][number]): string {
  const [id] = table.primaryKey;
  return table.columns.find((column) => column.id === id)?.name as string;
}

/** All rows of a table, in key order. */
export function dumpOf(table: string, column: string): Program['statements'][number] {
  const expr = { kind: 'col', scope: 's', column } as const;
  const relation: Query = {
    nodes: {
      s: { kind: 'scan', table, scope: 's' },
      o: { kind: 'order', input: 's', terms: [{ expr }] },
    },
    root: { node: 'o', cardinality: 'many' },
  };
  return { kind: 'query', name: 'q', relation };
}

/** The naive evaluator with the same schema. */
export class OracleWay {
  readonly database: Database;

  constructor(mode: Mode, changes: readonly CatalogChange[]) {
    this.database = emptyDatabase(mode);
    for (const change of changes) applyChange(this.database, change, true);
  }

  run(program: Program): Outcome {
    return runProgram(this.database, program);
  }

  tables(): ReadonlyMap<string, readonly string[]> {
    return tableTexts(this.database);
  }
}
