/** Processor time that each principal has used lately: what was used ten seconds ago counts a third. */

import type { Clock } from '#base';

const decayMs = 10_000;
/** Beyond so many principals those whose use has faded are forgotten. */
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

  /** When nobody has faded yet, everybody starts anew: fairness suffers for a moment, memory does not. */
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
