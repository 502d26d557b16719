/**
 * How many programs are at work at once: a quarter of the slots is for heavy ones, the rest for all others. The programs that wait for one are bounded, in
 * sum and for each principal. A principal gets more than a quarter of the slots only while nobody with less waits, and never the last one.
 */

import { fail } from '#failure';
import { Line, type Waiting } from './line.ts';
import type { Usage } from './usage.ts';

/** A request, and what it has of the slots. */
export interface SlotHolder extends Waiting {
  /** Written by the slots. */
  holds: 'slot' | 'heavy' | undefined;
}

interface SlotBounds {
  /** Slots of both kinds. */
  readonly concurrency: number;
  /** Programs that may wait for a slot. */
  readonly queueMax: number;
}

export class Slots {
  readonly waiting: Line<SlotHolder>;
  readonly waitingHeavy: Line<SlotHolder>;
  /** The longest that `waiting` has been. */
  waitingPeak = 0;
  private readonly usage: Usage;
  private readonly queueMax: number;
  private readonly shareMax: number;
  private free: number;
  private freeHeavy: number;
  /** Programs that have a slot. */
  running = 0;
  runningHeavy = 0;
  private readonly held = new Map<string, number>();

  constructor({ concurrency, queueMax }: SlotBounds, usage: Usage) {
    const quarter = Math.max(1, Math.floor(concurrency / 4));
    this.usage = usage;
    this.waiting = new Line(usage);
    this.waitingHeavy = new Line(usage);
    this.queueMax = queueMax;
    this.shareMax = quarter;
    this.freeHeavy = quarter;
    this.free = Math.max(1, concurrency - quarter);
  }

  /** Undefined when a slot was free and is taken now, else resolves once one has been taken. */
  acquire(ticket: SlotHolder): Promise<void> | undefined {
    const { queue: principal } = ticket;
    const isSpare = this.free > 1 && this.waiting.length === 0;
    if (this.free > 0 && (isSpare || this.isBelowShare(principal))) {
      this.give(ticket);
      return undefined;
    }
    this.refuseCrowd(principal);
    const wait = this.waiting.wait(ticket);
    this.waitingPeak = Math.max(this.waitingPeak, this.waiting.length);
    return wait;
  }

  /** Gives back what the ticket holds; to the next that waits, if somebody does. */
  release(ticket: SlotHolder): void {
    const { queue: principal, holds } = ticket;
    ticket.holds = undefined;
    if (holds === 'heavy') this.takeBackHeavy();
    if (holds === 'slot') this.takeBack(principal);
  }

  /** Of those for heavy programs. Everybody who waits for one has been admitted already, so their number is bounded. */
  acquireHeavy(ticket: SlotHolder): Promise<void> | undefined {
    if (this.freeHeavy === 0) return this.waitingHeavy.wait(ticket);
    this.giveHeavy(ticket);
    return undefined;
  }

  /** Whether a heavy program should let somebody go first who has used less. */
  isOvertaken({ queue: principal }: SlotHolder): boolean {
    if (!this.waitingHeavy.hasOther(principal)) return false;
    return this.waitingHeavy.leastUsed() < this.usage.of(principal);
  }

  private isBelowShare(principal: string): boolean {
    return (this.held.get(principal) ?? 0) < this.shareMax;
  }

  /** The ticket holds it from this moment on, also when its work is ended before it hears of it. */
  private give(ticket: SlotHolder): void {
    this.free--;
    this.running++;
    this.held.set(ticket.queue, (this.held.get(ticket.queue) ?? 0) + 1);
    ticket.holds = 'slot';
  }

  private giveHeavy(ticket: SlotHolder): void {
    this.freeHeavy--;
    this.runningHeavy++;
    ticket.holds = 'heavy';
  }

  private serve(): void {
    while (this.free > 0) {
      const next =
        this.waiting.next((principal) => this.isBelowShare(principal)) ??
        (this.free > 1 ? this.waiting.next() : undefined);
      if (next === undefined) return;
      this.give(next.ticket);
      next.resolve();
    }
  }

  private takeBack(principal: string): void {
    this.free++;
    this.running--;
    const held = (this.held.get(principal) as number) - 1;
    if (held === 0) this.held.delete(principal);
    else this.held.set(principal, held);
    this.serve();
  }

  private takeBackHeavy(): void {
    this.freeHeavy++;
    this.runningHeavy--;
    const next = this.waitingHeavy.next();
    if (next === undefined) return;
    this.giveHeavy(next.ticket);
    next.resolve();
  }

  private refuseCrowd(principal: string): void {
    const ownMax = Math.ceil(this.queueMax / 4);
    if (this.waiting.length >= this.queueMax) throw crowded(`${this.queueMax} programs are`);
    if (this.waiting.lengthOf(principal) < ownMax) return;
    throw crowded(`${ownMax} programs of this client, a quarter of --max-queue, are`);
  }
}

function crowded(what: string): Error {
  return fail('overloaded', `${what} waiting already; try again later`, { retryAfterSeconds: 1 });
}
