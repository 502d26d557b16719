/**
 * Obsolete SSTables: a confirmed manifest no longer names them, and this process does not read
 * them. Each is deleted when no reader can read it any more. The object also counts the work of all
 * sweeps.
 */

import type { Clock } from '#base';
import { storeLimits } from '../contract/limits.ts';
import type { Garbage, GarbageCollector, GarbageStatistics } from '../object/garbage-collector.ts';
import { PinWatch } from './pin-watch.ts';

interface ObsoleteTablesParts {
  readonly collector: GarbageCollector;
  readonly clock: Clock;
}

interface Waiting {
  readonly tables: readonly Garbage[];
  /** Monotonic time at which the first of them was added. */
  readonly sinceMs: number;
}

export class ObsoleteTables {
  readonly collector: GarbageCollector;
  private readonly clock: Clock;
  private readonly pins: PinWatch;
  /**
   * The SSTables by the name of a manifest that does not contain them, in the order of their
   * arrival.
   */
  private readonly waiting = new Map<string, Waiting>();

  constructor(parts: ObsoleteTablesParts) {
    this.collector = parts.collector;
    this.clock = parts.clock;
    this.pins = new PinWatch({ ...storeLimits.pins, ...parts });
  }

  /** Number of SSTables that are not deleted yet. */
  get count(): number {
    let count = 0;
    for (const { tables } of this.waiting.values()) count += tables.length;
    return count;
  }

  /** Monotonic time at which the longest-waiting SSTable was added; `undefined` if none waits. */
  get oldestSinceMs(): number | undefined {
    let oldest: number | undefined;
    for (const { sinceMs } of this.waiting.values()) oldest = Math.min(oldest ?? sinceMs, sinceMs);
    return oldest;
  }

  get statistics(): GarbageStatistics {
    return this.collector.statistics(this);
  }

  /**
   * Returns true if readers follow the store, whose newest manifest is `newest`. Removes the pins
   * of dead readers.
   */
  async hasReaders(newest: string): Promise<boolean> {
    await this.pins.oldest(newest);
    return this.pins.followers > 0;
  }

  /** Adds obsolete SSTables. `manifest` must be confirmed and must not name them. */
  add(tables: readonly Garbage[], manifest: string): void {
    if (tables.length === 0) return;
    const others = this.waiting.get(manifest);
    this.waiting.set(manifest, {
      tables: [...(others?.tables ?? []), ...tables],
      sinceMs: others?.sinceMs ?? this.clock.monotonicMs(),
    });
  }

  /**
   * Deletes SSTables that no pin needs. `newest` must be confirmed, and be at or above every
   * manifest that was passed to `add`.
   */
  async sweep(newest: string): Promise<void> {
    if (this.waiting.size === 0) return;
    const oldest = await this.pins.oldest(newest);
    for (const [manifest, { tables }] of [...this.waiting]) {
      if (oldest !== undefined && oldest < manifest) continue;
      await this.collector.delete(tables);
      this.waiting.delete(manifest);
    }
  }
}
