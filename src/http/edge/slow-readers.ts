/**
 * Finds the clients that hardly take their answers. Time is counted in ticks of a timer, not by the clock: while the process itself
 * is busy no tick comes, so its own pauses are nobody's fault.
 */

import type { Scheduler, Timer } from '#base';

const tickMs = 5000;
/** Thirty seconds. */
const ticksLooked = 6;
/** 16 KiB a second over the ticks looked at. */
const bytesMin = 16 * 1024 * (tickMs / 1000) * ticksLooked;

export interface Reader {
  /** Bytes that the socket has taken from the answer so far. */
  readonly takenBytes: number;
  /** Ends the connection. */
  giveUp(): void;
}

export class SlowReaders {
  private readonly scheduler: Scheduler;
  /** What each one had taken at the last ticks, newest last. */
  private readonly history = new Map<Reader, number[]>();
  private timer: Timer | undefined;

  constructor(scheduler: Scheduler) {
    this.scheduler = scheduler;
  }

  watch(reader: Reader): void {
    this.history.set(reader, [reader.takenBytes]);
    this.timer ??= this.scheduler.after(tickMs, () => this.tick());
  }

  forget(reader: Reader): void {
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
