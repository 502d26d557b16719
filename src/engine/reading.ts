/** Opens a database that another process writes. The catalog and the keys change in the same iteration as the state that is read. */

import { pause } from '#base';
import { fail } from '#failure';
import { openReader, type ReaderStore, type Snapshot, StorageError } from '#storage';
import type { Database } from './database.ts';
import { checkMode, makeDatabase } from './make-database.ts';
import type { EngineOptions, ReadingOptions } from './options.ts';
import { readRecords, type StoredRecords } from './records.ts';

/**
 * Opens the database, and waits until a writer has created it. Rejects when `signal` aborts, and with errors that do not
 * pass by themselves.
 */
export async function openForReading(
  options: EngineOptions,
  reading: ReadingOptions,
): Promise<Database> {
  const following = new Following();
  const store = await openWhenThere(options, reading, following);
  try {
    const { records, sequence } = await Promise.race([following.found, aborted(reading.signal)]);
    checkMode(records.identity.mode, options.mode);
    const database = makeDatabase({ store, options, ...records, isNew: false, sequence });
    following.follow(database);
    return database;
  } catch (error) {
    await store.close();
    throw error;
  }
}

interface Found {
  readonly records: StoredRecords;
  readonly sequence: number;
}

/** Applies each new state of the store to the database. */
class Following {
  /** Resolves when a state contains a database. */
  readonly found: Promise<Found>;
  private readonly resolve: (found: Found) => void;
  private newest: Found | undefined;
  private database: Database | undefined;

  constructor() {
    const { promise, resolve } = Promise.withResolvers<Found>();
    this.found = promise;
    this.resolve = resolve;
  }

  /** Connects the database. The store may have advanced since `found` resolved. */
  follow(database: Database): void {
    this.database = database;
    if (this.newest !== undefined) database.movedTo(this.newest.records, this.newest.sequence);
  }

  async prepare(view: Snapshot): Promise<() => void> {
    const records = await readRecords(view, this.newest?.records);
    const { sequence } = view;
    this.refuseOther(records);
    return () => {
      if (records === undefined) return;
      this.newest = { records, sequence };
      this.resolve(this.newest);
      this.database?.movedTo(records, sequence);
    };
  }

  private refuseOther(records: StoredRecords | undefined): void {
    const held = this.newest?.records.identity.identity;
    const found = records?.identity.identity ?? 'nothing';
    if (held === undefined || held === found) return;
    throw new StorageError({ kind: 'replaced', held, found });
  }
}

async function openWhenThere(
  options: EngineOptions,
  { pollMs, signal, waiting }: ReadingOptions,
  following: Following,
): Promise<ReaderStore> {
  for (;;) {
    try {
      return await openReader({
        ...options.tuning,
        storage: options.storage === 's3' ? 's3' : 'file',
        path: options.path,
        ...(options.s3 === undefined ? {} : { s3: options.s3 }),
        world: options.world,
        pollMs,
        prepare: (view) => following.prepare(view),
      });
    } catch (error) {
      if (!mayPass(error)) throw error;
      waiting(error);
    }
    await Promise.race([pause(options.world.scheduler, pollMs), aborted(signal)]);
  }
}

function mayPass(error: unknown): boolean {
  const kinds = ['empty', 'io', 'full', 'unavailable', 'unauthorized', 'bucket_missing'];
  return error instanceof StorageError && kinds.includes(error.fault.kind);
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const stop = () =>
      reject(fail('storage_unavailable', 'the server was stopped before the store was open'));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}
