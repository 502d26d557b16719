/**
 * The collector's view of the pins: the states that readers may still read.
 *
 * A reader moves to a newer manifest soon after its publication. A pin that has stayed behind for
 * long belongs to a dead reader and is removed. The age of a pin is measured by the monotonic clock
 * of this process, so that neither the clock of a reader nor the date of a file matters.
 */

import type { Clock } from '#base';
import type { Garbage, GarbageCollector } from '../object/garbage-collector.ts';
import { listPins } from './pins.ts';

interface PinWatchOptions {
  readonly collector: GarbageCollector;
  readonly clock: Clock;
  /** Time behind the newest manifest after which a pin is removed. */
  readonly expiryMs: number;
  /**
   * Time behind the newest manifest after which a reader counts as absent: its pin stays valid, but
   * nothing is published for it.
   */
  readonly awayMs: number;
}

export class PinWatch {
  /** Number of readers that follow the store, as of the last check. */
  followers = 0;
  private readonly options: PinWatchOptions;
  /** The time at which each pin was first seen behind the newest manifest. */
  private behindSince = new Map<string, number>();

  constructor(options: PinWatchOptions) {
    this.options = options;
  }

  /**
   * Returns the oldest pinned manifest; `undefined` if there are no pins. `newest` must be
   * confirmed before the call. A pin that is not in the listing yet is created later, and its
   * reader then detects that its manifest is not the newest any more.
   */
  async oldest(newest: string): Promise<string | undefined> {
    const { collector, clock, expiryMs, awayMs } = this.options;
    const pins = await listPins(collector);
    const now = clock.monotonicMs();
    const behindSince = new Map<string, number>();
    const expired: Garbage[] = [];
    let oldest: string | undefined;
    this.followers = 0;
    for (const { name, manifest, bytes } of pins) {
      const since = manifest < newest ? (this.behindSince.get(name) ?? now) : now;
      if (manifest < newest) behindSince.set(name, since);
      if (now - since < awayMs) this.followers++;
      if (now - since >= expiryMs) expired.push({ name, bytes });
      else if (oldest === undefined || manifest < oldest) oldest = manifest;
    }
    this.behindSince = behindSince;
    if (expired.length > 0) await collector.delete(expired);
    return oldest;
  }
}
