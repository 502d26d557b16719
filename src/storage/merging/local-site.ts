/** Merges on the thread of the store, in slices of time: for what is in memory, and where there is no other thread. */

import type { World } from '#base';
import type { CompactionResult } from '../compaction/index.ts';
import { storeLimits } from '../limits.ts';
import type { ObjectStore } from '../object/store.ts';
import type { ValueCodecs } from '../table/value-codec.ts';
import { Cancelled, type MergeClient, type MergeOrder, type MergeSite } from './merge-order.ts';
import { runOrder } from './run-order.ts';

export interface LocalSiteParts {
  readonly world: World;
  readonly objects: ObjectStore;
  readonly codecs: ValueCodecs;
}

export class LocalSite implements MergeSite {
  private readonly parts: LocalSiteParts;
  private isClosed = false;

  constructor(parts: LocalSiteParts) {
    this.parts = parts;
  }

  merge(order: MergeOrder, { sources, nextName }: MergeClient): Promise<CompactionResult> {
    return runOrder(sources, order, {
      ...this.parts,
      takeName: nextName,
      rest: () => this.rest(),
      sliceMs: storeLimits.sliceMs,
    });
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }

  private async rest(): Promise<void> {
    if (this.isClosed) throw new Cancelled('the store closes');
    await this.parts.world.scheduler.yield();
  }
}
