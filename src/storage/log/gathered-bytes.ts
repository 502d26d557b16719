/**
 * Bytes of a group that forms. Small parts are copied as they come. A large record's stay where they are until the group is gathered, a stretch in each turn
 * of the event loop: copying a hundred megabytes into fresh memory in one go would hold everything else up.
 */

import { ByteWriter, type Scheduler } from '#base';
import { bodyBytes } from '../object/body.ts';

/** Parts of a record are copied at once up to so many bytes together. */
const copiedBytesMax = 4 << 20;
/** Copied in one turn: a few milliseconds, most of which is fresh memory. */
const stretchBytes = 2 << 20;

/** Whether the parts of a record stay in use: those of a large one. A single part is always copied. */
export function areKept(parts: readonly Uint8Array[]): boolean {
  return parts.length > 1 && bodyBytes(parts) > copiedBytesMax;
}

export class GatheredBytes {
  /** What has come after `before`; all of it once gathered. */
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

  /** What `areKept` must stay as it is until the group is gathered. */
  append(parts: readonly Uint8Array[]): void {
    const isLarge = areKept(parts);
    if (isLarge) this.keep(this.writer.peek());
    for (let i = 0; i < parts.length; i++) {
      if (isLarge) this.keep(parts[i] as Uint8Array);
      else this.writer.append(parts[i] as Uint8Array);
    }
    if (isLarge) this.writer = new ByteWriter(this.capacity);
  }

  /** Undefined when everything stands in `writer` already. Nothing is appended meanwhile or afterwards. */
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
