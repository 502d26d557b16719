/**
 * The part of the log that an opening would have to replay for the active memtable: its bytes and
 * its number of log flushes.
 */

import type { Clock } from '#base';
import type { Log } from './log.ts';

export interface LogSpanBounds {
  readonly logBytesBeforeFlush: number;
  readonly logFlushesBeforeFlush: number;
  readonly flushIntervalMs: number;
}

export class LogSpan {
  private readonly log: Pick<Log, 'counters'>;
  private readonly clock: Clock;
  private readonly bounds: LogSpanBounds;
  /** Bytes of the log when the span began. */
  private startBytes = 0;
  private flushes = 0;
  private groupsSeen = 0;
  private countedMs = Number.NEGATIVE_INFINITY;

  constructor(log: Pick<Log, 'counters'>, clock: Clock, bounds: LogSpanBounds) {
    this.log = log;
    this.clock = clock;
    this.bounds = bounds;
  }

  /** Starts a new span, because a new memtable is active. */
  restart(): void {
    this.startBytes = logBytesOf(this.log);
    this.flushes = 0;
  }

  /** Returns true if the span exceeds a bound. Call it after every commit. */
  isLong(): boolean {
    const { log, bounds } = this;
    this.countFlushes();
    if (this.flushes >= bounds.logFlushesBeforeFlush) return true;
    return logBytesOf(log) - this.startBytes >= bounds.logBytesBeforeFlush;
  }

  /**
   * Counts log flushes. A local log writes a group whenever the disk is idle, thousands per second,
   * so all groups within one interval count as one flush.
   */
  private countFlushes(): void {
    const { groups } = this.log.counters;
    if (groups === this.groupsSeen) return;
    const now = this.clock.monotonicMs();
    if (now - this.countedMs < this.bounds.flushIntervalMs) return;
    this.groupsSeen = groups;
    this.countedMs = now;
    this.flushes++;
  }
}

/** Returns the bytes of a log. Small groups are padded, and a log in memory writes no bytes. */
function logBytesOf({ counters }: Pick<Log, 'counters'>): number {
  return Math.max(counters.writtenBytes, counters.payloadBytes);
}
