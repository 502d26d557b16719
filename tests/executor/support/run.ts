/** Runs plans over the memory transaction, in a world that stands still. */

import type { World } from '#base';
import {
  applyChange,
  type Catalog,
  emptyCatalog,
  type Table,
  type TableDefinition,
} from '#catalog';
import { Budget, executeProgram, Memory, type ProgramOutcome } from '#executor';
import { DatabaseError } from '#failure';
import type {
  BindingPlan,
  Parameter,
  ProgramPlan,
  QueryPlan,
  RelationPlan,
  StatementPlan,
} from '#planner';
import type { SpillSpace } from '#storage';
import type { Row } from '#value';
import { MemoryTransaction } from './memory-transaction.ts';
import { outputOf } from './plans.ts';

/** Time passes by `stepMs` with every look at the clock. */
export function testWorld(stepMs = 0): World & { yields: number } {
  let now = 1_700_000_000_000;
  let seed = 1;
  const random = () => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return seed / 2 ** 32;
  };
  const world = {
    yields: 0,
    clock: {
      unixMs: () => now,
      monotonicMs: () => {
        now += stepMs;
        return now;
      },
    },
    random: {
      unit: random,
      fill: (target: Uint8Array) => target.map((_, i, all) => (all[i] = random() * 256)),
    },
    scheduler: {
      yield: () => {
        world.yields++;
        return Promise.resolve();
      },
      afterTurn: (task: () => void) => queueMicrotask(task),
      after: () => ({ cancel: () => {} }),
    },
  };
  return world;
}

export function catalogOf(...tables: TableDefinition[]): Catalog {
  return tables.reduce(
    (catalog, table) => applyChange(catalog, { kind: 'create_table', table }).catalog,
    emptyCatalog,
  );
}

export function tableOf(catalog: Catalog, name: string): Table {
  const table = catalog.tables.find((candidate) => candidate.name === name);
  if (table === undefined) throw new Error(`no table ${name}`);
  return table;
}

export interface Setting {
  readonly catalog?: Catalog;
  readonly transaction?: MemoryTransaction;
  readonly parameters?: readonly Parameter[];
  readonly bindings?: readonly BindingPlan[];
  readonly limits?: { readonly memoryBytes?: number; readonly timeoutMs?: number };
  readonly spill?: SpillSpace;
  readonly memory?: Memory;
  readonly world?: World;
  readonly result?: string;
  readonly registerCount?: number;
  readonly parts?: number;
}

export function queryPlan(root: RelationPlan, setting: Setting = {}): QueryPlan {
  return {
    bindings: setting.bindings ?? [],
    root,
    registerCount: setting.registerCount ?? 8,
    parts: setting.parts ?? 0,
    output: root.output,
  };
}

export function query(name: string, root: RelationPlan, setting: Setting = {}): StatementPlan {
  return {
    kind: 'query',
    name,
    query: queryPlan(root, setting),
    cardinality: 'many',
    catalog: setting.catalog ?? emptyCatalog,
    isReferenced: true,
  };
}

/** A mutation whose input columns are the named columns of the table, in order. */
export function mutation(
  kind: 'create' | 'update' | 'delete',
  catalog: Catalog,
  [tableName, ...columns]: readonly [string, ...string[]],
  root: RelationPlan,
): StatementPlan {
  const table = tableOf(catalog, tableName);
  return {
    kind,
    name: `${kind}_${tableName}`,
    query: queryPlan(root),
    table,
    columnIndexes: table.columns.map((column) => columns.indexOf(column.name)),
    output: outputOf(table.columns),
    catalog,
    isReferenced: true,
  };
}

export function programOf(
  statements: readonly StatementPlan[],
  setting: Setting = {},
): ProgramPlan {
  const catalog = setting.catalog ?? emptyCatalog;
  return {
    statements,
    isQuery: false,
    columnsUsed: undefined,
    result: setting.result ?? statements.at(-1)?.name,
    needs: { scopes: new Set(), actions: [] },
    isReadOnly: false,
    readBound: undefined,
    pointLookups: undefined,
    catalog,
    catalogAfter: catalog,
    sources: [],
    tables: new Set(),
    tableEstimates: [],
    parameters: setting.parameters ?? [],
    claims: [],
    isPoliced: false,
  };
}

export function run(
  statements: readonly StatementPlan[],
  setting: Setting = {},
): ProgramOutcome | Promise<ProgramOutcome> {
  const transaction = setting.transaction ?? new MemoryTransaction();
  const world = setting.world ?? testWorld();
  const { memoryBytes = 256 << 20, timeoutMs = 0 } = setting.limits ?? {};
  return executeProgram(programOf(statements, setting), {
    view: transaction,
    transaction,
    world,
    budget: new Budget(world, { timeoutMs }),
    memory: setting.memory ?? new Memory(memoryBytes, undefined, setting.spill),
  });
}

/** The outcome, which must be there at once. */
export function runNow(
  statements: readonly StatementPlan[],
  setting: Setting = {},
): ProgramOutcome {
  const outcome = run(statements, setting);
  if (outcome instanceof Promise) throw new Error('expected an answer without waiting');
  return outcome;
}

export function rowsOf(root: RelationPlan, setting: Setting = {}): readonly Row[] {
  return runNow([query('q', root, setting)], setting).result?.rows ?? [];
}

/** Rows of one run that never waits and of one that waits at every third question; they must agree. */
export async function rowsBothWays(
  root: RelationPlan,
  setting: Setting & { readonly transaction: MemoryTransaction },
): Promise<readonly Row[]> {
  const rows = rowsOf(root, setting);
  const slow = await run([query('q', root, setting)], {
    ...setting,
    transaction: setting.transaction.slow(3),
  });
  if (!Bun.deepEquals(slow.result?.rows, rows)) throw new Error('waiting changed the result');
  return rows;
}

/** The failure of a run that fails at once: `reason: detail`. */
export function failureOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof DatabaseError) return `${error.failure.reason}: ${error.failure.detail}`;
    throw error;
  }
  return 'no failure';
}
