/** Captures executed programs for the corpus: request bodies wait in a queue and become documents in the background. Bodies beyond a limit are counted and dropped. */

import type { Timer, World } from '#base';
import { bodyLengthMax, type CorpusDocument, documentOf } from './document.ts';

const usualQueueMax = 4_096;
/** Maximum number of characters of all bodies in the queue. */
const queueLengthMax = 16 << 20;
const pendingMax = 1_024;
/** Maximum number of bodies that are converted between two calls of `take`, including bodies that turn out to be too large. */
const looksMax = 4_096;
/** Delay between the first body in the queue and the conversion. */
const drainMs = 20;
/** Number of bodies that are converted between two yields. */
const portion = 32;

interface Waiting {
  readonly body: string;
  readonly isQuery: boolean;
  readonly executions: number;
}

export interface Pending extends CorpusDocument {
  executions: number;
}

export class Capture {
  readonly counts = { captured: 0, skippedOversize: 0, droppedQueue: 0, shedPending: 0 };
  private readonly world: Pick<World, 'scheduler'>;
  private readonly queueMax: number;
  private queue: Waiting[] = [];
  private queueLength = 0;
  private pending = new Map<string, Pending>();
  /** The pending documents by body, so that a repeated program is not converted again. */
  private bodies = new Map<string, Pending>();
  private looks = 0;
  private draining: Timer | undefined;

  /** `queueMax`: maximum number of programs in the queue. */
  constructor(world: Pick<World, 'scheduler'>, queueMax = usualQueueMax) {
    this.world = world;
    this.queueMax = queueMax;
  }

  /** The documents that have been made since the last `take`, by hash. */
  get documents(): ReadonlyMap<string, Pending> {
    return this.pending;
  }

  /** Takes a program that has run `executions` times. Never waits. `isQuery`: the body is the relation of a single query. */
  offer(body: string, isQuery: boolean, executions = 1): void {
    if (this.isKnown(body, executions)) return;
    if (body.length > bodyLengthMax) {
      this.counts.skippedOversize += executions;
      return;
    }
    if (this.isFull) {
      this.counts.shedPending += executions;
      return;
    }
    if (this.queue.length >= this.queueMax || this.queueLength + body.length > queueLengthMax) {
      this.counts.droppedQueue += executions;
      return;
    }
    this.queue.push({ body, isQuery, executions });
    this.queueLength += body.length;
    this.draining ??= this.world.scheduler.after(drainMs, () => {
      void this.drain().finally(() => {
        this.draining = undefined;
      });
    });
  }

  /** Resolves when all offered programs have become documents or were dropped. */
  async drain(): Promise<void> {
    while (this.queue.length > 0) {
      const some = this.queue.splice(0, portion);
      for (const one of some) {
        this.queueLength -= one.body.length;
        this.look(one);
      }
      if (this.queue.length > 0) await this.world.scheduler.yield();
    }
  }

  /** Returns all documents, and starts with an empty set. */
  take(): Map<string, Pending> {
    const { pending } = this;
    this.pending = new Map();
    this.bodies = new Map();
    this.looks = 0;
    return pending;
  }

  /** Removes the program with this hash, or all programs without a hash. Returns the hashes of the removed programs. */
  forget(hash: string | undefined): readonly string[] {
    const isMeant = (one: string) => hash === undefined || one === hash;
    const forgotten = [...this.pending.keys()].filter(isMeant);
    for (const one of forgotten) this.pending.delete(one);
    for (const [body, pending] of this.bodies) {
      if (isMeant(pending.hash)) this.bodies.delete(body);
    }
    return forgotten;
  }

  /** Stops the background conversion. `drain` still works. */
  stop(): void {
    this.draining?.cancel();
  }

  /** Counts the executions of a body that has already been converted; returns false if it has not. */
  private isKnown(body: string, executions: number): boolean {
    const known = this.bodies.get(body);
    if (known === undefined) return false;
    known.executions += executions;
    this.counts.captured += executions;
    return true;
  }

  /** True if no further body may be converted before the next `take`. This bounds the work per minute, however many programs run. */
  private get isFull(): boolean {
    return this.pending.size >= pendingMax || this.looks >= looksMax;
  }

  private look({ body, isQuery, executions }: Waiting): void {
    if (this.isKnown(body, executions)) return;
    if (this.isFull) {
      this.counts.shedPending += executions;
      return;
    }
    this.looks++;
    const document = documentOf(body, isQuery);
    if (document === undefined) {
      this.counts.skippedOversize += executions;
      return;
    }
    let pending = this.pending.get(document.hash);
    if (pending === undefined) {
      pending = { ...document, executions: 0 };
      this.pending.set(document.hash, pending);
    }
    pending.executions += executions;
    this.counts.captured += executions;
    if (this.bodies.size < pendingMax) this.bodies.set(body, pending);
  }
}
