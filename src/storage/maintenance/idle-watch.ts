/** Calls once when so long after the last sign of life nothing has happened; armed again by the next one. */

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

  /** Cheap: the timer is not moved, it looks again when it fires. */
  touch(): void {
    this.lastMs = this.world.clock.monotonicMs();
    if (!this.isArmed) this.arm(this.idleMs);
  }

  /** Nothing has happened since the watch fired. */
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
