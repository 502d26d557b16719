/**
 * Limits the rate of publications, so that many small changes share one manifest where each
 * manifest costs several requests.
 */

import type { World } from '#base';
import { storeLimits } from '../contract/limits.ts';

interface PaceParts {
  readonly world: World;
  /** Shortest time between two publications; 0 for no limit. */
  readonly intervalMs: number;
  /** Returns true if a publication is urgent. */
  readonly presses: () => boolean;
}

export class PublishPace {
  private readonly parts: PaceParts;
  private nextMs = Number.NEGATIVE_INFINITY;
  private isHurried = false;

  constructor(parts: PaceParts) {
    this.parts = parts;
  }

  /** Resolves when the next publication may begin. */
  async turn(): Promise<void> {
    const { world, intervalMs, presses } = this.parts;
    const { clock, scheduler } = world;
    for (;;) {
      const restMs = this.nextMs - clock.monotonicMs();
      if (restMs <= 0 || this.isHurried || presses()) break;
      const pauseMs = Math.min(restMs, storeLimits.pollMs);
      await new Promise<void>((resolve) => scheduler.after(pauseMs, resolve));
    }
    if (intervalMs > 0) this.nextMs = clock.monotonicMs() + intervalMs;
  }

  /** Ends the rate limit, because the store closes. */
  hurry(): void {
    this.isHurried = true;
  }
}
