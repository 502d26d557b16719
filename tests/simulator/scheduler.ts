/**
 * The one queue of everything that can happen next: completions of I/O, timers, yields, what clients do. An event happens at
 * its simulated time, equal times in an order that the seed picks; between two events all promises settle.
 */

import { drainMicrotasks } from 'bun:jsc';
import type { Timer } from '#base';
import type { Dice } from './dice.ts';
import { EventHeap, type SimulatedEvent } from './event-heap.ts';
import type { Life } from './life.ts';

export class Scheduler {
  nowMs = 0;
  events = 0;
  /** Depends on every event, its time and its owner. */
  traceHash = 0;
  private readonly dice: Dice;
  private readonly heap = new EventHeap();

  constructor(dice: Dice) {
    this.dice = dice;
  }

  /** An event of a dead `life` never happens; that of a paused one waits. */
  after(delayMs: number, life: Life | undefined, name: string, run: () => void): Timer {
    const event: SimulatedEvent = {
      atMs: this.nowMs + delayMs,
      tie: this.dice.unit(),
      life,
      name,
      run,
      isCancelled: false,
    };
    this.heap.push(event);
    return {
      cancel: () => {
        event.isCancelled = true;
      },
    };
  }

  /** Resolves after `delayMs`; never when `life` is dead by then. */
  wait(delayMs: number, life: Life | undefined, name: string): Promise<void> {
    return new Promise((resolve) => this.after(delayMs, life, name, resolve));
  }

  /** Lets the next event happen; false when there is none. */
  step(): boolean {
    for (;;) {
      const event = this.heap.pop();
      if (event === undefined) return false;
      const { life } = event;
      if (event.isCancelled || life?.isDead === true) continue;
      if (life !== undefined && life.pausedUntilMs > event.atMs) {
        event.atMs = life.pausedUntilMs;
        event.tie = this.dice.unit();
        this.heap.push(event);
        continue;
      }
      this.happen(event);
      return true;
    }
  }

  /** Lets all promises settle, as between two events. */
  settle(): void {
    drainMicrotasks();
  }

  /** Something to remember besides the events. */
  trace(text: string): void {
    this.traceHash = Bun.hash.crc32(text, this.traceHash);
  }

  private happen(event: SimulatedEvent): void {
    this.nowMs = Math.max(this.nowMs, event.atMs);
    this.events++;
    this.trace(event.life === undefined ? event.name : event.life.name + event.name);
    this.traceHash = (this.traceHash + Math.imul(this.nowMs * 1000, 0x9e37_79b1)) >>> 0;
    event.run();
    this.settle();
  }
}
