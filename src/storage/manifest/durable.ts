/** Everything durable of one opened store: its epoch, its objects, its log and the manifest that ties them together. */

import type { World } from '#base';
import type { Log, LogDevice, RecoveredLog, Replay } from '../log/log.ts';
import type { Garbage } from '../object/garbage-collector.ts';
import type { ObjectStore } from '../object/store.ts';
import type { StorageError } from '../object/trouble.ts';
import type { Manifest, ManifestContents } from './manifest.ts';
import type { TableTrash } from './table-trash.ts';

/** What both kinds of store are opened with. */
export interface Opening {
  readonly world: World;
  readonly objects: ObjectStore;
  /** The same objects, for what is deleted: its requests are counted apart. `objects` by default. */
  readonly garbage?: ObjectStore | undefined;
  /** Told the manifest that was found, before any record is replayed: open its tables here. */
  readonly prepare: (manifest: Manifest) => void | Promise<void>;
  /** Given each record above the manifest's boundary, in order. */
  readonly replay: Replay;
}

/** A store whose log is made of segments. */
export interface DurableOptions extends Opening {
  readonly logs: LogDevice;
}

export interface Durable {
  readonly epoch: number;
  readonly objects: ObjectStore;
  readonly log: Log;
  /** The newest manifest that this writer has confirmed, and its name. */
  readonly manifest: Manifest;
  readonly newest: string;
  /** At most one manifest in such a time, while nothing presses; 0: no limit. */
  readonly publishIntervalMs: number;
  /** What the opening found in the log. */
  readonly recovered: RecoveredLog;
  /**
   * Makes `contents` the newest manifest; resolves once that is durable and the epoch is still ours. Tables must be durable
   * before. One at a time. Rejects with `full`, and then nothing has happened; or with `fenced` or `io`, and then nobody may
   * acknowledge or publish any more.
   */
  publish(contents: ManifestContents): Promise<Manifest>;
  /** Undefined while the epoch is still ours. Ask before deleting what a confirmed manifest gave up. */
  fenced(): StorageError | undefined | Promise<StorageError | undefined>;
  /** As `fenced`; rejects when the place is not there any more. */
  observe(): Promise<StorageError | undefined>;
  /**
   * Writes the newest manifest of this writer again when somebody has taken it away; its name when that was so. Does nothing when a newer
   * writer may have done that.
   */
  restoreManifest(): Promise<string | undefined>;
  /** The name of a table that has the number `file`, which no other one has. */
  tableName(file: number): string;
  /**
   * Trims the log to the boundary, deletes manifests before the newest, and of `tables`, which the newest manifest lacks and nobody in this
   * process reads, those that no reader elsewhere has pinned; the others are remembered, and tried again the next time.
   */
  collect(tables: readonly Garbage[]): Promise<void>;
  /** What waits to be deleted, and what was so far. */
  readonly trash: TableTrash;
  close(): Promise<void>;
}
