/**
 * The power goes at every effect of a transition, from its start to its end and to the reclamation of what it leaves. The next process
 * carries it on, and the end is that of a run that nothing has disturbed.
 */

import { expect } from 'bun:test';
import type { World } from '#base';
import { canonicalSchema, type Table } from '#catalog';
import type { EngineOptions } from '#engine';
import { TransitionWorker } from '#transitions';
import { openDatabaseIn } from '../../src/engine/open.ts';
import { engineOver } from '../../src/engine/open-engine.ts';
import { openStoreIn } from '../../src/storage/assembly/open.ts';
import { prepareTree } from '../../src/storage/object/directory-tree.ts';
import { directoryLocation } from '../../src/storage/place/location.ts';
import { type Faults, FaultyDirectory, PowerLoss } from '../storage/object/faulty-directory.ts';
import { seededRandom, seededWorld } from '../storage/object/seeded-world.ts';
import { audit, storedRows } from './audit.ts';
import {
  buildIndex,
  createTable,
  mutation,
  runsOf,
  type Typed,
  type Workshop,
  workshopOver,
} from './support.ts';

const columns = ['id int64', 'v text?', 'w int64?'] as readonly Typed[];
const rowCount = 24;
const stepRows = 5;
/** Whether an index is built in runs. */
type InRuns = 'in runs' | undefined;

interface Life {
  readonly db: Workshop;
  readonly worker: TransitionWorker;
}

/** Timers are due at once; those of a process without power take their time, so that what looks around for ever does not keep others busy. */
function impatient(world: World, directory: FaultyDirectory): World {
  const after = (ms: number, task: () => void) => {
    if (directory.hasLostPower) setTimeout(task, ms).unref();
    else setImmediate(task);
    return { cancel: () => {} };
  };
  return { ...world, scheduler: { ...world.scheduler, after } };
}

async function open(directory: FaultyDirectory, inRuns: InRuns): Promise<Life> {
  const world = impatient(seededWorld(7), directory);
  await prepareTree(directory);
  const parts = directoryLocation(directory, world, 64 << 10);
  const place = { ...parts, unenforced: undefined, announce: () => {}, close: () => {} };
  const store = await openStoreIn(place, { storage: 'file', path: '', world });
  const options: EngineOptions = {
    storage: 'file',
    path: '',
    mode: 'direct',
    world,
    tuning: {},
    programMemoryBytes: 64 << 20,
    statementTimeoutMs: 0,
    concurrency: 4,
    queueMax: 64,
    holderAddress: 'test',
    worksOnTransitions: false,
  };
  const database = await openDatabaseIn(store, options);
  const engine = engineOver(database, options);
  const runs = inRuns === undefined ? {} : runsOf(7);
  const worker = new TransitionWorker(database, { stepRows, ...runs });
  database.catalogListeners.add(() => worker.wake());
  return { db: workshopOver(engine), worker };
}

/** The transition, changes between two of its steps, and all work up to the end; what has happened before a crash is not done again. */
async function work(life: Life, start: object): Promise<void> {
  const { db, worker } = life;
  const { catalog } = db.engine;
  const isStarted =
    (catalog.endedTransitions?.length ?? 0) > 0 || catalog.tables[1]?.transitions !== undefined;
  if (!isStarted) {
    await db.start(start);
    await worker.round();
    await worker.round();
  }
  await change(db);
  for (let isBusy = true; isBusy; ) {
    isBusy = await worker.round();
    if (db.engine.poisoned !== undefined) throw db.engine.poisoned;
  }
}

/** Two violations are set right, one of a row that may have been looked at already. */
async function change(db: Workshop): Promise<void> {
  const rows = await storedRows(db.engine, db.engine.catalog.tables[1] as Table);
  if (rows.find(([id]) => id === 20)?.[1] !== '71' && rows.some(([id]) => id === 3)) {
    await db.run(
      mutation('update', 't', ['id int64', 'v text'], ['1', '70'], ['20', '71']),
      mutation('delete', 't', ['id int64'], ['3']),
    );
  }
}

/** All that outlives a process. */
async function stateOf({ db }: Life): Promise<string> {
  const { engine } = db;
  expect(await audit(engine)).toEqual([]);
  const rows = await storedRows(engine, engine.catalog.tables[1] as Table);
  const ended = engine.catalog.endedTransitions?.map(({ state }) => state);
  const { json } = await db.send('GET', '/schema/transitions');
  const { transitions } = json as { transitions: { state: string; last_error?: string }[] };
  const shown = transitions.map(({ state, last_error }) => [state, last_error]);
  const schema = canonicalSchema(engine.catalog);
  return JSON.stringify([schema, engine.catalog.version, ended, shown, rows]);
}

