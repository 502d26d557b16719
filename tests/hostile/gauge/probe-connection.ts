/** One connection that sends one request again and again and times each answer; it is opened again when it is closed. */

import { connect, type Socket } from 'node:net';
import type { Wait } from './phase.ts';
import type { ThreadTimes } from './process.ts';

export interface ProbeOptions {
  readonly port: number;
  readonly request: string;
  readonly everyMs: number;
  readonly server: () => ThreadTimes;
  readonly self: () => ThreadTimes;
  /** The answer as it came, head and body. */
  readonly onAnswer?: (text: string) => void;
}

interface Sent {
  readonly at: number;
  readonly server: ThreadTimes;
  readonly self: ThreadTimes;
}

export class ProbeConnection {
  lost = 0;
  private waits: Wait[] = [];
  private sent: Sent | undefined;
  private received = '';
  private socket: Socket | undefined;
  private isOver = false;
  private readonly options: ProbeOptions;

  constructor(options: ProbeOptions) {
    this.options = options;
    this.open();
  }

  /** The waits since the last call; one that goes on counts with its age, and goes on. */
  take(): readonly Wait[] {
    const waits = this.waits;
    this.waits = [];
    const { sent } = this;
    return sent === undefined ? waits : [...waits, this.waitOf(sent, false)];
  }

  close(): void {
    this.isOver = true;
    this.socket?.destroy();
  }

  private open(): void {
    if (this.isOver) return;
    const socket = connect(this.options.port, '127.0.0.1');
    socket.setNoDelay(true);
    this.socket = socket;
    // The time to a connection is part of the wait.
    this.sent ??= this.mark();
    socket.on('connect', () => this.send());
    socket.on('data', (bytes) => this.receive(bytes as Buffer));
    socket.on('error', () => {});
    socket.on('close', () => {
      this.received = '';
      if (this.isOver) return;
      if (this.sent !== undefined) this.lost++;
      setTimeout(() => this.open(), this.options.everyMs);
    });
  }

  private send(): void {
    this.sent ??= this.mark();
    this.socket?.write(this.options.request);
  }

  private receive(bytes: Buffer): void {
    this.received += bytes.toString('latin1');
    const headEnd = this.received.indexOf('\r\n\r\n');
    if (headEnd < 0 || this.sent === undefined) return;
    const length = Number(/content-length: *(\d+)/i.exec(this.received)?.[1] ?? 0);
    if (this.received.length < headEnd + 4 + length) return;
    this.finish(this.sent, this.received);
  }

  private finish(sent: Sent, answer: string): void {
    this.waits.push(this.waitOf(sent, true));
    this.sent = undefined;
    this.received = '';
    this.options.onAnswer?.(answer);
    if (/\r\nconnection: close\r\n/i.test(answer)) return;
    const rest = this.options.everyMs - (performance.now() - sent.at);
    setTimeout(() => this.sendIfOpen(), Math.max(0, rest));
  }

  private sendIfOpen(): void {
    if (!this.isOver && this.socket?.readyState === 'open' && this.sent === undefined) this.send();
  }

  private mark(): Sent {
    const { server, self } = this.options;
    return { at: performance.now(), server: server(), self: self() };
  }

  private waitOf(sent: Sent, isAnswered: boolean): Wait {
    const now = this.mark();
    const wallMs = now.at - sent.at;
    const noiseMs =
      now.server.waitedMs - sent.server.waitedMs + (now.self.waitedMs - sent.self.waitedMs);
    const ranMs = now.server.ranMs - sent.server.ranMs;
    return { wallMs, heldMs: Math.max(0, wallMs - noiseMs), ranMs, isAnswered };
  }
}
