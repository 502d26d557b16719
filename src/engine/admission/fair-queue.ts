/** A fair wait queue: one FIFO queue per principal. The principal with the least recent CPU time is served next. */

import type { Budget } from '#executor';
import type { Usage } from './usage.ts';

/** A request that can wait in a queue. */
export interface Waiting {
  /** ID of the principal of the request. */
  readonly queue: string;
  readonly budget: Budget;
}

interface Place<W> {
  readonly requestContext: W;
  readonly resolve: () => void;
}

export class FairQueue<W extends Waiting> {
  private readonly usage: Usage;
  private readonly queues = new Map<string, Place<W>[]>();
  /** Number of waiting requests in all queues. */
  length = 0;

  constructor(usage: Usage) {
    this.usage = usage;
  }

  lengthOf(principal: string): number {
    return this.queues.get(principal)?.length ?? 0;
  }

  /** Returns whether a request of another principal waits. */
  hasOther(principal: string): boolean {
    return this.queues.size > (this.queues.has(principal) ? 1 : 0);
  }

  /** Returns the least CPU time among the principals that wait. */
  leastUsed(): number {
    let least = Number.POSITIVE_INFINITY;
    for (const principal of this.queues.keys()) {
      least = Math.min(least, this.usage.of(principal));
    }
    return least;
  }

  /** Resolves when the request is served. Rejects and leaves the queue if the request is ended first. */
  async wait(requestContext: W): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const place: Place<W> = { requestContext, resolve };
    const queue = this.queues.get(requestContext.queue) ?? [];
    queue.push(place);
    this.queues.set(requestContext.queue, queue);
    this.length++;
    const forget = requestContext.budget.onEnd(() => this.remove(place));
    try {
      await requestContext.budget.until(promise);
    } finally {
      forget();
    }
  }

  /**
   * Removes and returns the first request of the principal with the least CPU time among those accepted by `may`. The
   * caller must grant the resource to it.
   */
  next(may: (principal: string) => boolean = () => true): Place<W> | undefined {
    let best: string | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const principal of this.queues.keys()) {
      if (!may(principal)) continue;
      const used = this.usage.of(principal);
      if (best !== undefined && used >= least) continue;
      best = principal;
      least = used;
    }
    const place = best === undefined ? undefined : this.queues.get(best)?.[0];
    if (place !== undefined) this.remove(place);
    return place;
  }

  private remove(place: Place<W>): void {
    const { queue: principal } = place.requestContext;
    const queue = this.queues.get(principal);
    const at = queue?.indexOf(place) ?? -1;
    if (queue === undefined || at < 0) return;
    queue.splice(at, 1);
    if (queue.length === 0) this.queues.delete(principal);
    this.length--;
  }
}
