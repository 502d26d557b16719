/** Publishes changes of the runs one at a time: manifest first, then the version that readers get; and deletes what became free. */

import { areasProperty, encodeAreas } from './areas.ts';
import type { Durable } from './manifest/durable.ts';
import type { Run } from './manifest/manifest.ts';
import type { Memtable } from './memtable/memtable.ts';
import { StorageError } from './object/trouble.ts';
import { runOf } from './open-run.ts';
import type { TableFiles } from './table-files.ts';
import type { VersionSet } from './version-set.ts';

export interface RunChange {
  /** The runs afterwards, made of the runs as they are when its turn comes. */
  readonly runs: (now: readonly Run[]) => readonly Run[];
  /** The memtable that is in the runs afterwards. */
  readonly flushed?: Memtable;
}

export class Publisher {
  private readonly durable: Durable;
  private readonly versions: VersionSet;
  private readonly files: TableFiles;
  private queue: Promise<unknown> = Promise.resolve();
  private nextFile: number;

  constructor(durable: Durable, versions: VersionSet, files: TableFiles) {
    this.durable = durable;
    this.versions = versions;
    this.files = files;
    this.nextFile = durable.manifest.nextFile;
  }

  /** A name that no table has, or will have. */
  nextName(): string {
    return this.durable.tableName(this.nextFile++);
  }

  /** Resolves when the change is durable and readers see it. Rejects when this writer may not go on. */
  publish(change: RunChange): Promise<void> {
    return this.inTurn(() => this.carryOut(change));
  }

  /** Deletes what nobody needs. A failure to delete is no harm; being fenced is. */
  collect(): Promise<void> {
    return this.inTurn(() => this.sweep());
  }

  private inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.queue.then(work);
    this.queue = turn.catch(() => {});
    return turn;
  }

  private async carryOut({ runs, flushed }: RunChange): Promise<void> {
    const { durable, versions, files } = this;
    const { manifest } = durable;
    const after = runs(versions.runs.map(runOf));
    const opened = await files.openRuns(after, versions.runs);
    const boundary = flushed?.sequenceMax ?? manifest.boundary;
    const { nextFile } = this;
    const properties = flushed === undefined ? manifest.properties : this.propertiesWith(flushed);
    await durable.publish({
      runs: after,
      boundary,
      lastSequence: boundary,
      nextFile,
      properties,
    });
    versions.change(opened, flushed);
  }

  private propertiesWith(flushed: Memtable): ReadonlyMap<string, Uint8Array> {
    const { durable, versions } = this;
    const areas = encodeAreas(versions.areasAt(flushed), durable.epoch);
    return new Map(durable.manifest.properties).set(areasProperty, areas);
  }

  private async sweep(): Promise<void> {
    const { durable, versions } = this;
    const names = versions.obsolete;
    versions.obsolete = [];
    try {
      await durable.collect(names);
    } catch (error) {
      if (error instanceof StorageError && error.trouble.kind === 'fenced') throw error;
    }
  }
}
