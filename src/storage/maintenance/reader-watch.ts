/** Looks after the readers of a store that is written to: publishes what they have not seen, and lets go what they no longer need. */

import type { Timer, World } from '#base';
import { storeLimits } from '../contract/limits.ts';

export interface ReaderCare {
  /** Something is committed and in no table yet. */
  readonly isUnpublished: boolean;
  /** Dropped tables wait for a reader to move on. */
  readonly isUncollected: boolean;
  /** Asks the place. */
  hasReaders(): Promise<boolean>;
  publish(): void;
  collect(): void;
}

/** Sleeps while there is nothing to publish or collect. */
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

  /** Something was committed, or dropped. */
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
    // A place that cannot be asked now is asked again; whether that is trouble is for others to say.
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
