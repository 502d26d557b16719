/** One size of a workload: loads, questions in turn, and a restart. */

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Engine, reasonOf } from '../engines/engine.ts';
import type { EngineName, Question, Workload } from '../question.ts';
import type { ShopTable } from '../tables.ts';
import { askInTurn, type Pace } from './in-turn.ts';
import { loadIds, measureLoads } from './loads.ts';
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

export async function measureSize(plan: SizePlan): Promise<SizeReport> {
  const { rows, workload, isChosen } = plan;
  const table: Row[] = [];
  const keep = (row: Row) => {
    if (!isChosen(row.id)) return;
    table.push(row);
    plan.note(row);
  };
  const open = () => openReferences(plan);
  const kept = join(plan.directory, 'svc');
  const loaded = { svc: new Set<ShopTable>(), references: new Set<ShopTable>() };
  let references: readonly Engine[] | undefined;
  const { measured } = workload;
  const measuredTable = workload.tables.find(({ name }) => name === measured?.name);
  if (measured !== undefined && measuredTable !== undefined && loadIds.some(isChosen)) {
    const { command, directory, print } = plan;
    const rounds = plan.pace.changeRounds;
    const of = { command, directory, kept, table: measuredTable, measured };
    const loads = await measureLoads({ ...of, rounds, isChosen, print }, open);
    for (const row of loads.rows) keep(row);
    references = loads.references;
    loaded.references.add(measuredTable);
    if (loads.isKept) loaded.svc.add(measuredTable);
  }
  let storeMib = 0;
  const questions = workload.questions.filter(({ id }) => isChosen(id));
  if (questions.length > 0 || isChosen('restart')) {
    references ??= await open();
    const engines = { kept, references, loaded };
    storeMib = await askAll(plan, questions, engines, keep);
  }
  for (const engine of references ?? []) await engine[Symbol.asyncDispose]();
  return { rows, storeMib, table };
}

interface Engines {
  /** The directory of the store of svc. */
  readonly kept: string;
  readonly references: readonly Engine[];
  /** Tables that need not be loaded again. */
  readonly loaded: Readonly<Record<'svc' | 'references', ReadonlySet<ShopTable>>>;
}

/** Returns the size of the loaded store. */
async function askAll(
  plan: SizePlan,
  questions: readonly Question[],
  { kept, references, loaded }: Engines,
  keep: (row: Row) => void,
): Promise<number> {
  let storeMib = 0;
  {
    await using target = await openTarget(plan.command, kept);
    const engines = [target.engine, ...references];
    for (const table of plan.workload.tables) {
      for (const engine of engines) {
        const known = engine === target.engine ? loaded.svc : loaded.references;
        if (!known.has(table)) await loadWithIndexes(engine, table, plan.print);
      }
    }
    for (const engine of engines) await engine.settle?.();
    storeMib = sizeOf(kept) / mib;
    for (const question of questions) keep(await askWatched(question, target, engines, plan.pace));
  }
  const point = plan.workload.questions[0] as Question;
  if (plan.isChosen('restart')) keep(await restart(plan, kept, point));
  return storeMib;
}

/** A failure is printed. The questions then fail with a reason each. */
async function loadWithIndexes(
  engine: Engine,
  table: ShopTable,
  print: SizePlan['print'],
): Promise<void> {
  const isIndexedFirst = engine.name === 'svc';
  try {
    await engine.load(table, isIndexedFirst ? table.indexes : []);
    if (!isIndexedFirst) for (const columns of table.indexes) await engine.addIndex(table, columns);
    print(`${engine.name} holds ${table.name}`);
  } catch (error) {
    print(`${engine.name} does not hold ${table.name}: ${reasonOf(error)}`);
  }
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
async function restart(plan: SizePlan, directory: string, point: Question): Promise<Row> {
  const { command, print } = plan;
  const times = new Times({ id: 'restart', name: 'restart, to the first answer' }, print);
  for (let round = 0; round < restarts; round++) {
    const opened: Target[] = [];
    await times.add('svc', async () => {
      const target = await openTarget(command, directory);
      opened.push(target);
      await target.engine.ask(point, round);
    });
    for (const target of opened) await target[Symbol.asyncDispose]();
  }
  return times.row();
}

function sizeOf(directory: string): number {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
