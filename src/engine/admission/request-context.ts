/** The server resources of one request: its deadline, memory, work class and the execution slot of that class. */

import { anyone, type Principal } from '#access';
import type { World } from '#base';
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
import type { PrincipalPrograms } from './principal-programs.ts';
import type { SlotHolder, Slots } from './slots.ts';
import type { AdmissionCounts } from './statistics.ts';
import type { TimeSlices } from './time-slices.ts';
import type { Usage } from './usage.ts';

/**
 * `point`: few reads by key, run in one piece without a slot. `query`: all other programs, and point reads that had to
 * yield. `heavy`: a long-running program, which has used much CPU time. `alone`: runs with an exclusive commit and needs
 * no slot, because there is at most one.
 */
type WorkClass = 'point' | 'query' | 'heavy' | 'alone';

/** Facts about a request that are known before its program. */
export interface RequestFacts {
  /** Time of arrival on the monotonic clock. If absent, the request arrives now. */
  readonly arrivedMs?: number;
  /** Deadline of the client in milliseconds. The limit of the server may be lower. If absent, the client sets no deadline. */
  readonly deadlineMs?: number | undefined;
  /** The header or setting that contains this deadline, for messages. */
  readonly deadlineSource?: string;
  /** Aborts when the client disconnects. */
  readonly signal?: () => AbortSignal;
  /** Principal of the request. If absent, it is `anyone`. */
  readonly principal?: Principal;
  /** Whether the request has no time limit of the server, as migrations do. */
  readonly isUnlimited?: boolean;
}

/** The parts of admission that a request uses. */
interface AdmissionParts {
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
  readonly turns: TimeSlices;
  readonly counts: AdmissionCounts;
  readonly programs: PrincipalPrograms;
  readonly meters: EngineMeters;
  /** Called when the request waits for the first time. */
  waits(requestContext: RequestContext): void;
  closed(requestContext: RequestContext): void;
}

/** CPU time after which a query is long-running. */
const heavyAfterMs = 250;

const smallBodyBytes = 64 * 1024;
const mib = 1 << 20;

/** The context of one request. The context also serves as the options of its budget. */
export class RequestContext implements BudgetOptions, SlotHolder {
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
  /** Set by `Slots`. */
  holds: 'slot' | 'heavy' | undefined;
  /** The trace of a request that asked for details of its execution. */
  trace: ProgramTrace | undefined;
  private readonly deadlineSource: string;
  private bodyBytes = 0;
  private readonly admission: AdmissionParts;
  private knownQueue: string | undefined;
  private isClosed = false;

  constructor(admission: AdmissionParts, facts: RequestFacts) {
    this.admission = admission;
    this.principal = facts.principal ?? anyone;
    const { world, limits } = admission;
    this.world = world;
    this.meters = admission.meters;
    admission.programs.enter(this.principal);
    const own = this.principal.limits;
    const { programMemoryBytes, spill } = limits;
    const ownBytes = (own.memoryMib ?? Infinity) * mib;
    this.memory =
      ownBytes < programMemoryBytes
        ? new Memory(ownBytes, admission.pool, spill, 'the limit memory_mib of the access token')
        : new Memory(programMemoryBytes, admission.pool, spill);
    this.arrivedMs = facts.arrivedMs;
    this.signal = facts.signal;
    this.deadlineSource = facts.deadlineSource ?? 'the header Svc-Deadline-Ms';
    const ownMs = facts.isUnlimited === true ? 0 : (own.deadlineMs ?? 0);
    this.timeoutMs = lower(lower(facts.deadlineMs ?? 0, ownMs), this.serverMs(facts));
    this.deadlines = admission.deadlines;
    this.budget = new Budget(world, this);
  }

  get timeoutSource(): string {
    const { timeoutMs, admission, principal } = this;
    if (timeoutMs === admission.limits.timeoutMs) return '--statement-timeout-ms';
    const isOwn = timeoutMs === principal.limits.deadlineMs;
    return isOwn ? 'the limit deadline_ms of the access token' : this.deadlineSource;
  }

  private serverMs({ isUnlimited }: RequestFacts): number {
    return isUnlimited === true ? 0 : this.admission.limits.timeoutMs;
  }

  /** The key of the fair queues: the ID of the principal. */
  get queue(): string {
    this.knownQueue ??= this.principal.id;
    return this.knownQueue;
  }

  /** Reserves memory for the body and the data parsed from it. A small body is admitted like a point read until more is known. */
  reserveForBody(bytes: number): void {
    this.memory.isShort = bytes <= smallBodyBytes;
    this.bodyBytes = bytes;
    this.memory.holdRequest(bytes);
  }

  /** Reserves memory for the encoded part of the response, in addition to the existing reservations. */
  holdAnswer(bytes: number): void {
    this.memory.holdRequest(this.bodyBytes + bytes);
  }

  /**
   * The memory of the program without its request, in bytes. The data parsed from the body is excluded: it is young when
   * it is released, and a minor garbage collection finds it. A full collection, which pauses the process, would not free
   * more.
   */
  get heldByWork(): number {
    return Math.max(0, this.memory.usedBytes - this.bodyBytes);
  }

  /** Reduces the reservation to the response. Returns the number of bytes that the program held in addition to it. */
  answered(bytes: number): number {
    const { memory } = this;
    const besides = this.heldByWork - bytes;
    memory.keepOnly(0);
    memory.holdRequest(bytes);
    memory.shrink();
    return Math.max(0, besides);
  }

  /**
   * Admits a program. Returns `undefined` if it may run immediately. `isPointProgram` means that the plan proves it to be a
   * point read.
   */
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

  /** Releases the slot. The program must not compute until it has entered again. */
  leave(): void {
    if (this.class !== 'point') this.budget.rest();
    if (this.holds !== undefined) this.admission.slots.release(this);
  }

  /** Waits for the client without a slot, until the request ends at the longest. The work then continues with a new slot and slice. */
  async outside(wait: Promise<void>): Promise<void> {
    this.leave();
    await this.budget.until(wait);
    await this.budget.begin(this.yieldSlice());
  }

  /** Marks the request as running with an exclusive commit. */
  runAlone(): void {
    this.leave();
    this.class = 'alone';
  }

  /** Ends the request and releases all its resources. */
  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.countEnd();
    this.budget.settle();
    this.leave();
    this.memory.release();
    if (this.trace !== undefined) this.meters.traces.add(this.trace);
    this.admission.programs.leave(this.principal);
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

  /** Called by the budget when the time slice is used up. Resolves with the length of the next slice. */
  async yieldSlice(): Promise<number> {
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

  /** Called by the budget when the request waits for the first time. */
  waits(): void {
    this.admission.waits(this);
  }

  private takePlace(): Promise<void> | undefined {
    const { slots } = this.admission;
    return this.class === 'heavy' ? slots.acquireHeavy(this) : slots.acquire(this);
  }

  /** Called by the budget at the end of a piece of work. */
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

/** Returns the lower of both limits. 0 means no limit. */
function lower(one: number, other: number): number {
  if (one === 0) return other;
  return other === 0 ? one : Math.min(one, other);
}
