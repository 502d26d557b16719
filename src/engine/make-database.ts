/** Creates the database object of an open store and its records. */

import { type KeySet, noKeys } from '#access';
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
  readonly catalog?: Catalog | undefined;
  readonly keys?: KeySet | undefined;
  /** Whether this process has created the database. */
  readonly isNew: boolean;
  /** Sequence of the state that `catalog` belongs to. */
  readonly sequence: number;
}

export function makeDatabase(parts: DatabaseParts): Database {
  const { store, options, identity, catalog = emptyCatalog, keys = noKeys } = parts;
  const { isNew, sequence } = parts;
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
    keys,
    planning,
    surveys,
    experience: options.experience,
    feedbackLimits: options.feedbackLimits,
  };
  return new Database(facts, sequence);
}

/** Throws if the database was created with another mode than `wanted`. */
export function checkMode(mode: CatalogMode, wanted: CatalogMode | undefined): void {
  if (wanted === undefined || wanted === mode) return;
  throw fail(
    'invalid',
    `this database was created with --catalog-mode ${mode}, which cannot be changed to ${wanted}; ` +
      'omit the flag, or use another storage location',
  );
}

function locationOf({ storage, path, s3 }: EngineOptions): string {
  if (storage !== 's3' || s3 === undefined) return storage === 'file' ? path : storage;
  return `s3://${s3.bucket}${s3.prefix === '' ? '' : `/${s3.prefix}`}`;
}
