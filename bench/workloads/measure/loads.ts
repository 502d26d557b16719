/** Loads of one table with and without indexes, and index builds over its rows. */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine } from '../engines/engine.ts';
import type { MeasuredTable } from '../question.ts';
import type { ShopTable } from '../tables.ts';
import type { Outcome, Row } from './outcome.ts';
import { readsBeside } from './reads-beside.ts';
import { openTarget, type Target } from './target.ts';
import { Times } from './times.ts';

export interface LoadPlan {
  readonly command: readonly string[];
  readonly directory: string;
  readonly table: ShopTable;
  readonly measured: MeasuredTable;
  readonly rounds: number;
}

/** Opens empty references anew for every round; those of the last round remain open with the indexes of the table. */
export type OpenReferences = () => Promise<readonly Engine[]>;

export interface Loads {
  readonly rows: readonly Row[];
  readonly references: readonly Engine[];
}

export async function measureLoads(plan: LoadPlan, open: OpenReferences): Promise<Loads> {
  const { table, rounds, measured } = plan;
  const times = {
    plain: new Times(),
    indexed: new Times(),
    blocking: new Times(),
    online: new Times(),
  };
  let references: readonly Engine[] = [];
  const beside: Row[] = [];
  for (let round = 0; round < rounds; round++) {
    await withTarget(plan, async (target) => {
      await times.plain.addWatched(target, () => target.engine.load(table));
      await buildIndexes(target, plan, times);
      if (round === rounds - 1) beside.push(await readsBeside(target, table, measured));
    });
    await withTarget(plan, async (target) => {
      await times.indexed.addWatched(target, () => target.engine.load(table, table.indexes));
    });
    for (const engine of references) await engine[Symbol.asyncDispose]();
    references = await open();
    for (const engine of references) await loadReference(engine, plan, times);
  }
  const indexName = `index on ${measured.index.join(', ')}`;
  return {
    references,
    rows: [
      times.plain.row('load', 'load without index', table.count),
      times.indexed.row('load-indexed', 'load with two indexes', table.count),
      times.blocking.row('index-blocking', `${indexName}, blocking`, table.count),
      times.online.row('index-online', `${indexName}, online`, table.count),
      ...beside,
    ],
  };
}

type LoadTimes = Readonly<Record<'plain' | 'indexed' | 'blocking' | 'online', Times>>;

async function buildIndexes(
  target: Target,
  { table, measured: { index } }: LoadPlan,
  { blocking, online }: LoadTimes,
): Promise<void> {
  const { engine } = target;
  await engine.settle?.();
  if (await blocking.addWatched(target, () => engine.addIndex(table, index))) {
    await engine.dropIndex(table, index);
  }
  if (await online.addWatched(target, () => engine.addIndexOnline(table, index))) {
    await engine.dropIndex(table, index);
  }
}

/** A reference loads first and makes its indexes then, as one does. */
async function loadReference(engine: Engine, plan: LoadPlan, times: LoadTimes): Promise<void> {
  const { name } = engine;
  const { table, measured } = plan;
  const { index } = measured;
  const loadMs = await times.plain.add(name, () => engine.load(table));
  await times.blocking.add(name, () => engine.addIndex(table, index));
  await engine.dropIndex(table, index);
  // Both ways of svc are compared with the only one of a reference.
  times.online.outcomes[name] = times.blocking.outcomes[name] as Outcome;
  const addIndexes = async () => {
    for (const columns of table.indexes) await engine.addIndex(table, columns);
  };
  await times.indexed.add(name, addIndexes, loadMs);
}

async function withTarget(plan: LoadPlan, use: (target: Target) => Promise<void>): Promise<void> {
  const directory = join(plan.directory, 'svc-load');
  {
    await using target = await openTarget(plan.command, directory);
    await use(target);
  }
  rmSync(directory, { recursive: true, force: true });
}
