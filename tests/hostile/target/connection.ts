/** A TCP client that sends what it is told, reads when it is told, and times what comes back. */

import { connect, type Socket } from 'node:net';

/** Of an answer, this much is kept; the rest is only counted. */
const keptBytesMax = 64 << 10;
const tailBytes = 8;

export interface ConnectionOptions {
  readonly port: number;
  /** The address that the client comes from; 127.0.0.1 unless given. */
  readonly from?: string;
}

export class Connection {
  readonly socket: Socket;
  readonly opened: Promise<boolean>;
  readonly closed: Promise<void>;
  /** The beginning of what has come. */
  head = '';
  /** Its last bytes. */
  tail = '';
  bytes = 0;
  isClosed = false;
  private woken = Promise.withResolvers<void>();

  constructor({ port, from }: ConnectionOptions) {
    const local = from === undefined ? {} : { localAddress: from };
    const socket = connect({ port, host: '127.0.0.1', ...local });
    this.socket = socket;
    socket.setNoDelay(true);
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
    this.opened = Promise.race([
      new Promise<boolean>((resolve) => socket.once('connect', () => resolve(true))),
      this.closed.then(() => false),
    ]);
    socket.on('error', () => {});
    socket.on('data', (bytes) => this.receive(bytes as Buffer));
    socket.on('close', () => {
      this.isClosed = true;
      this.wake();
    });
  }

  send(bytes: string | Uint8Array): void {
    if (!this.isClosed) this.socket.write(bytes);
  }

  /** Waits until `isDone`, or the end of the connection, or the time. */
  async until(isDone: () => boolean, limitMs: number): Promise<boolean> {
    const endsAt = performance.now() + limitMs;
    while (!isDone() && !this.isClosed) {
      const restMs = endsAt - performance.now();
      if (restMs <= 0) return false;
      await Promise.race([this.woken.promise, Bun.sleep(Math.min(restMs, 1000))]);
    }
    return isDone();
  }

  /** Forgets what has come: the next answer begins. */
  rewind(): void {
    this.head = '';
    this.tail = '';
    this.bytes = 0;
  }

  /** Leaves with FIN in both directions; what still comes is answered with RST by the system. */
  leave(): void {
    this.socket.destroy();
  }

  reset(): void {
    this.socket.resetAndDestroy();
  }

  private receive(bytes: Buffer): void {
    if (this.head.length < keptBytesMax) this.head += bytes.toString('latin1', 0, keptBytesMax);
    const last = bytes.toString('latin1', Math.max(0, bytes.length - tailBytes));
    this.tail = (this.tail + last).slice(-tailBytes);
    this.bytes += bytes.length;
    this.wake();
  }

  private wake(): void {
    this.woken.resolve();
    this.woken = Promise.withResolvers<void>();
  }
}
