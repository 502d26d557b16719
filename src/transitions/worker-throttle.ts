/**
 * Throttles the worker. The worker yields after each step. If other work ran meanwhile, the worker pauses for as long as its step took. The
 * worker therefore uses about a third of a busy process and all of an idle one.
 */

import type { Pending, World } from '#base';

/** An iteration of an idle event loop takes less time than this. */
const quietMs = 0.5;
/** Work in slices yields after `sliceMs`, and reads the clock once per `sliceRows` rows. */
const sliceMs = 2;
const sliceRows = 512;

export class WorkerThrottle {
  private readonly world: World;
  private startedMs = 0;
  private rows = 0;

  constructor(world: World) {
    this.world = world;
  }

  started(): void {
    this.startedMs = this.world.clock.monotonicMs();
  }

  /** Is called within a long step before some rows are processed; returns a wait if the slice is used up. */
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
