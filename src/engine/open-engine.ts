/** Opens a database and creates its engine. */

import { Archive, Corpus, CorpusCourier, ModelShelf, SynopsisShelf } from '#statistics';
import { Admission } from './admission/admission.ts';
import type { Database } from './database.ts';
import { Engine } from './engine.ts';
import { groundCheckOf } from './ground.ts';
import { openDatabase } from './open.ts';
import type { EngineOptions } from './options.ts';

/** Opens or creates the database. Refuses a mode other than that with which the database was created. */
export async function openEngine(given: EngineOptions): Promise<Engine> {
  const options = { ...given, openSpill: once(given.openSpill) };
  const database = await openDatabase(options);
  const engine = engineOver(database, options);
  // The process that writes the database continues its transitions.
  if (!database.isReadOnly && options.worksOnTransitions !== false) {
    engine.transitions.worker.start();
  }
  return engine;
}

/** Returns a function that calls `open` at its first call only: the store and the programs share one spill space. */
function once<T>(open: (() => T) | undefined): () => T | undefined {
  let opened: { readonly it: T | undefined } | undefined;
  return () => {
    opened ??= { it: open?.() };
    return opened.it;
  };
}

/** Creates the engine of an open database. */
export function engineOver(database: Database, options: EngineOptions): Engine {
  const admission = new Admission(options.world, {
    ...options,
    spill: options.openSpill?.(),
    memoryBytes: options.memoryBytes ?? 2 ** 30,
    timeoutMs: options.statementTimeoutMs,
  });
  const { store, world } = database;
  const { onJob, attemptsMax, openTransactions, corpusQueueMax: queueMax } = options;
  // A writer that records no programs can still erase the programs of earlier processes.
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
