/**
 * Has the garbage collector run when the store has let go of much.
 *
 * Evicted blocks, flushed memtables and written tables are old by the time nobody needs them, so only a full collection frees them, and
 * the runtime puts one off until memory has doubled: under random reads a cache of 128 MiB occupies 460, with this 280.
 */

import type { World } from '#base';

/** So much may wait: less would cost more pauses than it gives back, more would be felt by the neighbours. */
const bytesMax = 64 << 20;

export class GarbageWatch {
  private readonly world: World;
  private bytes = 0;
  private isDue = false;

  constructor(world: World) {
    this.world = world;
  }

  /** So much has been let go of. Nothing happens before the end of the turn. */
  add(bytes: number): void {
    this.bytes += bytes;
    if (this.bytes < bytesMax || this.isDue) return;
    this.isDue = true;
    this.world.scheduler.afterTurn(() => {
      this.isDue = false;
      this.bytes = 0;
      this.world.collectGarbage?.();
    });
  }
}
