/** The corpus of a reader: it stores no programs, but passes them to the writer, which stores them. */

import type { Timer, World } from '#base';
import { Capture } from './capture.ts';

const minuteMs = 60_000;
/** Size of the documents after which `take` stops. Escaped as JSON strings, they are at most twice as large. */
const handedBytesMax = 512 << 10;

/** A document of the corpus, and the number of executions of its program. */
export interface ToldProgram {
  readonly document: string;
  readonly executions: number;
}

export class CorpusCourier {
  private readonly world: Pick<World, 'scheduler'>;
  private readonly capture: Capture;
  /** Hashes of the documents that were passed on in this minute. Further executions of them wait for the end of the minute. */
  private told = new Set<string>();
  /** The remaining documents of the previous minute. */
  private waiting: { readonly bytes: Uint8Array; readonly executions: number }[] = [];
  private turning: Timer | undefined;

  constructor(world: Pick<World, 'scheduler'>) {
    this.world = world;
    this.capture = new Capture(world);
  }

  start(): void {
    this.turning = this.world.scheduler.after(minuteMs, () => {
      this.start();
      this.turn();
    });
  }

  /** Takes a program, as `Capture.offer` does. */
  offer(body: string, isQuery: boolean): void {
    this.capture.offer(body, isQuery);
  }

  /** Returns the report in the form of `StatisticsCorpus`. The writer reports the stored records. */
  async report() {
    await this.capture.drain();
    return { enabled: true, ...this.capture.counts };
  }

  /** Returns documents for the writer up to a size limit. Later calls return the rest. */
  take(): readonly ToldProgram[] {
    const taken: ToldProgram[] = [];
    let bytes = 0;
    while (bytes < handedBytesMax) {
      const next = this.waiting.shift() ?? this.fresh();
      if (next === undefined) break;
      bytes += next.bytes.length;
      taken.push({ document: Buffer.from(next.bytes).toString(), executions: next.executions });
    }
    return taken;
  }

  /** Prepares the shutdown: after it, `take` can return all executed programs. */
  async end(): Promise<void> {
    this.turning?.cancel();
    await this.capture.drain();
    this.capture.stop();
    this.turn();
  }

  /** Stops the collection. */
  stop(): void {
    this.turning?.cancel();
    this.capture.stop();
  }

  /** Returns the next document of this minute that has not been passed on. */
  private fresh() {
    for (const pending of this.capture.documents.values()) {
      if (this.told.has(pending.hash)) continue;
      this.told.add(pending.hash);
      const { bytes, executions } = pending;
      pending.executions = 0;
      return { bytes, executions };
    }
    return undefined;
  }

  /** Ends a minute. Documents of the previous minute that were not taken are dropped and counted. */
  private turn(): void {
    for (const { executions } of this.waiting) this.capture.counts.shedPending += executions;
    this.told = new Set();
    this.waiting = [...this.capture.take().values()].filter(({ executions }) => executions > 0);
  }
}
