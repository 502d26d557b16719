/** The states behind the probes (docs/monitoring.md): starting, serving, draining, and the permanent failures. */

import type { Clock } from '#base';
import type { Engine } from '#engine';
import type { Lifecycle, LiveReason, ReadyReason, StartupReason } from '#http';
import { AvailabilityMeter } from './metrics/availability-meter.ts';

/** Readiness fails if the last success is older than this. */
const freshnessMs = 15_000;

type Observation = 'none' | 'ok' | 'failed';

export class ServerLifecycle implements Lifecycle {
  readonly access: 'read' | 'write';
  engine: Engine | undefined;
  refusal: string | undefined;
  private phase: 'starting' | 'serving' | 'draining' = 'starting';
  private isStarted = false;
  private hold: StartupReason = 'starting';
  private isFenced = false;
  private hasTaskFailed = false;
  private observation: Observation = 'none';
  private lastOkMs = 0;
  readonly availability: AvailabilityMeter;
  private readonly clock: Clock;

  constructor(clock: Clock, access: 'read' | 'write' = 'write') {
    this.access = access;
    this.clock = clock;
    this.availability = new AvailabilityMeter(clock);
  }

  /**
   * Whether this process has ever served requests, regardless of the current state of the database. Load balancers may
   * then know this process.
   */
  get hasServed(): boolean {
    return this.isStarted;
  }

  /** Records the reason why the store cannot be opened at the moment. */
  held(reason: StartupReason): void {
    this.hold = reason;
  }

  /** Records that the store is open and the catalog is valid. Opening counts as the first success. */
  opened(engine: Engine): void {
    this.engine = engine;
    this.isStarted = true;
    if (this.phase === 'starting') this.phase = 'serving';
    this.observed(engine.isReady);
  }

  observed(isOk: boolean): void {
    this.observation = isOk ? 'ok' : 'failed';
    this.availability.observed(isOk);
    if (isOk) this.lastOkMs = this.clock.monotonicMs();
  }

  /** Records that the engine is closed. Later requests get the same response as before it was open. */
  closed(): void {
    this.engine = undefined;
  }

  /** Records that the storage failed under the database, which will be reopened. */
  interrupted(): void {
    this.engine = undefined;
    this.observed(false);
  }

  /** Records that no client may use the open database any more, and the reason for their responses. */
  requireAuthentication(refusal: string): void {
    this.engine = undefined;
    this.refusal = refusal;
  }

  drain(): void {
    this.phase = 'draining';
  }

  /** Records a permanent failure: another writer owns the database, or a required task has ended. */
  lost(how: 'fenced' | 'task_failed'): void {
    if (how === 'fenced') {
      this.isFenced = true;
      this.availability.fenced();
    } else this.hasTaskFailed = true;
  }

  live(): LiveReason {
    if (this.hasTaskFailed) return 'task_failed';
    return this.phase === 'draining' ? 'draining' : 'live';
  }

  ready(): ReadyReason {
    if (this.isFenced) return 'fenced';
    if (this.phase !== 'serving') return this.phase;
    if (this.refusal !== undefined) return 'authentication_required';
    if (this.observation === 'failed') return 'storage_unavailable';
    const age = this.clock.monotonicMs() - this.lastOkMs;
    return age > freshnessMs ? 'storage_stale' : 'serving';
  }

  startup(): StartupReason {
    return this.isStarted ? 'started' : this.hold;
  }
}
