/** The state of the stored corpus in memory: hashes, sizes and times, and the choice of records to delete. */

import type { ExecutionRecord } from './records.ts';

export interface CorpusLimits {
  /** Maximum number of execution records. */
  readonly executionsMax: number;
  /** Maximum size of all documents. */
  readonly bytesMax: number;
  readonly ageMsMax: number;
}

export const corpusLimits: CorpusLimits = {
  executionsMax: 10_000,
  bytesMax: 64 << 20,
  ageMsMax: 7 * 24 * 3_600_000,
};

/** The records to delete, and the numbers of records that are deleted because of age and because of limits. */
interface Removal {
  readonly executions: readonly ExecutionRecord[];
  readonly programs: readonly string[];
  readonly expired: number;
  readonly pruned: number;
}

export class Retained {
  bytes = 0;
  private readonly programs = new Map<string, { readonly bytes: number; records: number }>();
  /** Oldest first, starting at index `first`. */
  private records: ExecutionRecord[] = [];
  private first = 0;
  private lastMs = 0;

  get programCount(): number {
    return this.programs.size;
  }

  get executionCount(): number {
    return this.records.length - this.first;
  }

  has(hash: string): boolean {
    return this.programs.has(hash);
  }

  addProgram(hash: string, bytes: number): void {
    this.programs.set(hash, { bytes, records: 0 });
    this.bytes += bytes;
  }

  /** Adds a record that is not older than the previous one. Its program must have been added before. */
  addExecution(record: ExecutionRecord): void {
    const program = this.programs.get(record.hash);
    if (program !== undefined) program.records++;
    this.records.push(record);
    this.lastMs = record.atMs;
  }

  /** Returns the time of a flush, which is later than that of every earlier flush even if the clock was set back. */
  timeOf(nowMs: number): number {
    return Math.max(nowMs, this.lastMs + 1);
  }

  /** Removes and returns at most `max` programs without execution records. */
  unreferenced(max: number): readonly string[] {
    const found: string[] = [];
    for (const [hash, { records }] of this.programs) {
      if (found.length === max) break;
      if (records === 0) found.push(hash);
    }
    for (const hash of found) this.removeProgram(hash);
    return found;
  }

  /** Removes the oldest execution records that exceed a limit, at most `max` of them, and the programs that have no records left. */
  shrink({ executionsMax, bytesMax, ageMsMax }: CorpusLimits, nowMs: number, max: number): Removal {
    const executions: ExecutionRecord[] = [];
    const programs: string[] = [];
    let expired = 0;
    while (executions.length < max) {
      const oldest = this.records[this.first];
      if (oldest === undefined) break;
      const isExpired = nowMs - oldest.atMs > ageMsMax;
      if (!isExpired && this.executionCount <= executionsMax && this.bytes <= bytesMax) break;
      if (isExpired) expired++;
      this.first++;
      executions.push(oldest);
      const program = this.programs.get(oldest.hash);
      if (program === undefined || --program.records > 0) continue;
      this.removeProgram(oldest.hash);
      programs.push(oldest.hash);
    }
    if (this.first > executionsMax) {
      this.records = this.records.slice(this.first);
      this.first = 0;
    }
    return { executions, programs, expired, pruned: executions.length - expired };
  }

  private removeProgram(hash: string): void {
    this.bytes -= this.programs.get(hash)?.bytes ?? 0;
    this.programs.delete(hash);
  }
}
