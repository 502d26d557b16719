/** Tables that a confirmed manifest dropped and this process does not read: each goes when no reader can read it any more. */

import type { ObjectStore } from '../object/store.ts';
import type { PinWatch } from './pin-watch.ts';

export class TableTrash {
  private readonly objects: ObjectStore;
  private readonly pins: PinWatch;
  /** Names by a manifest that lacks them. */
  private readonly waiting = new Map<string, string[]>();

  constructor(objects: ObjectStore, pins: PinWatch) {
    this.objects = objects;
    this.pins = pins;
  }

  /** Tables that are not deleted yet. */
  get count(): number {
    let count = 0;
    for (const names of this.waiting.values()) count += names.length;
    return count;
  }

  /** `manifest` has been confirmed and lacks them. */
  add(tables: readonly string[], manifest: string): void {
    if (tables.length === 0) return;
    const others = this.waiting.get(manifest) ?? [];
    this.waiting.set(manifest, [...others, ...tables]);
  }

  /** Deletes what no pin needs; `newest` has been confirmed, and is at or above every manifest that `add` was told. */
  async sweep(newest: string): Promise<void> {
    if (this.waiting.size === 0) return;
    const oldest = await this.pins.oldest(newest);
    for (const [manifest, tables] of [...this.waiting]) {
      if (oldest !== undefined && oldest < manifest) continue;
      await this.objects.delete(tables);
      this.waiting.delete(manifest);
    }
  }
}
