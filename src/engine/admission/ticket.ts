/** What one request has of the server: its time, its memory, its class, and the slot that goes with the class. */

import type { World } from '#base';
import { anyone, type Principal } from '#catalog';
import {
  Budget,
  type BudgetOptions,
  ClientGone,
  type Deadlines,
  Memory,
  type MemoryPool,
  type ProgramTrace,
} from '#executor';
import { DatabaseError } from '#failure';
import type { SpillSpace } from '#storage';
import type { EngineMeters } from '../meters.ts';
import type { SlotHolder, Slots } from './slots.ts';
import type { AdmissionCounts } from './statistics.ts';
import type { Turns } from './turns.ts';
import type { Usage } from './usage.ts';

/**
 * `point`: few reads by key, run in one go without a slot. `query`: everything else, and points that had to wait. `heavy`: has used much
 * processor time. `alone`: runs while nobody else may commit, and needs no slot: there is one at most.
 */
type WorkClass = 'point' | 'query' | 'heavy' | 'alone';

/** What is known of a request before its program is. */
export interface RequestFacts {
  /** When it came, by the steady clock; absent: now. */
  readonly arrivedMs?: number;
  /** What the client gives it; the server's own limit may be lower. Absent: no wish. */
  readonly deadlineMs?: number | undefined;
  /** Fires when the client goes. */
  readonly signal?: () => AbortSignal;
  /** Whose request it is; absent: anyone's. */
  readonly principal?: Principal;
  /** Migrations have no deadline. */
  readonly isUnlimited?: boolean;
}

/** What a ticket is given out by, and goes back to. */
interface TicketOffice {
  readonly world: World;
  readonly limits: {
    readonly programMemoryBytes: number;
    readonly timeoutMs: number;
    readonly spill?: SpillSpace | undefined;
  };
  readonly pool: MemoryPool;
  readonly deadlines: Deadlines;
  readonly usage: Usage;
  readonly slots: Slots;
  readonly turns: Turns;
  readonly counts: AdmissionCounts;
  readonly meters: EngineMeters;
  /** The ticket has to wait for the first time. */
  waits(ticket: Ticket): void;
  closed(ticket: Ticket): void;
}

/** Processor time after which a query is heavy. */
const heavyAfterMs = 250;

const smallBodyBytes = 64 * 1024;

/** A ticket tells its budget by itself what that has to know. */
export class Ticket implements BudgetOptions, SlotHolder {
  readonly world: World;
  readonly budget: Budget;
  readonly timeoutMs: number;
  readonly deadlines: Deadlines;
  readonly arrivedMs: number | undefined;
  readonly signal: (() => AbortSignal) | undefined;
  readonly memory: Memory;
  readonly meters: EngineMeters;
  readonly principal: Principal;
  class: WorkClass = 'query';
  /** Written by the slots. */
  holds: 'slot' | 'heavy' | undefined;
  /** Of a request that wants to know what its program does. */
  trace: ProgramTrace | undefined;
  private bodyBytes = 0;
  private readonly admission: TicketOffice;
  private knownQueue: string | undefined;
  private isClosed = false;

  constructor(admission: TicketOffice, facts: RequestFacts) {
    this.admission = admission;
    this.principal = facts.principal ?? anyone;
    const { world, limits } = admission;
    this.world = world;
    this.meters = admission.meters;
    this.memory = new Memory(limits.programMemoryBytes, admission.pool, limits.spill);
    this.arrivedMs = facts.arrivedMs;
    this.signal = facts.signal;
    this.timeoutMs = timeoutOf(facts, limits.timeoutMs);
    this.deadlines = admission.deadlines;
    this.budget = new Budget(world, this);
  }

  /** The fair queues know a principal by its identity. */
  get queue(): string {
    this.knownQueue ??= this.principal.id;
    return this.knownQueue;
  }

  /** The request holds so much for its body, and for what is made of it. A small one is let in like a point until more is known. */
  holdBody(bytes: number): void {
    this.memory.isShort = bytes <= smallBodyBytes;
    this.bodyBytes = bytes;
    this.memory.holdRequest(bytes);
  }

  /** So much of the answer has been encoded, while all else is still held. */
  holdAnswer(bytes: number): void {
    this.memory.holdRequest(this.bodyBytes + bytes);
  }

