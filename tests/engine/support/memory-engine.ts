/** Engines over a store in memory, and tables in them, for tests that ask whole programs. */

import { systemWorld } from '#base';
import { type Engine, type EngineOptions, openEngine } from '#engine';
import { checkProgram } from '#wire';

type Setting = Partial<
  Pick<
    EngineOptions,
    | 'storage'
    | 'path'
    | 'world'
    | 'tuning'
    | 'planning'
    | 'statistics'
    | 'experience'
    | 'programMemoryBytes'
    | 'openSpill'
  >
>;

/** In memory, unless the setting names another storage. */
export function memoryEngine({ tuning, ...setting }: Setting = {}): Promise<Engine> {
  return openEngine({
    storage: 'memory',
    path: '',
    mode: 'direct',
    world: systemWorld(),
    tuning: { cacheBytes: 1 << 20, ...tuning },
    programMemoryBytes: 64 << 20,
    statementTimeoutMs: 0,
    concurrency: 1,
    queueMax: 1,
    holderAddress: 'test',
    ...setting,
  });
}

interface TableDefinition {
  readonly name: string;
  readonly columns: readonly object[];
  readonly indexes?: readonly object[];
}

/** Makes a table with the primary key `id`, and fills it in the same program. */
export async function createFilled(
  engine: Engine,
  table: TableDefinition,
  rows: readonly (readonly (string | null)[])[],
): Promise<void> {
  const node = { kind: 'rows', scope: 'r', columns: table.columns, rows };
  const relation = { nodes: { r: node }, root: { node: 'r', cardinality: 'many' } };
  const statements = [
    { kind: 'create_table', name: 'a', table: { ...table, primary_key: ['id'] } },
    { kind: 'create', name: 'b', table: table.name, relation },
  ];
  await resultOf(engine, statements, 'b');
}

export async function resultOf(engine: Engine, statements: readonly object[], result: string) {
  const program = checkProgram({ statements, result });
  const answer = await engine.execute({ program: () => program });
  return answer.result;
}

/** The flush of a store in memory takes some turns, and no time. */
export async function flushed(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await new Promise(setImmediate);
}
