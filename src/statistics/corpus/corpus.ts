/**
 * The workload corpus: programs that have run, kept in the store for replay, with when and how often (operations.md §8.7). Bodies wait in a queue,
 * become documents in the background, and are written once a minute. What finds no room is counted and gone: no program waits for any of this.
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
/** Records that one flush deletes. */
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
  /** Undefined until it has been read, and after a commit that failed. */
  private retained: Retained | undefined;
  private invalid: Uint8Array[] = [];
  private isStopped = false;

  constructor({ store, world, limits = corpusLimits, queueMax }: CorpusParts) {
    this.store = store;
    this.world = world;
    this.capture = new Capture(world, queueMax);
    this.limits = limits;
  }

  /** Reads what earlier processes have left, and looks after it from now on. */
  start(): void {
    this.work(() => this.load());
    this.flushLater();
  }

  /** A program has run. Never waits. */
  offer(body: string, isQuery: boolean): void {
    if (!this.isStopped) this.capture.offer(body, isQuery);
  }

  /** Documents of another process, which may be none in their form; they have its bounds all the same. */
  adopt(programs: readonly ToldProgram[]): void {
    if (this.isStopped) return;
    for (const { document, executions } of programs) {
      this.capture.offer(document, false, executions);
    }
  }

  /**
   * Erases the program with this hash, without one all of them, from the store and of what waits to be written; programs that run from now on are kept
   * again. Rejects when the storage fails.
   */
  async erase(hash?: string): Promise<Erased> {
    while (this.working !== undefined) await this.working;
    const erasing = this.eraseAlone(hash);
    this.work(async () => void (await erasing));
    return erasing;
  }

  /** As `StatisticsCorpus` has them, once all that was offered has been looked at. */
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

  /** Writes what is there; nothing is taken from now on. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.flushing?.cancel();
    this.capture.stop();
    await this.working;
    await this.flush().catch(() => {});
  }

  private work(task: () => Promise<void>): void {
    if (this.working !== undefined) return;
    // Storage that fails is seen by others, who end the process or open it again.
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
    // Each of them would have become one record.
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

  /** One commit at most, of bounded size. Rejects when the storage fails. */
  private async flush(): Promise<void> {
    await this.capture.drain();
    // Programs go first; what is pending stays, and has its bound.
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
    // After a failure the next time finds out what the store has by now.
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

/** Records of what has run, and the programs that are new. */
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
