/**
 * Writes the lines of the log. Lines that cannot be written immediately wait in a bounded queue. Beyond its limit, lines
 * are dropped and counted, and a later line reports their number. A log without a reader therefore never blocks the
 * server. No line contains a secret: keys, tokens and queries of URLs are removed here.
 */

import { redact, type World } from '#base';
import { isDoneWithin } from './waiting.ts';

const queueBytesMax = 1 << 20;

/**
 * Writes as much as possible without blocking. The promise is pending while the rest waits. Throws if the reader has
 * closed the log.
 */
export type LogTarget = (text: string) => Promise<unknown> | undefined;

export class LogSink {
  private readonly target: LogTarget;
  private queue: string[] = [];
  private queuedBytes = 0;
  private dropped = 0;
  private pending: Promise<void> | undefined;
  /** Total number of dropped lines. */
  droppedEver = 0;
  /** Returns the line that reports the number of dropped lines. */
  private notice: (lines: number) => string = () => '';

  constructor(target: LogTarget) {
    this.target = target;
  }

  noticeBy(notice: (lines: number) => string): void {
    this.notice = notice;
  }

  write(text: string): void {
    const line = redact(text);
    if (this.pending === undefined) this.send(`${line}\n`);
    else if (this.queuedBytes + line.length > queueBytesMax) this.drop(1);
    else {
      this.queue.push(line);
      this.queuedBytes += line.length;
    }
  }

  /** Returns whether all queued lines were written within the time. */
  end(world: World, timeoutMs: number): Promise<boolean> {
    return isDoneWithin(world, timeoutMs, this.drained());
  }

  private async drained(): Promise<void> {
    while (this.pending !== undefined) await this.pending;
  }

  private send(text: string): void {
    try {
      const rest = this.target(text);
      if (rest === undefined) return;
      this.pending = rest.then(
        () => this.resume(),
        () => this.resume(),
      );
    } catch {
      // The reader has closed the log, so the error cannot be reported.
      this.drop(1);
    }
  }

  private resume(): void {
    this.pending = undefined;
    const lines = this.queue;
    if (this.dropped > 0) lines.push(this.notice(this.dropped));
    this.queue = [];
    this.queuedBytes = 0;
    this.dropped = 0;
    if (lines.length > 0) this.send(`${lines.join('\n')}\n`);
  }

  private drop(lines: number): void {
    this.dropped += lines;
    this.droppedEver += lines;
  }
}

/** Returns a target that writes to the standard error of this process. */
export function standardError(): LogTarget {
  const writer = Bun.file(2).writer();
  return (text) => {
    // If the terminal has closed, either call can reject while the other does not.
    const results: readonly unknown[] = [writer.write(text), writer.flush()];
    const waits = results.filter((result) => result instanceof Promise);
    return waits.length === 0 ? undefined : Promise.all(waits);
  };
}
