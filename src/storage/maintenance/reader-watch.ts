/**
 * Serves the readers of a store that is being written: publishes new commits for them, and deletes
 * SSTables that they no longer need.
 */

import type { Timer, World } from '#base';
import { storeLimits } from '../contract/limits.ts';

export interface ReaderCare {
  /** Commits exist that are not in any SSTable yet. */
  readonly isUnpublished: boolean;
  /** Removed SSTables are waiting until a reader moves to a newer manifest. */
  readonly isUncollected: boolean;
  /** Returns true if readers follow the store. Sends a request to the storage location. */
  hasReaders(): Promise<boolean>;
  publish(): void;
  collect(): void;
}

/** The watch sleeps while there is nothing to publish or to delete. */
export class ReaderWatch {
  private readonly world: World;
  private readonly care: ReaderCare;
  private timer: Timer | undefined;
  private isLooking = false;
  private isStopped = false;
  private hasChanged = false;

  constructor(world: World, care: ReaderCare) {
    this.world = world;
    this.care = care;
  }

  /** Called after a commit, or after SSTables were removed. */
  touch(): void {
    this.hasChanged = true;
    if (this.timer === undefined && !this.isLooking) this.arm(storeLimits.checkpointMs);
  }

  stop(): void {
    this.isStopped = true;
    this.timer?.cancel();
  }

  private arm(delayMs: number): void {
    if (this.isStopped) return;
    this.timer = this.world.scheduler.after(delayMs, () => {
      this.timer = undefined;
      this.isLooking = true;
      void this.look();
    });
  }

  private async look(): Promise<void> {
    const { care } = this;
    this.hasChanged = false;
    // If the storage location cannot be read now, the next check repeats this. Other components
    // report outages.
    const hasReaders = await care.hasReaders().catch(() => false);
    this.isLooking = false;
    if (this.isStopped) return;
    if (hasReaders && care.isUnpublished) care.publish();
    if (care.isUncollected) care.collect();
    const isLively = this.hasChanged || hasReaders || care.isUncollected;
    if (isLively) this.arm(storeLimits.checkpointMs);
    else if (care.isUnpublished) this.arm(storeLimits.lonelyMs);
  }
}
