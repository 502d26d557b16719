/**
 * Write pressure: if flushing and compaction cannot keep up, it first delays writes, then stops
 * them, and finally refuses them.
 */

import type { World } from '#base';
import { fail } from '#failure';
import { storeLimits } from '../contract/limits.ts';
import { fullDetail } from '../contract/no-room.ts';
import type { PressureCounters } from '../contract/statistics.ts';
import type { WritePressure } from '../contract/store.ts';

interface PressureBounds {
  readonly unflushedBytesMax: number;
  readonly flushedTablesMax: number;
}

/** The measurements that determine the pressure, read at every write. */
export interface PressureGauge {
  readonly unflushedBytes: number;
  readonly frozenMemtables: number;
  readonly flushedRuns: number;
  /** The memtables cannot be flushed because the device is full. */
  readonly isFull: boolean;
}

/** Number of full memtables that may wait before writes slow down. */
const frozenAtEase = 2;

export class Pressure {
  readonly counters: PressureCounters = { delayed: 0, stopped: 0, refused: 0 };
  private readonly bounds: PressureBounds;
  private readonly gauge: PressureGauge;
  private readonly world: World;

  constructor(bounds: PressureBounds, gauge: PressureGauge, world: World) {
    this.bounds = bounds;
    this.gauge = gauge;
    this.world = world;
  }

  get level(): WritePressure {
    const { unflushedBytesMax, flushedTablesMax } = this.bounds;
    const { unflushedBytes, frozenMemtables, flushedRuns } = this.gauge;
    if (unflushedBytes >= unflushedBytesMax || flushedRuns >= 2 * flushedTablesMax) return 'stop';
    const isLate = frozenMemtables > frozenAtEase || unflushedBytes >= unflushedBytesMax * 0.75;
    return isLate || flushedRuns > flushedTablesMax ? 'delay' : 'none';
  }

  admit(): Promise<void> | undefined {
    const { level } = this;
    if (level === 'none') return undefined;
    return level === 'delay' ? this.delay() : this.stand();
  }

  private delay(): Promise<void> {
    this.counters.delayed++;
    return this.after(storeLimits.delayMs);
  }

  private async stand(): Promise<void> {
    this.counters.stopped++;
    const until = this.world.clock.monotonicMs() + storeLimits.stopMs;
    while (this.level === 'stop') {
      if (this.world.clock.monotonicMs() >= until) {
        this.counters.refused++;
        throw fail(
          'overloaded',
          this.gauge.isFull
            ? fullDetail
            : 'writes arrive faster than the storage can process them; try again later',
          {
            retryAfterSeconds: storeLimits.retryAfterSeconds,
          },
        );
      }
      await this.after(storeLimits.pollMs);
    }
  }

  private after(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.world.scheduler.after(delayMs, resolve));
  }
}
