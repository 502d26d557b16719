/**
 * Runs the garbage collector after the store has released much memory.
 *
 * Evicted blocks, flushed memtables and written SSTables are in the old generation when they are released, so only a full collection frees
 * them. The runtime delays a full collection until the memory has doubled: under random reads, a cache of 128 MiB occupies 460 MiB without
 * this class and 280 MiB with it.
 */

import type { World } from '#base';

/**
 * Garbage in bytes that triggers a collection. A smaller value costs more in pauses than it frees; a larger one takes noticeable memory
 * from other processes.
 */
const bytesMax = 64 << 20;

/** Maximum share of time spent in collections: each one stops all work, and cold reads would otherwise trigger five per second. */
const shareMax = 0.05;

export class GarbageWatch {
  private readonly world: World;
  private bytes = 0;
  private isDue = false;
  private restsUntilMs = 0;

  constructor(world: World) {
    this.world = world;
  }

  /**
   * Counts bytes that the store has released. A collection starts at the earliest at the end of the event-loop iteration, and only after
   * the pause that keeps collections within `shareMax`.
   */
  add(bytes: number): void {
    this.bytes += bytes;
    if (this.bytes < bytesMax || this.isDue) return;
    this.isDue = true;
    const { clock, scheduler } = this.world;
    const restMs = this.restsUntilMs - clock.monotonicMs();
    if (restMs > 0) scheduler.after(restMs, () => this.collect());
    else scheduler.afterTurn(() => this.collect());
  }

  private collect(): void {
    const { clock, collectGarbage } = this.world;
    this.isDue = false;
    this.bytes = 0;
    const startedMs = clock.monotonicMs();
    collectGarbage?.();
    const endedMs = clock.monotonicMs();
    this.restsUntilMs = endedMs + (endedMs - startedMs) * (1 / shareMax - 1);
  }
}
