/** Long work in short slices, so that requests get their turns in between. */

import type { World } from '#base';
import { storeLimits } from './limits.ts';

/** Units of work between two looks at the clock. */
const unitsPerLook = 64;

export class Slicer {
  private readonly world: World;
  private until: number;
  private units = 0;

  constructor(world: World) {
    this.world = world;
    this.until = world.clock.monotonicMs() + storeLimits.sliceMs;
  }

  /** To be asked once a unit of work; a promise when the slice is over. */
  pause(): Promise<void> | undefined {
    if (++this.units < unitsPerLook) return undefined;
    this.units = 0;
    if (this.world.clock.monotonicMs() < this.until) return undefined;
    return this.rest();
  }

  private async rest(): Promise<void> {
    await this.world.scheduler.yield();
    this.until = this.world.clock.monotonicMs() + storeLimits.sliceMs;
  }
}
