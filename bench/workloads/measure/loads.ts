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
  /** Receives a store that is removed again. */
  readonly directory: string;
  /** Receives the store of the last load with indexes, which remains. */
  readonly kept: string;
  readonly table: ShopTable;
  readonly measured: MeasuredTable;
  readonly rounds: number;
  /** Whether a row is measured. Other work is left out. */
  readonly isChosen: (id: string) => boolean;
  readonly print: (line: string) => void;
}

/** The ids of the rows. */
const ids = {
  plain: 'load',
  indexed: 'load-indexed',
  blocking: 'index-blocking',
  online: 'index-online',
  beside: 'reads-beside',
};

export const loadIds: readonly string[] = Object.values(ids);

/** Opens empty references anew for every round; those of the last round remain open with the indexes of the table. */
export type OpenReferences = () => Promise<readonly Engine[]>;

export interface Loads {
  readonly rows: readonly Row[];
  readonly references: readonly Engine[];
  /** Whether the store at `kept` contains the table. */
  readonly isKept: boolean;
}

export async function measureLoads(plan: LoadPlan, open: OpenReferences): Promise<Loads> {
  const { rounds } = plan;
  const times = timesFor(plan);
  let references: readonly Engine[] = [];
  const beside: Row[] = [];
  let isKept = false;
  for (let round = 1; round <= rounds; round++) {
    const isLast = round === rounds;
    const found = await loadPlain(plan, times, isLast);
    if (found !== undefined) beside.push(found);
    if (plan.isChosen(ids.indexed)) isKept = await loadIndexed(plan, times, isLast);
    for (const engine of references) await engine[Symbol.asyncDispose]();
    references = await open();
    for (const engine of references) await loadReference(engine, plan, times);
  }
  return { references, isKept, rows: [...Object.values(times).map((of) => of.row()), ...beside] };
}

type LoadTimes = Readonly<Record<'plain' | 'indexed' | 'blocking' | 'online', Times>>;

function timesFor({ table, measured, print }: LoadPlan): LoadTimes {
  const of = (id: string, name: string) => new Times({ id, name, rows: table.count }, print);
  const index = `index on ${measured.index.join(', ')}`;
  return {
    plain: of(ids.plain, 'load without index'),
    indexed: of(ids.indexed, 'load with two indexes'),
    blocking: of(ids.blocking, `${index}, blocking`),
    online: of(ids.online, `${index}, online`),
  };
}

/** In a store that is removed. After the last round, point reads run beside a build of the index. */
async function loadPlain(
  plan: LoadPlan,
  times: LoadTimes,
  isLast: boolean,
): Promise<Row | undefined> {
  const { table, measured, isChosen } = plan;
  if (![ids.plain, ids.blocking, ids.online, ids.beside].some(isChosen)) return undefined;
  const directory = join(plan.directory, 'svc-load');
  let beside: Row | undefined;
  await withTarget(plan.command, directory, async (target) => {
    const { engine } = target;
    await times.plain.addWatched(target, () => engine.load(table));
    await engine.settle?.();
    const { index } = measured;
    const builds = [
      [ids.blocking, times.blocking, () => engine.addIndex(table, index)],
      [ids.online, times.online, () => engine.addIndexOnline(table, index)],
    ] as const;
    for (const [id, into, build] of builds) {
      if (isChosen(id) && (await into.addWatched(target, build))) {
        await engine.dropIndex(table, index);
      }
    }
    if (isLast && isChosen(ids.beside)) beside = await readsBeside(target, table, measured);
  });
  rmSync(directory, { recursive: true });
  return beside;
}

/** Returns whether the store of the last round remains. */
async function loadIndexed(plan: LoadPlan, times: LoadTimes, isLast: boolean): Promise<boolean> {
  const { table, kept } = plan;
  let isLoaded = false;
  await withTarget(plan.command, kept, async (target) => {
    const load = () => target.engine.load(table, table.indexes);
    isLoaded = await times.indexed.addWatched(target, load);
  });
  const isKept = isLast && isLoaded;
  if (!isKept) rmSync(kept, { recursive: true });
  return isKept;
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

async function withTarget(
  command: readonly string[],
  directory: string,
  use: (target: Target) => Promise<void>,
): Promise<void> {
  await using target = await openTarget(command, directory);
  await use(target);
}
