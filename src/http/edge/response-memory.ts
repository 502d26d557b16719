/**
 * The memory limit of responses that are not fully sent. Large responses share one limit and reserve memory during their
 * encoding, so that many simultaneous responses cannot exceed it together. Small responses are not limited.
 */

import { fail } from '#failure';
import type { EdgeCounters } from './counters.ts';

/** A response up to this size is sent whole, into the buffers of the kernel. */
export const wholeBytesMax = 1 << 20;

export class ResponseMemory {
  private readonly counters: EdgeCounters;
  private readonly bytesMax: number;

  constructor(counters: EdgeCounters, bytesMax: number) {
    this.counters = counters;
    this.bytesMax = bytesMax;
  }

  /** Returns the reservation of one response, empty at first. */
  share(): ResponseShare {
    return new ResponseShare(this);
  }

  /** Reserves this many more bytes. Returns whether they were available. */
  take(bytes: number): boolean {
    if (this.counters.unsentBytes + bytes > this.bytesMax) return false;
    this.counters.unsentBytes += bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.counters.unsentBytes -= bytes;
  }

  /** Returns the error of a refused response. `bytes` is the current size of the response. */
  refusal(bytes: number): Error {
    this.counters.refusedForUnsent++;
    if (bytes > this.bytesMax) {
      return fail(
        'result_limit',
        `the response exceeds the memory limit of unsent responses (--unsent-mib, ${this.bytesMax / (1 << 20)} MiB); request less at a time`,
      );
    }
    return fail(
      'overloaded',
      `with this response, unsent responses would exceed ${this.bytesMax / (1 << 20)} MiB (--unsent-mib); try again later, or request less than 1 MiB at a time`,
      // The client may be one that does not read, so the connection is closed and no memory of it is held.
      { retryAfterSeconds: 1, endsConnection: true },
    );
  }
}

/** The memory that one response has reserved. */
export class ResponseShare {
  private readonly room: ResponseMemory;
  private bytes = 0;

  constructor(room: ResponseMemory) {
    this.room = room;
  }

  /**
   * Reserves memory up to the current size of the response. Throws `overloaded` if a large response finds no more
   * memory, and `result_limit` if the response exceeds the whole limit.
   */
  hold(bytes: number): void {
    if (bytes <= wholeBytesMax || bytes <= this.bytes) return;
    if (!this.room.take(bytes - this.bytes)) throw this.room.refusal(bytes);
    this.bytes = bytes;
  }

  /** Reserves memory like `hold`, but ignores the limit. For a response that can no longer be refused. */
  holdAnyway(bytes: number): void {
    if (bytes <= this.bytes) return;
    this.room.giveBack(this.bytes - bytes);
    this.bytes = bytes;
  }

  /** Reduces the reservation to at most this many bytes. */
  keep(bytes: number): void {
    if (bytes >= this.bytes) return;
    this.room.giveBack(this.bytes - bytes);
    this.bytes = bytes;
  }
}
