/**
 * Has the garbage collector run when the store has let go of much.
 *
 * Evicted blocks, flushed memtables and written tables are old by the time nobody needs them, so only a full collection frees them, and
 * the runtime puts one off until memory has doubled: under random reads a cache of 128 MiB occupies 460, with this 280.
 */

import type { World } from '#base';

/** So much may wait: less would cost more pauses than it gives back, more would be felt by the neighbours. */
const bytesMax = 64 << 20;

/** Share of the time that collections may take: each stops everything, and under cold reads there would be five a second. */
const shareMax = 0.05;

export class GarbageWatch {
  private readonly world: World;
  private bytes = 0;
  private isDue = false;
  private restsUntilMs = 0;

  constructor(world: World) {
    this.world = world;
  }

  /** So much has been let go of. Nothing happens before the end of the turn, or before the last collection has been made up for. */
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
