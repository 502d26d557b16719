/**
 * The execution slots. A quarter of them is for long-running programs, the rest for all others. The number of waiting
 * programs is limited, in total and per principal. A principal gets more than a quarter of the slots only while no
 * principal with fewer slots waits, and never the last free slot.
 */

import { fail } from '#failure';
import { FairQueue, type Waiting } from './fair-queue.ts';
import type { Usage } from './usage.ts';

/** A request and the slot that it holds. */
export interface SlotHolder extends Waiting {
  /** Set by `Slots`. */
  holds: 'slot' | 'heavy' | undefined;
}

interface SlotBounds {
  /** Number of slots of both kinds. */
  readonly concurrency: number;
  /** Maximum number of programs that wait for a slot. */
  readonly queueMax: number;
}

export class Slots {
  readonly waiting: FairQueue<SlotHolder>;
  readonly waitingHeavy: FairQueue<SlotHolder>;
  /** The maximum length that `waiting` has had. */
  waitingPeak = 0;
  private readonly usage: Usage;
  private readonly queueMax: number;
  private readonly shareMax: number;
  private free: number;
  private freeHeavy: number;
  /** Number of programs that have a slot. */
  running = 0;
  runningHeavy = 0;
  private readonly held = new Map<string, number>();

  constructor({ concurrency, queueMax }: SlotBounds, usage: Usage) {
    const quarter = Math.max(1, Math.floor(concurrency / 4));
    this.usage = usage;
    this.waiting = new FairQueue(usage);
    this.waitingHeavy = new FairQueue(usage);
    this.queueMax = queueMax;
    this.shareMax = quarter;
    this.freeHeavy = quarter;
    this.free = Math.max(1, concurrency - quarter);
  }

  /** Returns `undefined` if a slot was free and is now taken. Otherwise resolves once a slot has been taken. */
  acquire(requestContext: SlotHolder): Promise<void> | undefined {
    const { queue: principal } = requestContext;
    const isSpare = this.free > 1 && this.waiting.length === 0;
    if (this.free > 0 && (isSpare || this.isBelowShare(principal))) {
      this.give(requestContext);
      return undefined;
    }
    this.refuseCrowd(principal);
    const wait = this.waiting.wait(requestContext);
    this.waitingPeak = Math.max(this.waitingPeak, this.waiting.length);
    return wait;
  }

  /** Releases the slot of the request. The next waiting request gets it. */
  release(requestContext: SlotHolder): void {
    const { queue: principal, holds } = requestContext;
    requestContext.holds = undefined;
    if (holds === 'heavy') this.takeBackHeavy();
    if (holds === 'slot') this.takeBack(principal);
  }

  /** Takes a slot for long-running programs. All programs that wait for one were admitted before, so their number is bounded. */
  acquireHeavy(requestContext: SlotHolder): Promise<void> | undefined {
    if (this.freeHeavy === 0) return this.waitingHeavy.wait(requestContext);
    this.giveHeavy(requestContext);
    return undefined;
  }

  /** Returns whether a long-running program should give its slot to a principal that has used less CPU time. */
  isOvertaken({ queue: principal }: SlotHolder): boolean {
    if (!this.waitingHeavy.hasOther(principal)) return false;
    return this.waitingHeavy.leastUsed() < this.usage.of(principal);
  }

  private isBelowShare(principal: string): boolean {
    return (this.held.get(principal) ?? 0) < this.shareMax;
  }

  /** Gives a slot to the request. The request holds it from now on, even if it is ended before it is notified. */
  private give(requestContext: SlotHolder): void {
    this.free--;
    this.running++;
    this.held.set(requestContext.queue, (this.held.get(requestContext.queue) ?? 0) + 1);
    requestContext.holds = 'slot';
  }

  private giveHeavy(requestContext: SlotHolder): void {
    this.freeHeavy--;
    this.runningHeavy++;
    requestContext.holds = 'heavy';
  }

  private serve(): void {
    while (this.free > 0) {
      const next =
        this.waiting.next((principal) => this.isBelowShare(principal)) ??
        (this.free > 1 ? this.waiting.next() : undefined);
      if (next === undefined) return;
      this.give(next.requestContext);
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
    this.giveHeavy(next.requestContext);
    next.resolve();
  }

  private refuseCrowd(principal: string): void {
    const ownMax = Math.ceil(this.queueMax / 4);
    if (this.waiting.length >= this.queueMax) throw crowded(`${this.queueMax} programs are`);
    if (this.waiting.lengthOf(principal) < ownMax) return;
    throw crowded(`${ownMax} programs of this client (a quarter of --max-queue) are`);
  }
}

function crowded(what: string): Error {
  return fail('overloaded', `${what} already waiting; try again later`, { retryAfterSeconds: 1 });
}
