/**
 * The durable state of one opened store: its epoch, its objects, its log and the manifest that
 * connects them.
 */

import type { World } from '#base';
import type { Log, LogDevice, RecoveredLog, Replay } from '../log/log.ts';
import type { Garbage } from '../object/garbage-collector.ts';
import type { StorageError } from '../object/storage-fault.ts';
import type { ObjectStore } from '../object/store.ts';
import type { Manifest, ManifestContents } from './manifest.ts';
import type { ObsoleteTables } from './obsolete-tables.ts';

/** Options for opening both kinds of store. */
export interface OpenOptions {
  readonly world: World;
  readonly objects: ObjectStore;
  /**
   * The same objects for deletions, whose requests are counted separately; `objects` by default.
   */
  readonly garbage?: ObjectStore | undefined;
  /**
   * Called with the loaded manifest before any record is replayed. The callback opens the SSTables
   * of the manifest.
   */
  readonly prepare: (manifest: Manifest) => void | Promise<void>;
  /** Called with each record above the boundary of the manifest, in order. */
  readonly replay: Replay;
}

/** A store whose log consists of segments. */
export interface DurableOptions extends OpenOptions {
  readonly logs: LogDevice;
}

export interface Durable {
  readonly epoch: number;
  readonly objects: ObjectStore;
  readonly log: Log;
  /** The newest manifest that this writer has confirmed, and its name. */
  readonly manifest: Manifest;
  readonly newest: string;
  /** Shortest time between two manifests, unless a publication is urgent; 0 for no limit. */
  readonly publishIntervalMs: number;
  /** The log records that the opening found. */
  readonly recovered: RecoveredLog;
  /**
   * Makes `contents` the newest manifest. Resolves once it is durable and the epoch still belongs
   * to this writer. The named SSTables must be durable before the call. Only one call may run at a
   * time. Rejects with `full` if nothing has changed; rejects with `fenced` or `io` if this writer
   * must not acknowledge or publish any more.
   */
  publish(contents: ManifestContents): Promise<Manifest>;
  /**
   * Returns `undefined` while the epoch belongs to this writer, and otherwise the fault. Call it
   * before deleting objects that a confirmed manifest no longer names.
   */
  fenced(): StorageError | undefined | Promise<StorageError | undefined>;
  /** Does the same as `fenced`, and also rejects if the storage location no longer exists. */
  observe(): Promise<StorageError | undefined>;
  /**
   * Writes the newest manifest of this writer again if it was removed, and returns its name then.
   * Does nothing if a newer writer may have removed it.
   */
  restoreManifest(): Promise<string | undefined>;
  /** Returns the unique name of the SSTable with the number `file`. */
  tableName(file: number): string;
  /**
   * Trims the log to the boundary, and deletes manifests before the newest one. Also deletes the
   * given `tables` unless a reader elsewhere has pinned them; the remaining ones are tried again
   * with the next call. The newest manifest must not name `tables`, and no view in this process may
   * read them.
   */
  collect(tables: readonly Garbage[]): Promise<void>;
  /** SSTables that wait for deletion, and the counters of past deletions. */
  readonly obsoleteTables: ObsoleteTables;
  close(): Promise<void>;
}
