/** Sends the gathered messages of a connection, and measures how far its client is behind. */

import type { Scheduler, Timer } from '#base';
import { MessageWriter } from '../codec/message-writer.ts';

/** Bytes that the system has not taken yet, above which nothing more is computed for the client. */
const unsentBytesMax = 1 << 20;

/** The socket of a connection. */
export interface Wire {
  /** Returns the number of bytes that the system has taken, -1 if the socket is closed. */
  write(bytes: Uint8Array): number;
  pause(): void;
  resume(): void;
  /** Ends the connection after the bytes that were written. */
  end(): void;
  /** Ends the connection immediately. */
  terminate(): void;
  readonly remoteAddress: string;
}

interface OutputParts {
  readonly wire: Wire;
  readonly scheduler: Scheduler;
  /** Time after which a client that takes nothing is disconnected. 0 means no limit. */
  readonly sendTimeoutMs: number;
  /** Called when that time has passed. */
  readonly late: () => void;
}

export class Output {
  readonly writer = new MessageWriter();
  /** Bytes that were sent, for metrics. */
  sentBytes = 0;
  private readonly parts: OutputParts;
  private readonly unsent: Uint8Array[] = [];
  private unsentBytes = 0;
  private waiting: PromiseWithResolvers<void> | undefined;
  private timer: Timer | undefined;
  private isClosed = false;
  private isEnding = false;

  constructor(parts: OutputParts) {
    this.parts = parts;
  }

  /** Sends what is gathered. Returns a wait while the client is far behind. */
  send(): Promise<void> | undefined {
    const { writer } = this;
    if (writer.length > 0) {
      const bytes = writer.bytes.subarray(0, writer.length);
      const taken = this.unsent.length > 0 ? 0 : this.write(bytes);
      if (taken < bytes.length) this.keep(bytes.slice(taken));
      writer.clear();
    }
    if (this.isClosed || this.unsentBytes < unsentBytesMax) return undefined;
    this.waiting ??= Promise.withResolvers<void>();
    return this.waiting.promise;
  }

  /** Continues after the system has taken bytes. */
  drained(): void {
    for (let first = this.unsent[0]; first !== undefined; first = this.unsent[0]) {
      const taken = this.write(first);
      this.unsentBytes -= taken;
      if (taken > 0) this.stopTimer();
      if (taken < first.length) {
        this.unsent[0] = first.subarray(taken);
        this.startTimer();
        break;
      }
      this.unsent.shift();
    }
    if (this.unsent.length > 0) {
      if (this.unsentBytes < unsentBytesMax) this.release();
      return;
    }
    this.stopTimer();
    this.release();
    if (this.isEnding) this.parts.wire.end();
  }

  /** Ends the connection once everything is sent. */
  end(): void {
    void this.send();
    this.isEnding = true;
    if (this.unsent.length === 0) this.parts.wire.end();
  }

  /** Drops everything, because the connection is closed. */
  close(): void {
    this.isClosed = true;
    this.unsent.length = 0;
    this.unsentBytes = 0;
    this.writer.clear();
    this.stopTimer();
    this.release();
  }

  private write(bytes: Uint8Array): number {
    if (this.isClosed) return bytes.length;
    const taken = Math.max(0, this.parts.wire.write(bytes));
    this.sentBytes += taken;
    return taken;
  }

  private keep(bytes: Uint8Array): void {
    this.unsent.push(bytes);
    this.unsentBytes += bytes.length;
    this.startTimer();
  }

  private release(): void {
    this.waiting?.resolve();
    this.waiting = undefined;
  }

  private startTimer(): void {
    const { sendTimeoutMs, scheduler, late } = this.parts;
    if (this.timer !== undefined || sendTimeoutMs === 0) return;
    this.timer = scheduler.after(sendTimeoutMs, late);
  }

  private stopTimer(): void {
    this.timer?.cancel();
    this.timer = undefined;
  }
}
