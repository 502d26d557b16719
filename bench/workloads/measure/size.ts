/** One size of a workload: loads, questions in turn, and a restart. */

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine } from '../engines/engine.ts';
import type { EngineName, Question, Workload } from '../question.ts';
import type { ShopTable } from '../tables.ts';
import { askInTurn, type Pace } from './in-turn.ts';
import { measureLoads } from './loads.ts';
import type { Row, SizeReport } from './outcome.ts';
import { openReferences } from './references.ts';
import { openTarget, type Target } from './target.ts';
import { Times } from './times.ts';

const restarts = 3;
const mib = 1 << 20;

export interface SizePlan {
  readonly rows: number;
  readonly workload: Workload;
  /** The command that runs svc. */
  readonly command: readonly string[];
  /** Exists, and receives all data. */
  readonly directory: string;
  readonly engines: readonly EngineName[];
  readonly pace: Pace;
  /** Whether a question, a load or the restart is measured. */
  readonly isChosen: (id: string) => boolean;
  readonly print: (line: string) => void;
  /** Receives each line as soon as it is measured. */
  readonly note: (row: Row) => void;
}

/** The ids of the rows of loads.ts. */
export const loadIds = ['load', 'load-indexed', 'index-blocking', 'index-online', 'reads-beside'];

export async function measureSize(plan: SizePlan): Promise<SizeReport> {
  const { rows, workload, isChosen } = plan;
  const table: Row[] = [];
  const keep = (row: Row) => {
    if (!isChosen(row.id)) return;
    table.push(row);
    plan.note(row);
  };
  const open = () => openReferences(plan);
  const loaded = new Set<ShopTable>();
  let references: readonly Engine[] | undefined;
  const { measured } = workload;
  const measuredTable = workload.tables.find(({ name }) => name === measured?.name);
  if (measured !== undefined && measuredTable !== undefined && loadIds.some(isChosen)) {
    const { command, directory } = plan;
    const rounds = plan.pace.changeRounds;
    const loads = await measureLoads(
      { command, directory, table: measuredTable, measured, rounds },
      open,
    );
    for (const row of loads.rows) keep(row);
    references = loads.references;
    loaded.add(measuredTable);
  }
  let storeMib = 0;
  const questions = workload.questions.filter(({ id }) => isChosen(id));
  if (questions.length > 0 || isChosen('restart')) {
    references ??= await open();
    storeMib = await askAll(plan, questions, { references, loaded }, keep);
  }
  for (const engine of references ?? []) await engine[Symbol.asyncDispose]();
  return { rows, storeMib, table };
}

/** Returns the size of the loaded store. */
async function askAll(
  plan: SizePlan,
  questions: readonly Question[],
  known: { readonly references: readonly Engine[]; readonly loaded: ReadonlySet<ShopTable> },
  keep: (row: Row) => void,
): Promise<number> {
  const directory = join(plan.directory, 'svc');
  let storeMib = 0;
  {
    await using target = await openTarget(plan.command, directory);
    const engines = [target.engine, ...known.references];
    for (const table of plan.workload.tables) {
      for (const engine of engines) {
        const isLoaded = engine !== target.engine && known.loaded.has(table);
        if (!isLoaded) await loadWithIndexes(engine, table);
      }
    }
    for (const engine of engines) await engine.settle?.();
    storeMib = sizeOf(directory) / mib;
    for (const question of questions) keep(await askWatched(question, target, engines, plan.pace));
  }
  const point = plan.workload.questions[0] as Question;
  if (plan.isChosen('restart')) keep(await restart(plan.command, directory, point));
  return storeMib;
}

async function loadWithIndexes(engine: Engine, table: ShopTable): Promise<void> {
  if (engine.name === 'svc') return engine.load(table, table.indexes);
  await engine.load(table);
  for (const columns of table.indexes) await engine.addIndex(table, columns);
}

async function askWatched(
  question: Question,
  target: Target,
  engines: readonly Engine[],
  pace: Pace,
): Promise<Row> {
  let outcomes: Row['outcomes'] = {};
  const gauge = await target.watched(async () => {
    const asked = await askInTurn(question, engines, pace);
    outcomes = asked.outcomes;
    return asked.requests;
  });
  const { id, name, change } = question;
  return { id, name, ...(change !== undefined && { rows: change.rows }), outcomes, gauge };
}

/** From the start of a process to its first answer. */
async function restart(
  command: readonly string[],
  directory: string,
  point: Question,
): Promise<Row> {
  const times = new Times();
  for (let round = 0; round < restarts; round++) {
    const opened: Target[] = [];
    await times.add('svc', async () => {
      const target = await openTarget(command, directory);
      opened.push(target);
      await target.engine.ask(point, round);
    });
    for (const target of opened) await target[Symbol.asyncDispose]();
  }
  return times.row('restart', 'restart, to the first answer');
}

function sizeOf(directory: string): number {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
