/** Calls a function once after a period without activity. The next activity arms it again. */

import type { World } from '#base';

export class IdleWatch {
  private readonly world: World;
  private readonly idleMs: number;
  private readonly idle: () => void;
  private lastMs = 0;
  private isArmed = false;

  constructor(world: World, idleMs: number, idle: () => void) {
    this.world = world;
    this.idleMs = idleMs;
    this.idle = idle;
  }

  /**
   * Records activity. This is cheap, because the timer is not moved: it checks the time when it
   * fires.
   */
  touch(): void {
    this.lastMs = this.world.clock.monotonicMs();
    if (!this.isArmed) this.arm(this.idleMs);
  }

  /** True if there was no activity since the watch fired. */
  get isIdle(): boolean {
    return !this.isArmed;
  }

  private arm(delayMs: number): void {
    this.isArmed = true;
    this.world.scheduler.after(delayMs, () => this.look());
  }

  private look(): void {
    const rest = this.lastMs + this.idleMs - this.world.clock.monotonicMs();
    if (rest > 0) {
      this.arm(rest);
      return;
    }
    this.isArmed = false;
    this.idle();
  }
}
