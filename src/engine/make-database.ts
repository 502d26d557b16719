/** From an open store and its records to the database that the engine runs on. */

import { type Catalog, type CatalogMode, type DatabaseIdentity, emptyCatalog } from '#catalog';
import { fail } from '#failure';
import { type Statistics, Surveys } from '#statistics';
import type { Store } from '#storage';
import { Database } from './database.ts';
import type { EngineOptions } from './options.ts';

interface DatabaseParts {
  readonly store: Store;
  readonly options: EngineOptions;
  readonly identity: DatabaseIdentity;
  readonly catalog: Catalog | undefined;
  /** Nothing was there: this very opening made it. */
  readonly isNew: boolean;
  /** Of the state that `catalog` belongs to. */
  readonly sequence: number;
}

export function makeDatabase(parts: DatabaseParts): Database {
  const { store, options, identity, catalog = emptyCatalog, isNew, sequence } = parts;
  const surveys =
    options.statistics === undefined ? new Surveys(store, options.world.clock) : undefined;
  const planning = options.planning ?? { accessPaths: 'all', crossings: 'spooled' };
  const facts = {
    statistics: (options.statistics ?? surveys) as Statistics,
    store,
    world: options.world,
    ...identity,
    isReadOnly: options.reading !== undefined,
    location: locationOf(options),
    backend: options.storage,
    isNew,
    catalog,
    planning,
    surveys,
    experience: options.experience,
    feedbackLimits: options.feedbackLimits,
  };
  return new Database(facts, sequence);
}

/** Throws when the database was created with another mode than `wanted`. */
export function checkMode(mode: CatalogMode, wanted: CatalogMode | undefined): void {
  if (wanted === undefined || wanted === mode) return;
  throw fail(
    'invalid',
    `this database was created with --catalog-mode ${mode}, which cannot be changed to ${wanted}: ` +
      'leave the flag out, or use another storage path',
  );
}

function locationOf({ storage, path, s3 }: EngineOptions): string {
  if (storage !== 's3' || s3 === undefined) return storage === 'file' ? path : storage;
  return `s3://${s3.bucket}${s3.prefix === '' ? '' : `/${s3.prefix}`}`;
}
