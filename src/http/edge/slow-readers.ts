/**
 * Finds clients that read their responses too slowly. Time is counted in timer ticks, not by the clock: while the
 * process is busy, no tick occurs, so its own pauses do not count against a client.
 */

import type { Scheduler, Timer } from '#base';

const tickMs = 5000;
/** Number of ticks in the measured period: 30 s. */
const ticksLooked = 6;
/** Minimum bytes per period: 16 KiB per second. */
const bytesMin = 16 * 1024 * (tickMs / 1000) * ticksLooked;

export interface ResponseReader {
  /** Bytes of the response that the socket has accepted so far. */
  readonly takenBytes: number;
  /** Closes the connection. */
  giveUp(): void;
}

export class SlowReaders {
  private readonly scheduler: Scheduler;
  /** The values of `takenBytes` at the last ticks, newest last. */
  private readonly history = new Map<ResponseReader, number[]>();
  private timer: Timer | undefined;

  constructor(scheduler: Scheduler) {
    this.scheduler = scheduler;
  }

  watch(reader: ResponseReader): void {
    this.history.set(reader, [reader.takenBytes]);
    this.timer ??= this.scheduler.after(tickMs, () => this.tick());
  }

  forget(reader: ResponseReader): void {
    this.history.delete(reader);
    if (this.history.size > 0) return;
    this.timer?.cancel();
    this.timer = undefined;
  }

  private tick(): void {
    this.timer = this.scheduler.after(tickMs, () => this.tick());
    for (const [reader, taken] of [...this.history]) {
      taken.push(reader.takenBytes);
      if (taken.length <= ticksLooked) continue;
      if (reader.takenBytes - (taken.shift() as number) < bytesMin) reader.giveUp();
    }
  }
}
