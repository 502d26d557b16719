/** Those who wait for the same thing: one queue for each principal, and the principal that has used the least is served next. */

import type { Budget } from '#executor';
import type { Usage } from './usage.ts';

/** A request that may stand in a line. */
export interface Waiting {
  /** The identity of the principal whose request it is. */
  readonly queue: string;
  readonly budget: Budget;
}

interface Place<W> {
  readonly ticket: W;
  readonly resolve: () => void;
}

export class Line<W extends Waiting> {
  private readonly usage: Usage;
  private readonly queues = new Map<string, Place<W>[]>();
  /** How many wait, all queues together. */
  length = 0;

  constructor(usage: Usage) {
    this.usage = usage;
  }

  lengthOf(principal: string): number {
    return this.queues.get(principal)?.length ?? 0;
  }

  /** Whether somebody else than `principal` waits. */
  hasOther(principal: string): boolean {
    return this.queues.size > (this.queues.has(principal) ? 1 : 0);
  }

  /** The least processor time that somebody waiting has used. */
  leastUsed(): number {
    let least = Number.POSITIVE_INFINITY;
    for (const principal of this.queues.keys()) {
      least = Math.min(least, this.usage.of(principal));
    }
    return least;
  }

  /** Resolves when it is the ticket's turn; rejects, the place given up, when its work is ended before. */
  async wait(ticket: W): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const place: Place<W> = { ticket, resolve };
    const queue = this.queues.get(ticket.queue) ?? [];
    queue.push(place);
    this.queues.set(ticket.queue, queue);
    this.length++;
    const forget = ticket.budget.onEnd(() => this.remove(place));
    try {
      await ticket.budget.until(promise);
    } finally {
      forget();
    }
  }

  /** The first of the principal that has used the least among those that `may`; it is the caller's to give what was waited for. */
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
    const { queue: principal } = place.ticket;
    const queue = this.queues.get(principal);
    const at = queue?.indexOf(place) ?? -1;
    if (queue === undefined || at < 0) return;
    queue.splice(at, 1);
    if (queue.length === 0) this.queues.delete(principal);
    this.length--;
  }
}
