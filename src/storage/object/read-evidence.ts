/**
 * Counters of the reads that one request causes below the memory caches. Only requests that ask for
 * them have such counters.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock } from '#base';

/**
 * Plain counters. A read that several requests wait for is counted for the request that started it.
 */
export class ReadEvidence {
  /** Blocks and partitions of indexes that were not in memory. */
  memoryMisses = 0;
  /** Parts of remote SSTables that were on the local disk, and that were not. */
  localHits = 0;
  localMisses = 0;
  /** Reads that reached the storage location of the SSTables. */
  backingReads = 0;
  backingBytes = 0;
  backingMs = 0;
  private readonly clock: Clock;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Runs a read of the storage location. A failed read counts without bytes. */
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

/**
 * Returns the counters of the current request. Callers use the counters only where bytes have to be
 * fetched, never for data in memory.
 */
export function readEvidence(): ReadEvidence | undefined {
  return scope.getStore();
}

/** Runs `work`, and counts its reads in `evidence`, including those after its waits. */
export function withReadEvidence<T>(evidence: ReadEvidence, work: () => T): T {
  return scope.run(evidence, work);
}

/** Runs a read of the storage location of the SSTables, and counts it for the current request. */
export function backingRead(read: () => number | Promise<number>): number | Promise<number> {
  const evidence = readEvidence();
  return evidence === undefined ? read() : evidence.backing(read);
}
