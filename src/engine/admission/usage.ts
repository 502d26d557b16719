/** Recent CPU time of each principal, with exponential decay: CPU time of ten seconds ago counts about a third. */

import type { Clock } from '#base';

const decayMs = 10_000;
/** Above this number of principals, those with negligible usage are forgotten. */
const principalsMax = 10_000;
const fadedMs = 1;

interface Use {
  ms: number;
  atMs: number;
}

export class Usage {
  private readonly clock: Clock;
  private readonly uses = new Map<string, Use>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  charge(principal: string, ms: number): void {
    const atMs = this.clock.monotonicMs();
    const use = this.uses.get(principal);
    if (use === undefined) {
      if (this.uses.size >= principalsMax) this.forgetFaded(atMs);
      this.uses.set(principal, { ms, atMs });
      return;
    }
    use.ms = decayed(use, atMs) + ms;
    use.atMs = atMs;
  }

  of(principal: string): number {
    const use = this.uses.get(principal);
    return use === undefined ? 0 : decayed(use, this.clock.monotonicMs());
  }

  /**
   * Forgets principals with negligible usage. If there are none, forgets all: fairness suffers briefly, but memory stays
   * bounded.
   */
  private forgetFaded(nowMs: number): void {
    for (const [principal, use] of this.uses) {
      if (decayed(use, nowMs) < fadedMs) this.uses.delete(principal);
    }
    if (this.uses.size >= principalsMax) this.uses.clear();
  }
}

function decayed({ ms, atMs }: Use, nowMs: number): number {
  return ms * Math.exp((atMs - nowMs) / decayMs);
}
