/**
 * The collector's view of the pins: which states readers may still read.
 *
 * A reader moves on soon after a newer manifest is there, so a pin that has stayed behind for long is a dead reader's and is removed. Its
 * age is what this process has seen on its own steady clock: no clock of a reader, and no date of a file, takes part.
 */

import type { Clock } from '#base';
import type { Garbage, GarbageCollector } from '../object/garbage-collector.ts';
import { listPins } from './pins.ts';

interface PinWatchOptions {
  readonly collector: GarbageCollector;
  readonly clock: Clock;
  /** So long behind the newest manifest, and a pin is nobody's. */
  readonly expiryMs: number;
  /** So long behind, and its reader is taken to be away: what it pinned stays, but nothing is published for its sake. */
  readonly awayMs: number;
}

export class PinWatch {
  /** Readers that follow the store, as of the last look. */
  followers = 0;
  private readonly options: PinWatchOptions;
  /** When each pin was first seen behind the newest manifest. */
  private behindSince = new Map<string, number>();

  constructor(options: PinWatchOptions) {
    this.options = options;
  }

  /**
   * The oldest manifest that is pinned, undefined when none is. `newest` must have been confirmed before the call: a pin that this listing
   * misses is made later, and its reader sees that its manifest is not the newest any more.
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
