/**
 * How fast the worker goes. The worker gives way after each step; when others were at work meanwhile, it leaves them as much time again as its step
 * took, so that it takes about a third of a busy process and all of an idle one.
 */

import type { Pending, World } from '#base';

/** A turn of an idle event loop takes less. */
const quietMs = 0.5;
/** Work in slices gives way after so long, and looks at the clock once in so many rows. */
const sliceMs = 2;
const sliceRows = 512;

export class Pace {
  private readonly world: World;
  private startedMs = 0;
  private rows = 0;

  constructor(world: World) {
    this.world = world;
  }

  started(): void {
    this.startedMs = this.world.clock.monotonicMs();
  }

  /** Called within a long step before some rows: a rest when its slice is over. */
  pause(rows = 1): Pending | undefined {
    this.rows += rows;
    if (this.rows < sliceRows) return undefined;
    this.rows = 0;
    const isOver = this.world.clock.monotonicMs() - this.startedMs >= sliceMs;
    return isOver ? this.rest().then(() => this.started()) : undefined;
  }

  async rest(): Promise<void> {
    const { clock, scheduler } = this.world;
    const endedMs = clock.monotonicMs();
    await scheduler.yield();
    const isBusy = clock.monotonicMs() - endedMs > quietMs;
    if (!isBusy) return;
    const stepMs = endedMs - this.startedMs;
    await new Promise<void>((resolve) => scheduler.after(Math.ceil(stepMs), resolve));
  }
}
