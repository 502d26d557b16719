/** Cuts the received bytes of a connection into messages: a type, a length and a body. */

import { ProtocolError } from './protocol-error.ts';

export interface Frame {
  /** The byte that names the type; 0 for the first message of a connection, which has none. */
  readonly type: number;
  /** A view of received bytes, which are not changed later. */
  readonly body: Uint8Array;
}

interface FrameLimits {
  /** Maximum bytes of a message with its length. */
  readonly messageBytesMax: number;
  /** Maximum bytes of the first message. */
  readonly startupBytesMax: number;
}

const none = new Uint8Array(0);

export class FrameReader {
  private readonly limits: FrameLimits;
  private bytes: Uint8Array = none;
  private at = 0;
  private end = 0;
  private isStarting = true;
  /** Whether `bytes` was allocated here, so that more bytes can be appended. */
  private isOwn = false;

  constructor(limits: FrameLimits) {
    this.limits = limits;
  }

  /** The bytes that are received and not read. */
  get pendingBytes(): number {
    return this.end - this.at;
  }

  /** Ends the time in which messages have no type. */
  started(): void {
    this.isStarting = false;
  }

  push(chunk: Uint8Array): void {
    const pending = this.end - this.at;
    if (pending === 0) {
      this.take(chunk);
      return;
    }
    const needed = pending + chunk.length;
    if (this.bytes.length - this.at < needed || !this.isOwn) this.grow(needed);
    this.bytes.set(chunk, this.end);
    this.end += chunk.length;
  }

  /** Returns the next complete message, or `undefined` until more bytes have arrived. Throws a `ProtocolError` for a length that is not possible. */
  next(): Frame | undefined {
    const headerBytes = this.isStarting ? 4 : 5;
    const { bytes, at, end } = this;
    if (end - at < headerBytes) return this.rest();
    const lengthAt = at + headerBytes - 4;
    const length = this.lengthAt(lengthAt);
    const frameEnd = lengthAt + length;
    if (frameEnd > end) return undefined;
    this.at = frameEnd;
    const type = this.isStarting ? 0 : (bytes[at] as number);
    return { type, body: bytes.subarray(lengthAt + 4, frameEnd) };
  }

  /** Returns the type of the next message if its header has arrived. */
  peekType(): number | undefined {
    return this.end - this.at >= 5 ? this.bytes[this.at] : undefined;
  }

  private take(chunk: Uint8Array): void {
    this.bytes = chunk;
    this.at = 0;
    this.end = chunk.length;
    this.isOwn = false;
  }

  private grow(needed: number): void {
    const bytes = new Uint8Array(Math.max(1024, 2 * needed));
    bytes.set(this.bytes.subarray(this.at, this.end));
    this.end -= this.at;
    this.at = 0;
    this.bytes = bytes;
    this.isOwn = true;
  }

  private rest(): undefined {
    if (this.at === this.end) this.take(none);
    return undefined;
  }

  private lengthAt(at: number): number {
    const { bytes } = this;
    const [a = 0, b = 0, c = 0, d = 0] = [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]];
    const length = a * 0x100_0000 + ((b << 16) | (c << 8) | d);
    const { startupBytesMax, messageBytesMax } = this.limits;
    if (this.isStarting) {
      if (length >= 8 && length <= startupBytesMax) return length;
      throw new ProtocolError('invalid length of startup packet');
    }
    if (length < 4) throw new ProtocolError(`invalid message length ${length}`);
    if (length <= messageBytesMax) return length;
    const limit = `${messageBytesMax >> 20} MiB (--postgres-max-message-mib)`;
    throw new ProtocolError(`a message of ${length} bytes exceeds the limit of ${limit}`, '54000');
  }
}
