/** Merges sources into tables that are durable: what flushes and compactions have in common. */

import type { World } from '#base';
import {
  type CompactionResult,
  type CompactionTask,
  runCompaction,
  type TableOutput,
} from './compaction/index.ts';
import { storeLimits } from './limits.ts';
import type { Source } from './merge/index.ts';
import type { ObjectStore } from './object/store.ts';
import { StorageError } from './object/trouble.ts';
import type { Publisher } from './publisher.ts';
import type { TableOptions } from './table/table-options.ts';
import { MemorySink } from './table/table-sink.ts';
import type { VersionSet } from './version-set.ts';

export interface MergerParts {
  readonly world: World;
  readonly objects: ObjectStore;
  readonly versions: VersionSet;
  readonly publisher: Publisher;
  readonly tables: TableOptions;
  readonly tableBytes: number;
  /** Sequences that views read at. */
  readonly snapshots: () => readonly number[];
}

/** Thrown out of a merge when the store closes. */
export class Cancelled extends Error {}

/** Thrown out of a merge that found no room on the device: nothing is lost, and it may be tried again. */
export class NoRoom extends Error {}

export interface MergeShape
  extends Pick<CompactionTask, 'range' | 'isBottom' | 'stopAfterBytes'>,
    Partial<Pick<CompactionTask, 'tableBytes'>> {}

export class Merger {
  /** Merges under way end with `Cancelled`. */
  isCancelled = false;
  private readonly parts: MergerParts;

  constructor(parts: MergerParts) {
    this.parts = parts;
  }

  /** `inputs` newest first; they stay open meanwhile. What a failing merge has written is deleted at the next occasion. */
  async merge(inputs: readonly Source[], shape: MergeShape): Promise<CompactionResult> {
    const { world, versions, publisher, tables, tableBytes, snapshots } = this.parts;
    const names: string[] = [];
    const held = versions.current.hold();
    try {
      return await runCompaction(inputs, {
        tableBytes,
        ...shape,
        snapshots: snapshots(),
        dropped: publisher.settledRanges(),
        table: tables,
        openOutput: () => this.openOutput(names),
        clock: world.clock,
        scheduler: { ...world.scheduler, yield: () => this.rest() },
        sliceMs: storeLimits.sliceMs,
      });
    } catch (error) {
      versions.obsolete.push(...names);
      const isFull = error instanceof StorageError && error.trouble.kind === 'full';
      throw isFull ? new NoRoom('no room for a merge', { cause: error }) : error;
    } finally {
      held.release();
    }
  }

  private openOutput(names: string[]): TableOutput {
    const { publisher, objects } = this.parts;
    const name = publisher.nextName();
    names.push(name);
    const sink = new MemorySink();
    return { name, sink, finish: () => objects.put(name, sink.body) };
  }

  private async rest(): Promise<void> {
    if (this.isCancelled) throw new Cancelled('the store closes');
    await this.parts.world.scheduler.yield();
  }
}
