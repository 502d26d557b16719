/** Opens the store, and reads or creates the records of its database: identity, mode, catalog. */

import {
  areaOfKey,
  catalogKey,
  type DatabaseIdentity,
  encodeIdentity,
  identityKey,
  keysHeadKey,
} from '#catalog';
import { fail } from '#failure';
import { openStoreOrWait, StorageError, type Store, storeDefaults } from '#storage';
import type { Database } from './database.ts';
import { checkMode, makeDatabase } from './make-database.ts';
import type { EngineOptions, FormerDatabase } from './options.ts';
import { openForReading } from './reading.ts';
import { readRecords, type StoredRecords } from './records.ts';

/** Opens the database. Refuses a mode other than that with which the database was created. */
export function openDatabase(options: EngineOptions): Promise<Database> {
  return options.reading === undefined
    ? openForWriting(options)
    : openForReading(options, options.reading);
}

async function openForWriting(options: EngineOptions): Promise<Database> {
  const store = await openStoreOrWait({
    writeShareBytes: writeShareOf(options.programMemoryBytes),
    ...options.tuning,
    storage: options.storage,
    path: options.path,
    ...(options.s3 === undefined ? {} : { s3: options.s3 }),
    world: options.world,
    ...(options.openSpill === undefined ? {} : { spill: options.openSpill }),
    holderAddress: options.holderAddress,
    mustExist: options.former !== undefined,
    areaOf: areaOfKey,
    keptKeys: [identityKey, catalogKey, keysHeadKey],
  });
  return openDatabaseIn(store, options);
}

/** Returns the memory of the writes of a program, which is at most a quarter of the memory of the program: its operators need the rest. */
function writeShareOf(programMemoryBytes: number): number {
  return Math.min(storeDefaults.writeShareBytes, Math.floor(programMemoryBytes / 4));
}

/** Opens the database of an open store. The database closes the store when it closes, and when this function fails. */
export async function openDatabaseIn(store: Store, options: EngineOptions): Promise<Database> {
  try {
    const { records, sequence } = await recordsOf(store);
    refuseOther(options.former, records?.identity.identity, sequence);
    const identity = records?.identity ?? (await createIdentity(store, options));
    checkMode(identity.mode, options.mode);
    const isNew = records === undefined;
    return makeDatabase({ store, options, ...records, identity, isNew, sequence });
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Throws if another database, or an older copy, has replaced the former one: acknowledged commits would be lost silently. */
function refuseOther(former: FormerDatabase | undefined, found = 'nothing', sequence = 0): void {
  if (former === undefined) return;
  if (former.identity === found && former.sequence <= sequence) return;
  const at = (identity: string, upTo: number) => `${identity}, sequence ${upTo}`;
  throw new StorageError({
    kind: 'replaced',
    held: at(former.identity, former.sequence),
    found: at(found, sequence),
  });
}

async function recordsOf(
  store: Store,
): Promise<{ records: StoredRecords | undefined; sequence: number }> {
  const snapshot = store.snapshot();
  try {
    return { records: await readRecords(snapshot), sequence: snapshot.sequence };
  } finally {
    snapshot.release();
  }
}

async function createIdentity(store: Store, options: EngineOptions): Promise<DatabaseIdentity> {
  const drawn = options.world.random.fill(new Uint8Array(16)).toHex();
  const identity = { mode: options.mode ?? 'direct', identity: drawn };
  const transaction = store.begin();
  transaction.put(identityKey, encodeIdentity(identity));
  const outcome = await transaction.commit();
  transaction.release();
  if (outcome.kind === 'committed') return identity;
  throw fail('storage_unavailable', 'the identity record of a new database could not be written');
}
