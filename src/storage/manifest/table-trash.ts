/** Tables that a confirmed manifest dropped and this process does not read: each goes when no reader can read it any more. With it what all sweeps have done. */

import type { Clock } from '#base';
import { storeLimits } from '../contract/limits.ts';
import type { Garbage, GarbageCollector, GarbageStatistics } from '../object/garbage-collector.ts';
import { PinWatch } from './pin-watch.ts';

interface TrashParts {
  readonly collector: GarbageCollector;
  readonly clock: Clock;
}

interface Waiting {
  readonly tables: readonly Garbage[];
  /** By the steady clock, of the first one. */
  readonly sinceMs: number;
}

export class TableTrash {
  readonly collector: GarbageCollector;
  private readonly clock: Clock;
  private readonly pins: PinWatch;
  /** By a manifest that lacks them, in the order in which they came. */
  private readonly waiting = new Map<string, Waiting>();

  constructor(parts: TrashParts) {
    this.collector = parts.collector;
    this.clock = parts.clock;
    this.pins = new PinWatch({ ...storeLimits.pins, ...parts });
  }

  /** Tables that are not deleted yet. */
  get count(): number {
    let count = 0;
    for (const { tables } of this.waiting.values()) count += tables.length;
    return count;
  }

  /** When the table that has waited longest came, by the steady clock; undefined when none waits. */
  get oldestSinceMs(): number | undefined {
    let oldest: number | undefined;
    for (const { sinceMs } of this.waiting.values()) oldest = Math.min(oldest ?? sinceMs, sinceMs);
    return oldest;
  }

  get statistics(): GarbageStatistics {
    return this.collector.statistics(this);
  }

  /** Looks whether readers follow the store, whose newest manifest is `newest`; removes pins of those that are gone. */
  async hasReaders(newest: string): Promise<boolean> {
    await this.pins.oldest(newest);
    return this.pins.followers > 0;
  }

  /** `manifest` has been confirmed and lacks them. */
  add(tables: readonly Garbage[], manifest: string): void {
    if (tables.length === 0) return;
    const others = this.waiting.get(manifest);
    this.waiting.set(manifest, {
      tables: [...(others?.tables ?? []), ...tables],
      sinceMs: others?.sinceMs ?? this.clock.monotonicMs(),
    });
  }

  /** Deletes what no pin needs; `newest` has been confirmed, and is at or above every manifest that `add` was told. */
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
