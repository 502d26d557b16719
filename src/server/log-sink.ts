/**
 * Where the lines of the log go. What cannot be written at once waits in a bounded queue; beyond it lines are dropped and counted, and a line says so
 * later: a log that nobody reads never holds up the server.
 */

import type { World } from '#base';
import { isDoneWithin } from './waiting.ts';

const queueBytesMax = 1 << 20;

/** Writes as much as goes without blocking; the promise is pending while the rest waits. Throws when nobody can read any more. */
export type LogTarget = (text: string) => Promise<unknown> | undefined;

export class LogSink {
  private readonly target: LogTarget;
  private queue: string[] = [];
  private queuedBytes = 0;
  private dropped = 0;
  private pending: Promise<void> | undefined;
  /** Lines that nobody will read. */
  droppedEver = 0;
  /** Makes the line that tells how many were dropped. */
  private notice: (lines: number) => string = () => '';

  constructor(target: LogTarget) {
    this.target = target;
  }

  noticeBy(notice: (lines: number) => string): void {
    this.notice = notice;
  }

  write(line: string): void {
    if (this.pending === undefined) this.send(`${line}\n`);
    else if (this.queuedBytes + line.length > queueBytesMax) this.drop(1);
    else {
      this.queue.push(line);
      this.queuedBytes += line.length;
    }
  }

  /** Whether all that was queued is written within the time. */
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
      // The reader is gone, and with it the place to complain.
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

/** The standard error of this process. */
export function standardError(): LogTarget {
  const writer = Bun.file(2).writer();
  return (text) => {
    // Where the terminal is gone, either of them may reject, though the other one does not.
    const results: readonly unknown[] = [writer.write(text), writer.flush()];
    const waits = results.filter((result) => result instanceof Promise);
    return waits.length === 0 ? undefined : Promise.all(waits);
  };
}
