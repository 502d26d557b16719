/**
 * Has the garbage collector run when caches have let go of much.
 *
 * An evicted block is old by the time nobody needs it, so only a full collection frees it, and the runtime puts one off until memory has
 * doubled: under random reads a cache of 128 MiB occupies 460. With this it stays near the cache and once its size again.
 */

import type { World } from '#base';

/** Below this a collection costs more than it gives back. */
const bytesMin = 32 << 20;

export class GarbageWatch {
  private readonly world: World;
  private readonly bytesMax: number;
  private bytes = 0;
  private isDue = false;

  constructor(world: World, cacheBytes: number) {
    this.world = world;
    this.bytesMax = Math.max(cacheBytes, bytesMin);
  }

  /** So much has been let go of. Nothing happens before the end of the turn. */
  add(bytes: number): void {
    this.bytes += bytes;
    if (this.bytes < this.bytesMax || this.isDue) return;
    this.isDue = true;
    this.world.scheduler.afterTurn(() => {
      this.isDue = false;
      this.bytes = 0;
      this.world.collectGarbage?.();
    });
  }
}
