/** The corpus of a reader: programs that have run are handed out for the writer, which keeps them. Nothing is stored here. */

import type { Timer, World } from '#base';
import { Capture } from './capture.ts';

const minuteMs = 60_000;
/** Of the documents that are handed out at once; as JSON in JSON they are at most twice as long. */
const handedBytesMax = 512 << 10;

/** A document of the corpus, and how often its program ran. */
export interface ToldProgram {
  readonly document: string;
  readonly executions: number;
}

export class CorpusCourier {
  private readonly world: Pick<World, 'scheduler'>;
  private readonly capture: Capture;
  /** Hashes that were handed out within this minute: their next executions wait for its end. */
  private told = new Set<string>();
  /** Of the minutes before, in bytes of at most those of one minute. */
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

  /** As `Capture` has it. */
  offer(body: string, isQuery: boolean): void {
    this.capture.offer(body, isQuery);
  }

  /** As `StatisticsCorpus` has them; what is kept is reported by the writer. */
  async report() {
    await this.capture.drain();
    return { enabled: true, ...this.capture.counts };
  }

  /** Documents that the writer does not have yet, up to a bound; the rest comes the next times. */
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

  /** The process ends: all that has run can be taken from now on. */
  async end(): Promise<void> {
    this.turning?.cancel();
    await this.capture.drain();
    this.capture.stop();
    this.turn();
  }

  /** Nothing is handed out any more. */
  stop(): void {
    this.turning?.cancel();
    this.capture.stop();
  }

  /** The next of this minute that was not handed out. */
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

  /** A minute is over. What nobody has taken of the one before is gone, and counted. */
  private turn(): void {
    for (const { executions } of this.waiting) this.capture.counts.shedPending += executions;
    this.told = new Set();
    this.waiting = [...this.capture.take().values()].filter(({ executions }) => executions > 0);
  }
}
