/** The door to the executor: who runs when, on how much memory, and how it is told to end. One for an engine. */

import type { World } from '#base';
import { Deadlines, MemoryPool } from '#executor';
import type { SpillSpace } from '#storage';
import { EngineMeters } from '../meters.ts';
import { Crowd } from './crowd.ts';
import { Slots } from './slots.ts';
import { AdmissionCounts, type AdmissionStatistics } from './statistics.ts';
import { type RequestFacts, Ticket } from './ticket.ts';
import { Turns } from './turns.ts';
import { Usage } from './usage.ts';

export interface AdmissionLimits {
  /** Memory that one program may hold. */
  readonly programMemoryBytes: number;
  /** Memory that all programs together may hold. */
  readonly memoryBytes: number;
  /** Where they put down what they have no memory for; absent: nowhere. */
  readonly spill?: SpillSpace | undefined;
  /** From the arrival of a request; 0: no limit. */
  readonly timeoutMs: number;
  /** Programs that execute at once, and that may wait for it. */
  readonly concurrency: number;
  readonly queueMax: number;
}

/** Kept for programs of class point, unless the whole pool is small. */
const pointReserveBytes = 64 * 2 ** 20;

export class Admission {
  readonly world: World;
  readonly limits: AdmissionLimits;
  readonly usage: Usage;
  readonly slots: Slots;
  readonly turns: Turns;
  readonly pool: MemoryPool;
  readonly deadlines: Deadlines;
  /** Writers that wait for the storage to catch up. */
  readonly pressed: Crowd;
  /** Writers that wait for an exclusive turn, their own or another's. */
  readonly behindExclusive: Crowd;
  readonly counts = new AdmissionCounts();
  readonly meters = new EngineMeters();
  private stopping: Error | undefined;
  private readonly waitingTickets = new Set<Ticket>();

  constructor(world: World, limits: AdmissionLimits) {
    const { memoryBytes, queueMax } = limits;
    this.world = world;
    this.limits = limits;
    this.usage = new Usage(world.clock);
    this.slots = new Slots(limits, this.usage);
    this.turns = new Turns(world);
    this.deadlines = new Deadlines(world);
    this.pool = new MemoryPool(memoryBytes, Math.min(pointReserveBytes, memoryBytes / 4));
    this.pressed = new Crowd(queueMax, 'programs wait already for the storage to catch up');
    this.behindExclusive = new Crowd(queueMax, 'programs wait already to commit after another one');
  }

  /** The caller closes the ticket. */
  ticket(facts: RequestFacts = {}): Ticket {
    return new Ticket(this, facts);
  }

  /** Runs `work` on the ticket that is given, or on one of its own. */
  async within<T>(
    given: Ticket | undefined,
    work: (ticket: Ticket) => Promise<T>,
    facts?: RequestFacts,
  ): Promise<T> {
    if (given !== undefined) return work(given);
    const ticket = this.ticket(facts);
    try {
      return await work(ticket);
    } finally {
      ticket.close();
    }
  }

  /** Ends all work that waits or gives way, from now on; what runs in one go ends by itself. */
  endAll(reason: Error): void {
    this.stopping = reason;
    for (const ticket of [...this.waitingTickets]) ticket.budget.end(reason);
  }

  /** The ticket has to wait for the first time: from now on it must be told when all is to end. */
  waits(ticket: Ticket): void {
    if (this.stopping === undefined) this.waitingTickets.add(ticket);
    else ticket.budget.end(this.stopping);
  }

  closed(ticket: Ticket): void {
    this.waitingTickets.delete(ticket);
  }

  statistics(): AdmissionStatistics {
    const { counts, slots, pool, turns } = this;
    const { spill } = this.limits;
    return {
      ...counts,
      running: slots.running,
      runningHeavy: slots.runningHeavy,
      queued: slots.waiting.length,
      queuedPeak: slots.waitingPeak,
      queuedHeavy: slots.waitingHeavy.length,
      waitingForSlice: turns.waiting,
      pressed: this.pressed.count,
      behindExclusive: this.behindExclusive.count,
      poolUsedBytes: pool.usedBytes,
      poolPeakBytes: pool.peakBytes,
      poolRefused: pool.refused,
      spillFiles: spill?.files ?? 0,
      spillUsedBytes: spill?.usedBytes ?? 0,
      spillPeakBytes: spill?.peakBytes ?? 0,
      spillWrittenBytes: spill?.writtenBytes ?? 0,
      spillRefused: spill?.refused ?? 0,
    };
  }
}
