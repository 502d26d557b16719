/**
 * The workload corpus: executed programs, stored for replay, with the times and numbers of their executions (docs/corpus.md). Bodies wait in a queue,
 * become documents in the background, and are written once a minute. Bodies beyond a limit are counted and dropped. No program waits for any of this.
 */

import type { Timer, World } from '#base';
import type { Store } from '#storage';
import { commitRecords, type Entry } from '../archive/entries.ts';
import { Capture, type Pending } from './capture.ts';
import type { ToldProgram } from './courier.ts';
import { type Erased, eraseRecords } from './erase.ts';
import { loadCorpus } from './load.ts';
import { executionKey, executionValue, isProgramKey, programKey, programValue } from './records.ts';
import { type CorpusLimits, corpusLimits, type Retained } from './retained.ts';

const flushMs = 60_000;
/** Maximum number of records that one flush deletes. */
const deletionsMax = 4_096;

interface CorpusParts {
  readonly store: Pick<Store, 'begin' | 'snapshot' | 'pressure'>;
  readonly world: Pick<World, 'clock' | 'scheduler'>;
  readonly limits?: CorpusLimits;
  /** Capacity of the queue, in programs. */
  readonly queueMax?: number | undefined;
}

export class Corpus {
  private readonly maintenance = {
    expiredExecutions: 0,
    prunedExecutions: 0,
    invalidExecutions: 0,
    prunedPrograms: 0,
    invalidPrograms: 0,
    erasedExecutions: 0,
    erasedPrograms: 0,
  };
  private readonly store: CorpusParts['store'];
  private readonly world: CorpusParts['world'];
  private readonly limits: CorpusLimits;
  private readonly capture: Capture;
  private flushing: Timer | undefined;
  private working: Promise<void> | undefined;
  /** Facts about the stored corpus; `undefined` until the stored records have been read, and after a failed commit. */
  private retained: Retained | undefined;
  private invalid: Uint8Array[] = [];
  private isStopped = false;

  constructor({ store, world, limits = corpusLimits, queueMax }: CorpusParts) {
    this.store = store;
    this.world = world;
    this.capture = new Capture(world, queueMax);
    this.limits = limits;
  }

  /** Loads the records of earlier processes, and starts the periodic flush. */
  start(): void {
    this.work(() => this.load());
    this.flushLater();
  }

  /** Takes a program that has run. Never waits. */
  offer(body: string, isQuery: boolean): void {
    if (!this.isStopped) this.capture.offer(body, isQuery);
  }

  /** Takes documents of another process. They may not be in canonical form, so they pass the same checks and limits as local programs. */
  adopt(programs: readonly ToldProgram[]): void {
    if (this.isStopped) return;
    for (const { document, executions } of programs) {
      this.capture.offer(document, false, executions);
    }
  }

  /**
   * Erases the program with this hash, or all programs without a hash, from the store and from the pending documents. Programs that run later are stored
   * again. Rejects if the storage fails.
   */
  async erase(hash?: string): Promise<Erased> {
    while (this.working !== undefined) await this.working;
    const erasing = this.eraseAlone(hash);
    this.work(async () => void (await erasing));
    return erasing;
  }

  /** Returns the report in the form of `StatisticsCorpus`, after all offered programs have been processed. */
  async report() {
    await this.working;
    await this.capture.drain();
    const { executionCount = 0, programCount = 0, bytes = 0 } = this.retained ?? {};
    const maintenance = {
      ...this.maintenance,
      retainedExecutions: executionCount,
      retainedPrograms: programCount,
      retainedProgramBytes: bytes,
    };
    return { enabled: true, ...this.capture.counts, maintenance };
  }

  /** Writes the pending documents. No program is accepted afterwards. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.flushing?.cancel();
    this.capture.stop();
    await this.working;
    await this.flush().catch(() => {});
  }

  private work(task: () => Promise<void>): void {
    if (this.working !== undefined) return;
    // Another component handles a storage fault: it ends the process or reopens the store.
    this.working = task()
      .catch(() => {})
      .finally(() => {
        this.working = undefined;
      });
  }

  private flushLater(): void {
    this.flushing = this.world.scheduler.after(flushMs, () => {
      this.flushLater();
      this.work(() => this.flush());
    });
  }

  private async load(): Promise<void> {
    const snapshot = this.store.snapshot();
    try {
      const found = await loadCorpus(snapshot, this.world.scheduler);
      this.invalid = found.invalid;
      this.retained = found.retained;
    } finally {
      snapshot.release();
    }
  }

  private async eraseAlone(hash: string | undefined): Promise<Erased> {
    await this.capture.drain();
    const forgotten = this.capture.forget(hash);
    // Each forgotten document would have become one execution record, so it counts as one.
    this.retained = undefined;
    const stored = await eraseRecords({ store: this.store, world: this.world }, hash);
    const erased = {
      executions: stored.executions + forgotten.length,
      programs: new Set([...stored.programs, ...forgotten]).size,
    };
    this.maintenance.erasedExecutions += erased.executions;
    this.maintenance.erasedPrograms += erased.programs;
    await this.load();
    return erased;
  }

  /** Writes the pending documents in at most one commit of bounded size. Rejects if the storage fails. */
  private async flush(): Promise<void> {
    await this.capture.drain();
    // Programs have priority. The pending documents remain, and their number is bounded.
    if (this.store.pressure !== 'none') return;
    if (this.retained === undefined) await this.load();
    const retained = this.retained as Retained;
    const pending = this.capture.take();
    const nowMs = this.world.clock.unixMs();
    const puts = putsOf(pending, retained, nowMs);
    const orphans = retained.unreferenced(deletionsMax);
    const removal = retained.shrink(this.limits, nowMs, deletionsMax);
    const invalid = this.invalid.splice(0, deletionsMax);
    const deletions = [
      ...invalid,
      ...removal.executions.map(executionKey),
      ...[...removal.programs, ...orphans].map(programKey),
    ];
    if (puts.length + deletions.length === 0) return;
    // If the commit fails, the next flush loads the records again.
    this.retained = undefined;
    if (!(await commitRecords(this.store, puts, deletions))) {
      for (const { executions } of pending.values()) this.capture.counts.shedPending += executions;
      return;
    }
    this.retained = retained;
    const invalidPrograms = invalid.filter(isProgramKey).length;
    this.maintenance.invalidPrograms += invalidPrograms;
    this.maintenance.invalidExecutions += invalid.length - invalidPrograms;
    this.maintenance.expiredExecutions += removal.expired;
    this.maintenance.prunedExecutions += removal.pruned;
    this.maintenance.prunedPrograms += removal.programs.length + orphans.length;
  }
}

/** Returns the execution records, and the records of new programs. */
function putsOf(pending: ReadonlyMap<string, Pending>, retained: Retained, nowMs: number) {
  const puts: Entry[] = [];
  const atMs = retained.timeOf(nowMs);
  for (const { hash, bytes, executions } of pending.values()) {
    if (!retained.has(hash)) {
      puts.push({ key: programKey(hash), value: programValue(bytes) });
      retained.addProgram(hash, bytes.length);
    }
    const record = { atMs, hash };
    puts.push({ key: executionKey(record), value: executionValue(executions) });
    retained.addExecution(record);
  }
  return puts;
}
