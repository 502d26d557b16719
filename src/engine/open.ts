/** Opens the store, and reads or creates the records that make it a database: identity, mode, catalog. */

import {
  type CatalogMode,
  catalogKey,
  type DatabaseIdentity,
  decodeCatalog,
  decodeIdentity,
  emptyCatalog,
  encodeIdentity,
  identityKey,
  tableOfRowKey,
} from '#catalog';
import { fail } from '#failure';
import { openStore, type Store } from '#storage';
import { Database } from './database.ts';
import type { EngineOptions } from './options.ts';

/** Refuses a mode other than the one that the database was created with. */
export async function openDatabase(options: EngineOptions): Promise<Database> {
  const store = await openStore({
    ...options.tuning,
    storage: options.storage,
    path: options.path,
    ...(options.s3 === undefined ? {} : { s3: options.s3 }),
    world: options.world,
    holderAddress: options.holderAddress,
    areaOf: tableOfRowKey,
  });
  try {
    const identity = await readIdentity(store, options);
    checkMode(identity.mode, options.mode);
    return await readDatabase(store, identity, options);
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function readIdentity(store: Store, options: EngineOptions): Promise<DatabaseIdentity> {
  const stored = await readRecord(store, identityKey);
  if (stored !== undefined) return decodeIdentity(stored);
  const drawn = options.world.random.fill(new Uint8Array(16)).toHex();
  const identity = { mode: options.mode ?? 'direct', identity: drawn };
  const transaction = store.begin();
  transaction.put(identityKey, encodeIdentity(identity));
  const outcome = await transaction.commit();
  transaction.release();
  if (outcome.kind === 'committed') return identity;
  throw fail('storage_unavailable', 'the identity record of a new database could not be written');
}

function checkMode(mode: CatalogMode, wanted: CatalogMode | undefined): void {
  if (wanted === undefined || wanted === mode) return;
  throw fail(
    'invalid',
    `this database was created with --catalog-mode ${mode}, which cannot be changed to ${wanted}: ` +
      'leave the flag out, or use another storage path',
  );
}

async function readDatabase(
  store: Store,
  { identity, mode }: DatabaseIdentity,
  options: EngineOptions,
): Promise<Database> {
  const stored = await readRecord(store, catalogKey);
  const snapshot = store.snapshot();
  const { sequence } = snapshot;
  snapshot.release();
  const catalog = stored === undefined ? emptyCatalog : decodeCatalog(stored);
  const location = locationOf(options);
  const limits = {
    memoryBytes: options.programMemoryBytes,
    timeoutMs: options.statementTimeoutMs,
  };
  const planning = options.planning ?? { accessPaths: 'all', crossings: 'spooled' };
  const facts = {
    store,
    world: options.world,
    mode,
    identity,
    location,
    catalog,
    limits,
    planning,
  };
  return new Database(facts, sequence);
}

async function readRecord(store: Store, key: Uint8Array): Promise<Uint8Array | undefined> {
  const snapshot = store.snapshot();
  try {
    for (;;) {
      const found = snapshot.get(key);
      if (!(found instanceof Promise)) return found?.slice();
      await found;
    }
  } finally {
    snapshot.release();
  }
}

function locationOf({ storage, path, s3 }: EngineOptions): string {
  if (storage !== 's3' || s3 === undefined) return storage === 'file' ? path : storage;
  return `s3://${s3.bucket}${s3.prefix === '' ? '' : `/${s3.prefix}`}`;
}
