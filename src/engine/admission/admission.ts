/** Admission control: decides when a program runs, accounts its memory and cancels it. One instance per engine. */

import type { World } from '#base';
import { Deadlines, MemoryPool } from '#executor';
import type { SpillSpace } from '#storage';
import { EngineMeters } from '../meters.ts';
import { BoundedWaiters } from './bounded-waiters.ts';
import { PrincipalPrograms } from './principal-programs.ts';
import { RequestContext, type RequestFacts } from './request-context.ts';
import { Slots } from './slots.ts';
import { AdmissionCounts, type AdmissionStatistics } from './statistics.ts';
import { TimeSlices } from './time-slices.ts';
import { Usage } from './usage.ts';

export interface AdmissionLimits {
  /** Maximum memory of one program, in bytes. */
  readonly programMemoryBytes: number;
  /** Maximum memory of all programs together, in bytes. */
  readonly memoryBytes: number;
  /** Spill space for programs that exceed their memory. If absent, programs cannot spill. */
  readonly spill?: SpillSpace | undefined;
  /** Time from the arrival of a request. 0 means no limit. */
  readonly timeoutMs: number;
  /** Maximum number of programs that execute, and that wait for an execution slot. */
  readonly concurrency: number;
  readonly queueMax: number;
}

/** Memory that is reserved for point reads, unless the whole pool is small. */
const pointReserveBytes = 64 * 2 ** 20;

export class Admission {
  readonly world: World;
  readonly limits: AdmissionLimits;
  readonly usage: Usage;
  readonly slots: Slots;
  readonly turns: TimeSlices;
  readonly pool: MemoryPool;
  readonly deadlines: Deadlines;
  /** Writers that wait for the storage to catch up. */
  readonly pressed: BoundedWaiters;
  /** Writers that wait for an exclusive commit, their own or that of another program. */
  readonly behindExclusive: BoundedWaiters;
  readonly counts = new AdmissionCounts();
  readonly programs = new PrincipalPrograms();
  readonly meters = new EngineMeters();
  private stopping: Error | undefined;
  private readonly waitingTickets = new Set<RequestContext>();

  constructor(world: World, limits: AdmissionLimits) {
    const { memoryBytes, queueMax } = limits;
    this.world = world;
    this.limits = limits;
    this.usage = new Usage(world.clock);
    this.slots = new Slots(limits, this.usage);
    this.turns = new TimeSlices(world);
    this.deadlines = new Deadlines(world);
    this.pool = new MemoryPool(memoryBytes, Math.min(pointReserveBytes, memoryBytes / 4));
    this.pressed = new BoundedWaiters(
      queueMax,
      'programs already wait for the storage to catch up',
    );
    this.behindExclusive = new BoundedWaiters(
      queueMax,
      'programs already wait for an exclusive commit to end',
    );
  }

  /** Creates the context of a request. The caller must close it. */
  requestContext(facts: RequestFacts = {}): RequestContext {
    return new RequestContext(this, facts);
  }

  /** Runs `work` with the given request context, or with a new one that is closed after it. */
  async within<T>(
    given: RequestContext | undefined,
    work: (requestContext: RequestContext) => Promise<T>,
    facts?: RequestFacts,
  ): Promise<T> {
    if (given !== undefined) return work(given);
    const requestContext = this.requestContext(facts);
    try {
      return await work(requestContext);
    } finally {
      requestContext.close();
    }
  }

  /** Ends all programs that wait or yield, now or later. Work that runs in one piece finishes. */
  endAll(reason: Error): void {
    this.stopping = reason;
    for (const requestContext of [...this.waitingTickets]) requestContext.budget.end(reason);
  }

  /** Registers a request that waits for the first time, so that `endAll` can end it. */
  waits(requestContext: RequestContext): void {
    if (this.stopping === undefined) this.waitingTickets.add(requestContext);
    else requestContext.budget.end(this.stopping);
  }

  closed(requestContext: RequestContext): void {
    this.waitingTickets.delete(requestContext);
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
      spillLimitBytes: spill?.limitBytes ?? 0,
      spillPeakBytes: spill?.peakBytes ?? 0,
      spillWrittenBytes: spill?.writtenBytes ?? 0,
      spillRefused: spill?.refused ?? 0,
    };
  }
}
