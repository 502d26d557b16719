/** Opens a database and puts the engine over it. */

import { Archive, Corpus, CorpusCourier, ModelShelf, SynopsisShelf } from '#statistics';
import { Admission } from './admission/admission.ts';
import type { Database } from './database.ts';
import { Engine } from './engine.ts';
import { groundCheckOf } from './ground.ts';
import { openDatabase } from './open.ts';
import type { EngineOptions } from './options.ts';

/** Opens the database, or creates it; refuses another mode than the one it was created with. */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  const database = await openDatabase(options);
  const engine = engineOver(database, options);
  // The process that writes the database carries its transitions on.
  if (!database.isReadOnly && options.worksOnTransitions !== false) {
    engine.transitions.worker.start();
  }
  return engine;
}

/** The engine of an open database. */
export function engineOver(database: Database, options: EngineOptions): Engine {
  const admission = new Admission(options.world, {
    ...options,
    memoryBytes: options.memoryBytes ?? 2 ** 30,
    timeoutMs: options.statementTimeoutMs,
  });
  const { store, world } = database;
  const { onJob, attemptsMax, openTransactions, corpusQueueMax: queueMax } = options;
  // What earlier processes have kept can be erased by a writer that keeps nothing.
  const ownedCorpus = database.isReadOnly ? undefined : new Corpus({ store, world, queueMax });
  const corpus =
    options.capturesCorpus === true ? (ownedCorpus ?? new CorpusCourier(world)) : undefined;
  corpus?.start();
  const archive = archiveOf(database);
  archive?.start();
  const parts = { onJob, corpus, ownedCorpus, archive, attemptsMax, openTransactions };
  return new Engine(database, admission, parts);
}

function archiveOf(database: Database): Archive | undefined {
  const { surveys, feedback, store, world, isReadOnly: isReader } = database;
  if (surveys === undefined) return undefined;
  const shelves = [
    new SynopsisShelf(surveys, () => database.catalog.tables),
    new ModelShelf(feedback, world, () => groundCheckOf(database.catalog)),
  ];
  return new Archive({ shelves, store, world, isReader });
}
