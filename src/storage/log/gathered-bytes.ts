/**
 * The bytes of a forming group. Small parts are copied on arrival. The parts of a large record are
 * copied only when the group is gathered, a piece in each event-loop iteration. Copying 100 MB into
 * new memory in one iteration would block all other work.
 */

import { ByteWriter, type Scheduler } from '#base';
import { bodyBytes } from '../object/body.ts';

/** The parts of a record are copied on arrival if they have at most this many bytes together. */
const copiedBytesMax = 4 << 20;
/**
 * Bytes that one event-loop iteration copies. This takes a few milliseconds, mostly for new memory.
 */
const stretchBytes = 2 << 20;

/**
 * Returns true if the parts of a record stay in use, as those of a large record do. A single part
 * is always copied.
 */
export function areKept(parts: readonly Uint8Array[]): boolean {
  return parts.length > 1 && bodyBytes(parts) > copiedBytesMax;
}

export class GatheredBytes {
  /** The bytes after `before`; all bytes once the group is gathered. */
  writer: ByteWriter;
  private readonly capacity: number;
  private before: Uint8Array[] = [];
  private beforeBytes = 0;

  constructor(capacity: number) {
    this.capacity = capacity;
    this.writer = new ByteWriter(capacity);
  }

  get length(): number {
    return this.beforeBytes + this.writer.length;
  }

  /**
   * Appends a record. If `areKept(parts)` is true, the caller must not modify the parts until the
   * group is gathered.
   */
  append(parts: readonly Uint8Array[]): void {
    const isLarge = areKept(parts);
    if (isLarge) this.keep(this.writer.peek());
    for (let i = 0; i < parts.length; i++) {
      if (isLarge) this.keep(parts[i] as Uint8Array);
      else this.writer.append(parts[i] as Uint8Array);
    }
    if (isLarge) this.writer = new ByteWriter(this.capacity);
  }

  /**
   * Copies all bytes into `writer`; returns `undefined` if it contains them already. Nothing may be
   * appended during the copy or after it.
   */
  gather(scheduler: Scheduler, roomBytes = this.length): Promise<void> | undefined {
    return this.before.length === 0 ? undefined : this.copyAll(scheduler, roomBytes);
  }

  clear(keptBytesMax: number): void {
    if (this.writer.bytes.length > keptBytesMax) this.writer = new ByteWriter(this.capacity);
    this.writer.clear();
    this.before = [];
    this.beforeBytes = 0;
  }

  private keep(part: Uint8Array): void {
    this.before.push(part);
    this.beforeBytes += part.length;
  }

  private async copyAll(scheduler: Scheduler, roomBytes: number): Promise<void> {
    this.keep(this.writer.peek());
    const whole = new ByteWriter(roomBytes);
    let copied = 0;
    for (const part of this.before) {
      for (let from = 0; from < part.length; from += stretchBytes) {
        const to = Math.min(part.length, from + stretchBytes);
        whole.append(part, from, to);
        copied += to - from;
        if (copied < stretchBytes) continue;
        copied = 0;
        await scheduler.yield();
      }
    }
    this.writer = whole;
    this.before = [];
    this.beforeBytes = 0;
  }
}
