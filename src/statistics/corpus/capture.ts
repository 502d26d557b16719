/** Programs that have run, on their way into the corpus: bodies wait in a queue and become documents in the background. What finds no room is counted and gone. */

import type { Timer, World } from '#base';
import { bodyLengthMax, type CorpusDocument, documentOf } from './document.ts';

const usualQueueMax = 4_096;
/** Characters of all bodies in the queue. */
const queueLengthMax = 16 << 20;
const pendingMax = 1_024;
/** Bodies that become documents between two takes, those among them that are too large. */
const looksMax = 4_096;
/** From the first of what is in the queue on. */
const drainMs = 20;
/** Bodies that become documents at a time. */
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
  /** The same by body: a program that comes again needs no look. */
  private bodies = new Map<string, Pending>();
  private looks = 0;
  private draining: Timer | undefined;

  /** `queueMax`: programs that wait to become documents. */
  constructor(world: Pick<World, 'scheduler'>, queueMax = usualQueueMax) {
    this.world = world;
    this.queueMax = queueMax;
  }

  /** What has become a document since the last take, by hash. */
  get documents(): ReadonlyMap<string, Pending> {
    return this.pending;
  }

  /** A program has run, as often. Never waits. `isQuery`: the body is the relation of one query. */
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

  /** Resolves once all that was offered is a document. */
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

  /** Hands out all documents, and begins anew. */
  take(): Map<string, Pending> {
    const { pending } = this;
    this.pending = new Map();
    this.bodies = new Map();
    this.looks = 0;
    return pending;
  }

  /** Takes the program with this hash out, without one all of them; returns the hashes of what was there. */
  forget(hash: string | undefined): readonly string[] {
    const isMeant = (one: string) => hash === undefined || one === hash;
    const forgotten = [...this.pending.keys()].filter(isMeant);
    for (const one of forgotten) this.pending.delete(one);
    for (const [body, pending] of this.bodies) {
      if (isMeant(pending.hash)) this.bodies.delete(body);
    }
    return forgotten;
  }

  /** The queue is looked at no more by itself. */
  stop(): void {
    this.draining?.cancel();
  }

  /** Counts a body that has been looked at. */
  private isKnown(body: string, executions: number): boolean {
    const known = this.bodies.get(body);
    if (known === undefined) return false;
    known.executions += executions;
    this.counts.captured += executions;
    return true;
  }

  /** So a minute costs the look at so many programs, however many run. */
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
