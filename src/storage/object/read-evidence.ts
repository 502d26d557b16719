/** What the reads of one request took below memory: counted where they go, and only for requests that ask. */

import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock } from '#base';

/** Plain counts. A read that several requests wait for belongs to the one that began it. */
export class ReadEvidence {
  /** Blocks and parts of indexes that were not in memory. */
  memoryMisses = 0;
  /** Parts of remote tables that were on the local disk, or were not. */
  localHits = 0;
  localMisses = 0;
  /** Reads that reached the place where the tables are. */
  backingReads = 0;
  backingBytes = 0;
  backingMs = 0;
  private readonly clock: Clock;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Runs a read of the place; one that fails counts without bytes. */
  backing(read: () => number | Promise<number>): number | Promise<number> {
    const from = this.clock.monotonicMs();
    this.backingReads++;
    const count = read();
    if (typeof count === 'number') this.ended(count, from);
    else
      count.then(
        (bytes) => this.ended(bytes, from),
        () => this.ended(0, from),
      );
    return count;
  }

  private ended(bytes: number, fromMs: number): void {
    this.backingBytes += bytes;
    this.backingMs += this.clock.monotonicMs() - fromMs;
  }
}

const scope = new AsyncLocalStorage<ReadEvidence>();

/** Of the request that is at work; looked at where something has to be fetched, never for what is in memory. */
export function readEvidence(): ReadEvidence | undefined {
  return scope.getStore();
}

/** Runs `work`; what it reads, and what goes on after its waits, is counted in `evidence`. */
export function withReadEvidence<T>(evidence: ReadEvidence, work: () => T): T {
  return scope.run(evidence, work);
}

/** A read of the place where tables are. */
export function backingRead(read: () => number | Promise<number>): number | Promise<number> {
  const evidence = readEvidence();
  return evidence === undefined ? read() : evidence.backing(read);
}