  /**
   * What the program holds besides its request. What was made of the body is young when it is let go, and found by a small collection: a full one, which
   * stops everything, would do no more.
   */
  get heldByWork(): number {
    return Math.max(0, this.memory.usedBytes - this.bodyBytes);
  }

  /** The answer is all that is held from now on. How much its program held besides. */
  answered(bytes: number): number {
    const { memory } = this;
    const besides = this.heldByWork - bytes;
    memory.keepOnly(0);
    memory.holdRequest(bytes);
    memory.shrink();
    return Math.max(0, besides);
  }

  /** Before the program runs: undefined when it may at once. `isPoint`: what the plan proves of it. */
  enter(isPoint: boolean): Promise<void> | undefined {
    if (this.class === 'alone') return undefined;
    const { admission } = this;
    if (isPoint) {
      this.class = 'point';
      this.memory.isShort = true;
      admission.turns.lastPointMs = this.budget.arrivedMs;
      admission.counts.point++;
      return undefined;
    }
    this.class = 'query';
    this.memory.isShort = false;
    admission.counts.query++;
    const slot = this.holds === undefined ? admission.slots.acquire(this) : undefined;
    return slot === undefined ? this.begin() : this.enterAfter(slot);
  }

  /** Gives the slot back: the program computes nothing until it has entered again. */
  leave(): void {
    if (this.class !== 'point') this.budget.rest();
    if (this.holds !== undefined) this.admission.slots.release(this);
  }

  /** The request runs in its exclusive turn. */
  runAlone(): void {
    this.leave();
    this.class = 'alone';
  }

  /** The request is over, and everything goes back. */
  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.countEnd();
    this.budget.settle();
    this.leave();
    this.memory.release();
    if (this.trace !== undefined) this.meters.traces.add(this.trace);
    this.admission.closed(this);
  }

  private async enterAfter(slot: Promise<void>): Promise<void> {
    const { clock } = this.world;
    const fromMs = clock.monotonicMs();
    try {
      await slot;
    } finally {
      this.meters.queued.add((clock.monotonicMs() - fromMs) / 1000);
    }
    await this.budget.begin(this.admission.turns.next('query', this.budget));
  }

  private begin(): Promise<void> | undefined {
    const turn = this.admission.turns.begin(this.budget);
    return turn === undefined ? undefined : this.budget.begin(turn);
  }

  /** Called by the budget: the slice is used up. */
  async giveWay(): Promise<number> {
    const { slots, turns, counts } = this.admission;
    if (this.class === 'point') {
      this.class = 'query';
      this.memory.isShort = false;
      counts.query++;
    }
    if (this.class === 'query' && this.budget.usedMs >= heavyAfterMs) {
      this.class = 'heavy';
      counts.heavy++;
      this.leave();
    }
    if (this.class === 'heavy' && this.holds !== undefined && slots.isOvertaken(this)) this.leave();
    if (this.class !== 'alone' && this.holds === undefined) await this.takePlace();
    return turns.next(this.class === 'heavy' ? 'heavy' : 'query', this.budget);
  }

  /** Called by the budget: the request has to wait for the first time. */
  waits(): void {
    this.admission.waits(this);
  }

  private takePlace(): Promise<void> | undefined {
    const { slots } = this.admission;
    return this.class === 'heavy' ? slots.acquireHeavy(this) : slots.acquire(this);
  }

  /** Called by the budget: a stretch of work is over. */
  worked(ms: number): void {
    if (this.class === 'point') return;
    this.admission.usage.charge(this.queue, ms);
    this.admission.turns.worked(ms);
  }

  private countEnd(): void {
    const { ended } = this.budget;
    if (ended === undefined) return;
    const { counts } = this.admission;
    if (ended instanceof ClientGone) counts.clientGone++;
    else if (ended instanceof DatabaseError && ended.failure.reason === 'deadline_exceeded') {
      counts.deadline++;
    } else counts.stopped++;
  }
}

/** The lower of both; 0: none. */
function timeoutOf({ deadlineMs, isUnlimited }: RequestFacts, limitMs: number): number {
  const ownMs = isUnlimited === true ? 0 : limitMs;
  if (deadlineMs === undefined) return ownMs;
  return ownMs === 0 ? deadlineMs : Math.min(ownMs, deadlineMs);
}
