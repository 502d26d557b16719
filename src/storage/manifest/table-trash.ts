/** Tables that a confirmed manifest dropped and this process does not read: each goes when no reader can read it any more. */

import type { Clock } from '#base';
import type { Garbage, GarbageCollector } from '../object/garbage-collector.ts';
import type { PinWatch } from './pin-watch.ts';

interface TrashParts {
  readonly collector: GarbageCollector;
  readonly pins: PinWatch;
  readonly clock: Clock;
}

interface Waiting {
  readonly tables: readonly Garbage[];
  /** By the steady clock, of the first one. */
  readonly sinceMs: number;
}

export class TableTrash {
  private readonly parts: TrashParts;
  /** By a manifest that lacks them, in the order in which they came. */
  private readonly waiting = new Map<string, Waiting>();

  constructor(parts: TrashParts) {
    this.parts = parts;
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

  /** `manifest` has been confirmed and lacks them. */
  add(tables: readonly Garbage[], manifest: string): void {
    if (tables.length === 0) return;
    const others = this.waiting.get(manifest);
    this.waiting.set(manifest, {
      tables: [...(others?.tables ?? []), ...tables],
      sinceMs: others?.sinceMs ?? this.parts.clock.monotonicMs(),
    });
  }

  /** Deletes what no pin needs; `newest` has been confirmed, and is at or above every manifest that `add` was told. */
  async sweep(newest: string): Promise<void> {
    if (this.waiting.size === 0) return;
    const oldest = await this.parts.pins.oldest(newest);
    for (const [manifest, { tables }] of [...this.waiting]) {
      if (oldest !== undefined && oldest < manifest) continue;
      await this.parts.collector.delete(tables);
      this.waiting.delete(manifest);
    }
  }
}