/** A database with rows, closed in good order. */
async function prepared(v: (i: number) => string | null): Promise<FaultyDirectory> {
  const directory = new FaultyDirectory(seededRandom(1));
  const { db } = await open(directory, undefined);
  await db.run(createTable('p', ['id int64']), createTable('t', columns));
  await db.run(
    mutation('create', 'p', ['id int64'], ...Array.from({ length: 80 }, (_, i) => [String(i)])),
  );
  const rows = Array.from({ length: rowCount }, (_, i) => [String(i), v(i), String(i)]);
  await db.run(mutation('create', 't', columns, ...rows));
  await db.engine.close();
  return directory;
}

/** What a life without power ends with; anything else is a mistake. */
function isPowerLoss(error: unknown, directory: FaultyDirectory): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause as Error) {
    if (cause instanceof PowerLoss) return true;
  }
  return directory.hasLostPower;
}

async function carriedThrough(
  before: FaultyDirectory,
  [, , start, inRuns]: (typeof cases)[number],
  faults: Faults,
): Promise<{ readonly effects: number; readonly state: string | undefined }> {
  const directory = before.afterPowerLoss(faults);
  let life: Life | undefined;
  try {
    life = await open(directory, inRuns);
    await work(life, start);
    const state = await stateOf(life);
    await life.db.engine.close();
    return { effects: directory.effects, state };
  } catch (error) {
    if (!isPowerLoss(error, directory)) throw error;
    const next = await open(directory.afterPowerLoss(), inRuns);
    await work(next, start);
    const state = await stateOf(next);
    await next.db.engine.close();
    return { effects: directory.effects, state };
  }
}

const onT = (start: object) => ({ ...start, table_id: 2 });
const replacement = { type: 'int64', nullable: true } as const;
const constraint = { name: 'c', kind: 'not_null', column_id: 2 };
const key = { name: 'fk', columns: ['w'], ref_table: 'p', ref_columns: ['id'] };

export const cases: readonly (readonly [string, (i: number) => string | null, object, InRuns?])[] =
  [
    ['an index build', String, onT(buildIndex('i', ['v']))],
    ['an index build in runs', String, onT(buildIndex('i', ['v'])), 'in runs'],
    ['a unique index build', (i) => (i === 3 ? '2' : String(i)), onT(buildIndex('i', ['v'], true))],
    ['a unique index build that fails', (i) => String(i % 20), onT(buildIndex('i', ['v'], true))],
    [
      'a unique index build in runs',
      (i) => (i === 3 ? '2' : String(i)),
      onT(buildIndex('i', ['v'], true)),
      'in runs',
    ],
    [
      'a unique index build in runs that fails',
      (i) => String(i % 20),
      onT(buildIndex('i', ['v'], true)),
      'in runs',
    ],
    [
      'a column replacement',
      (i) => (i === 1 ? 'one' : String(i)),
      { kind: 'start_column_replacement', table_id: 2, column_id: 2, replacement },
    ],
    [
      'a column replacement that fails',
      (i) => (i === 9 ? 'nine' : String(i)),
      { kind: 'start_column_replacement', table_id: 2, column_id: 2, replacement },
    ],
    [
      'a not-null validation',
      (i) => (i === 20 ? null : String(i)),
      { kind: 'start_constraint_validation', table_id: 2, constraint },
    ],
    [
      'a foreign key',
      String,
      {
        kind: 'start_constraint_validation',
        table_id: 2,
        constraint: { name: 'c', kind: 'foreign_key', foreign_key: key },
      },
    ],
  ];

/** Every `stride`-th effect, from `first` on. */
export async function crashes(
  one: (typeof cases)[number],
  first: number,
  stride: number,
): Promise<number> {
  const before = await prepared(one[1]);
  const undisturbed = await carriedThrough(before, one, {});
  for (let powerLossAt = first; powerLossAt <= undisturbed.effects; powerLossAt += stride) {
    const { state } = await carriedThrough(before, one, { powerLossAt });
    expect([powerLossAt, state]).toEqual([powerLossAt, undisturbed.state]);
  }
  return undisturbed.effects;
}
