/** Accepts each batch of other processes once, and merges the accepted batches one after the other. */

import type { Clock } from '#base';
import type { Told, ToldProgram } from '#statistics';
import { decodeBatch } from './decode.ts';
import type { RelayBatch } from './relay-batch.ts';

const queueMax = 32;
/** Maximum bytes of the bodies of all queued batches. */
const queueBytesMax = 16 << 20;
/** Limits on the bodies that are decoded: bytes in one burst, and bytes per millisecond after it. */
const burstBytes = 16 << 20;
const bytesPerMs = 4_000;
const sourcesMax = 64;

interface Reply {
  readonly status: 202 | 400 | 403 | 413 | 429;
  readonly reason: string;
  /** The error in the batch. */
  readonly detail?: string;
}

interface Folded {
  readonly observations: number;
  readonly staleFamilies: number;
}

interface ReceiverParts {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /**
   * Returns a function that merges a batch and yields to other work, or `undefined` if no database is open. Without a
   * database, no batch is accepted.
   */
  readonly fold: () => ((told: Told) => Promise<Folded>) | undefined;
  /** Returns a function that stores programs of other processes, or `undefined` if this process stores none. */
  readonly adopt: () => ((programs: readonly ToldProgram[]) => void) | undefined;
  /** Whether batches arrive over a connection that no other party can read. */
  readonly isConfidential: boolean;
}

const refusals = {
  malformed_batch: 400,
  format_mismatch: 400,
  corpus_document_too_large: 413,
} as const;

export class Receiver {
  private readonly counts = {
    received: 0,
    receivedAlreadyApplied: 0,
    receivedRejected: 0,
    receivedSaturated: 0,
    receivedCorpusOversize: 0,
    mergedObservations: 0,
    corpusAdopted: 0,
    refusedStaleFamilies: 0,
  };
  private readonly parts: ReceiverParts;
  /** The last accepted sequence number by source. The source that has been silent longest comes first. */
  private readonly sources = new Map<string, number>();
  private readonly queue: { readonly batch: RelayBatch; readonly bytes: number }[] = [];
  private queueBytes = 0;
  private isFolding = false;
  private allowance = burstBytes;
  private allowedMs: number;

  constructor(parts: ReceiverParts) {
    this.parts = parts;
    this.allowedMs = parts.clock.monotonicMs();
  }

  /** Returns the counts for `StatisticsRelay`. */
  report() {
    return { ...this.counts, sources: this.sources.size };
  }

  /** Checks for capacity before a body is read. Returns `undefined` if there is capacity. */
  saturated(): Reply | undefined {
    const isFull = this.queue.length >= queueMax || this.queueBytes >= queueBytesMax;
    if (!isFull && this.refilled() > 0 && this.parts.fold() !== undefined) return undefined;
    this.counts.receivedSaturated++;
    return { status: 429, reason: 'saturated' };
  }

  /** Decodes a batch and queues it. `bytes` is the size of `text` in bytes. */
  admit(text: string, bytes: number): Reply {
    const full = this.saturated();
    if (full !== undefined) return full;
    this.allowance -= bytes;
    const batch = decodeBatch(text);
    if ('reason' in batch) return this.refuse(batch);
    const unwanted = batch.corpus.length > 0 ? this.refuseCorpus() : undefined;
    if (unwanted !== undefined) return unwanted;
    const source = JSON.stringify([batch.instance, batch.boot]);
    const applied = this.sources.get(source);
    if (applied !== undefined && batch.sequence <= applied) {
      this.counts.receivedAlreadyApplied++;
      return { status: 202, reason: 'already_admitted' };
    }
    this.remember(source, batch.sequence);
    this.counts.received++;
    this.queue.push({ batch, bytes });
    this.queueBytes += bytes;
    if (!this.isFolding) void this.foldAll();
    return { status: 202, reason: 'accepted' };
  }

  private refuse({ reason, detail }: Exclude<ReturnType<typeof decodeBatch>, RelayBatch>): Reply {
    if (reason === 'format_mismatch') this.counts.receivedRejected++;
    if (reason === 'corpus_document_too_large') this.counts.receivedCorpusOversize++;
    return { status: refusals[reason], reason, detail };
  }

  private refuseCorpus(): Reply | undefined {
    if (!this.parts.isConfidential) {
      const detail = 'programs with literals are accepted only over verified TLS';
      return { status: 403, reason: 'corpus_requires_tls', detail };
    }
    if (this.parts.adopt() !== undefined) return undefined;
    return { status: 403, reason: 'corpus_disabled', detail: 'this process stores no programs' };
  }

  private remember(source: string, sequence: number): void {
    this.sources.delete(source);
    const [silent] = this.sources.keys();
    if (this.sources.size >= sourcesMax) this.sources.delete(silent as string);
    this.sources.set(source, sequence);
  }

  private async foldAll(): Promise<void> {
    this.isFolding = true;
    for (;;) {
      const next = this.queue[0];
      if (next === undefined) break;
      // If the database closes in the meantime, only statistics are lost.
      const { corpus } = next.batch;
      const adopt = corpus.length > 0 ? this.parts.adopt() : undefined;
      if (adopt !== undefined) {
        adopt(corpus);
        this.counts.corpusAdopted += corpus.length;
      }
      const folded = await this.parts.fold()?.(next.batch);
      this.queue.shift();
      this.queueBytes -= next.bytes;
      this.counts.mergedObservations += folded?.observations ?? 0;
      this.counts.refusedStaleFamilies += folded?.staleFamilies ?? 0;
    }
    this.isFolding = false;
  }

  private refilled(): number {
    const nowMs = this.parts.clock.monotonicMs();
    this.allowance = Math.min(burstBytes, this.allowance + (nowMs - this.allowedMs) * bytesPerMs);
    this.allowedMs = nowMs;
    return this.allowance;
  }
}
