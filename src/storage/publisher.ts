/** Publishes changes of the runs one at a time: manifest first, then the version that readers get, then what became free. */

import type { Durable } from './manifest/durable.ts';
import type { Memtable } from './memtable/memtable.ts';
import { tableName } from './object/names.ts';
import { StorageError } from './object/trouble.ts';
import { type OpenRun, runOf } from './open-run.ts';
import type { VersionSet } from './version-set.ts';

export interface RunChange {
  /** The runs afterwards, made of the runs as they are when its turn comes. */
  readonly runs: (now: readonly OpenRun[]) => readonly OpenRun[];
  /** The memtable that is in the runs now. */
  readonly flushed?: Memtable;
}

export class Publisher {
  private readonly durable: Durable;
  private readonly versions: VersionSet;
  private queue: Promise<unknown> = Promise.resolve();
  private nextFile: number;

  constructor(durable: Durable, versions: VersionSet) {
    this.durable = durable;
    this.versions = versions;
    this.nextFile = durable.manifest.nextFile;
  }

  /** A name that no table has, or will have. */
  nextName(): string {
    return tableName(this.durable.epoch, this.nextFile++);
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
    const { durable, versions } = this;
    const { manifest } = durable;
    const after = runs(versions.runs);
    const boundary = flushed?.sequenceMax ?? manifest.boundary;
    await durable.publish({
      runs: after.map(runOf),
      boundary,
      lastSequence: boundary,
      nextFile: this.nextFile,
      properties: manifest.properties,
    });
    versions.change(after, flushed);
  }

  private async sweep(): Promise<void> {
    const { durable, versions } = this;
    const names = versions.obsolete;
    versions.obsolete = [];
    try {
      // It asks first whether the epoch is still ours.
      await durable.collect();
      await durable.objects.delete(names);
    } catch (error) {
      versions.obsolete.push(...names);
      if (error instanceof StorageError && error.trouble.kind === 'fenced') throw error;
    }
  }
}
