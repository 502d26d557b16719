/** Events by their time. */

import type { Life } from './life.ts';

export interface SimulatedEvent {
  atMs: number;
  /** Decides between equal times. */
  tie: number;
  readonly life: Life | undefined;
  readonly name: string;
  readonly run: () => void;
  isCancelled: boolean;
}

/** A binary heap, earliest first. */
export class EventHeap {
  private readonly events: SimulatedEvent[] = [];

  push(event: SimulatedEvent): void {
    const { events } = this;
    let at = events.length;
    events.push(event);
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = events[above] as SimulatedEvent;
      if (!isBefore(event, parent)) break;
      events[at] = parent;
      at = above;
    }
    events[at] = event;
  }

  pop(): SimulatedEvent | undefined {
    const { events } = this;
    const first = events[0];
    const last = events.pop();
    if (first !== undefined && last !== undefined && events.length > 0) this.sink(last);
    return first;
  }

  private sink(event: SimulatedEvent): void {
    const { events } = this;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= events.length) break;
      const right = events[below + 1];
      if (right !== undefined && isBefore(right, events[below] as SimulatedEvent)) below++;
      const child = events[below] as SimulatedEvent;
      if (!isBefore(child, event)) break;
      events[at] = child;
      at = below;
    }
    events[at] = event;
  }
}

function isBefore(left: SimulatedEvent, right: SimulatedEvent): boolean {
  return left.atMs < right.atMs || (left.atMs === right.atMs && left.tie < right.tie);
}
