/**
 * Room for answers until their readers have taken them. Large ones share a bound, and take from it as they are encoded, so that many at once
 * cannot outgrow it together; small ones always find room.
 */

import { fail } from '#failure';
import type { EdgeCounters } from './counters.ts';

/** An answer up to this size is sent as a whole: buffers of the kernel take it. */
export const wholeBytesMax = 1 << 20;

export class UnsentRoom {
  private readonly counters: EdgeCounters;
  private readonly bytesMax: number;

  constructor(counters: EdgeCounters, bytesMax: number) {
    this.counters = counters;
    this.bytesMax = bytesMax;
  }

  /** For one answer. */
  share(): UnsentShare {
    return new UnsentShare(this);
  }

  /** Whether so many bytes more were to be had. */
  take(bytes: number): boolean {
    if (this.counters.unsentBytes + bytes > this.bytesMax) return false;
    this.counters.unsentBytes += bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.counters.unsentBytes -= bytes;
  }

  /** `bytes` is what the answer takes by now. */
  refusal(bytes: number): Error {
    this.counters.refusedForUnsent++;
    if (bytes > this.bytesMax) {
      return fail(
        'result_limit',
        `the answer is larger than all that may wait for readers (--unsent-mib, ${this.bytesMax / (1 << 20)} MiB): ask for less at a time`,
      );
    }
    return fail(
      'overloaded',
      `with this answer more than ${this.bytesMax / (1 << 20)} MiB would wait for their readers (--unsent-mib); try again later, or ask for less than 1 MiB at a time`,
      // Its client may well be one of those that do not read: nothing of it stays here.
      { retryAfterSeconds: 1, endsConnection: true },
    );
  }
}

/** What one answer has of the room. */
export class UnsentShare {
  private readonly room: UnsentRoom;
  private bytes = 0;

  constructor(room: UnsentRoom) {
    this.room = room;
  }

  /** The answer takes so much by now. Throws `overloaded` when a large one finds no room for more, `result_limit` when there can never be enough. */
  hold(bytes: number): void {
    if (bytes <= wholeBytesMax || bytes <= this.bytes) return;
    if (!this.room.take(bytes - this.bytes)) throw this.room.refusal(bytes);
    this.bytes = bytes;
  }

  /** As `hold`, whatever room there is: for what is too late to refuse. */
  holdAnyway(bytes: number): void {
    if (bytes <= this.bytes) return;
    this.room.giveBack(this.bytes - bytes);
    this.bytes = bytes;
  }

  /** No more than so much is held any more. */
  keep(bytes: number): void {
    if (bytes >= this.bytes) return;
    this.room.giveBack(this.bytes - bytes);
    this.bytes = bytes;
  }
}
