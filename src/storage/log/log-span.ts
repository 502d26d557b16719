/** How much log an opening would have to replay for the active memtable: bytes, and flushes of the log. */

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

  /** The active memtable begins. */
  restart(): void {
    this.startBytes = logBytesOf(this.log);
    this.flushes = 0;
  }

  /** To be asked after every commit. */
  isLong(): boolean {
    const { log, bounds } = this;
    this.countFlushes();
    if (this.flushes >= bounds.logFlushesBeforeFlush) return true;
    return logBytesOf(log) - this.startBytes >= bounds.logBytesBeforeFlush;
  }

  /** A local log writes a group whenever the disk is free, thousands a second: within one interval they count as one flush. */
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

/** Small groups are padded, and a log in memory has none. */
function logBytesOf({ counters }: Pick<Log, 'counters'>): number {
  return Math.max(counters.writtenBytes, counters.payloadBytes);
}
