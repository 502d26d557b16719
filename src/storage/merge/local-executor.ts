/**
 * Runs merges on the thread of the store in time slices: for data in memory, and if there is no
 * other thread.
 */

import type { World } from '#base';
import { storeLimits } from '../contract/limits.ts';
import type { Component } from '../object/component-requests.ts';
import type { ObjectStore } from '../object/store.ts';
import type { ValueCodecs } from '../table/value-codec.ts';
import { Cancelled, type MergeClient, type MergeExecutor, type MergeJob } from './merge-job.ts';
import { runOrder } from './run-order.ts';
import type { MergeResult } from './task.ts';

interface LocalSiteParts {
  readonly world: World;
  readonly objectsOf: (component: Component) => Pick<ObjectStore, 'create' | 'put'>;
  readonly codecs: ValueCodecs;
}

/** One of the running merges. */
interface Turn {
  /** Waiting between two slices, and able to continue immediately. */
  isResting: boolean;
  sliceMs: number;
  /** Time that other work took in excess of this merge. */
  owedMs: number;
  /** Monotonic time at which its slice began. */
  resumedMs: number;
}

export class LocalExecutor implements MergeExecutor {
  private readonly parts: LocalSiteParts;
  /** The running merges, oldest first. */
  private readonly turns: Turn[] = [];
  private isClosed = false;

  constructor(parts: LocalSiteParts) {
    this.parts = parts;
  }

  async merge(order: MergeJob, { sources, nextName }: MergeClient): Promise<MergeResult> {
    const { sliceMs } = storeLimits;
    const resumedMs = this.parts.world.clock.monotonicMs();
    const turn: Turn = { isResting: false, sliceMs, owedMs: 0, resumedMs };
    this.turns.push(turn);
    try {
      return await runOrder(sources, order, {
        ...this.parts,
        objects: this.parts.objectsOf(order.component),
        takeName: nextName,
        rest: () => this.rest(turn),
        get sliceMs() {
          return turn.sliceMs;
        },
      });
    } finally {
      this.turns.splice(this.turns.indexOf(turn), 1);
    }
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }

  /**
   * Yields to all other work, but then gets as much time as that work took, within limits;
   * otherwise a flush would never end under load. After one long iteration of other work, the merge
   * makes up its time in several slices: a single long slice would make the next iteration twice as
   * long. A younger merge works only while all older ones wait for the disk: with equal shares, all
   * would end late and retain their memory until then.
   */
  private async rest(turn: Turn): Promise<void> {
    const { clock, scheduler } = this.parts.world;
    const started = clock.monotonicMs();
    turn.isResting = true;
    do {
      if (this.isClosed) throw new Cancelled('the store closes');
      await scheduler.yield();
    } while (this.turns.slice(0, this.turns.indexOf(turn)).some(({ isResting }) => isResting));
    turn.isResting = false;
    const now = clock.monotonicMs();
    const { sliceMs, sliceMsMax, owedMsMax } = storeLimits;
    const owed = turn.owedMs - (started - turn.resumedMs) + (now - started);
    turn.owedMs = Math.min(Math.max(owed, 0), owedMsMax);
    turn.sliceMs = Math.min(Math.max(turn.owedMs, sliceMs), sliceMsMax);
    turn.resumedMs = now;
  }
}
