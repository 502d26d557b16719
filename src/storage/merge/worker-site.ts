/** Merges on another thread. The thread is started by the first merge, ended when none has come for a while, and replaced when it dies. */

import { invariant, type Scheduler, type Timer } from '#base';
import type { EntryWalk } from '../cursor/source.ts';
import {
  type ComponentRequests,
  endedComponentRequests,
  joinRequests,
} from '../object/component-requests.ts';
import { buffersOf, EntryBatches } from './entry-batch.ts';
import { Cancelled, type MergeClient, type MergeOrder, type MergeSite } from './merge-order.ts';
import { type FromWorker, failureOf, type ToWorker } from './messages.ts';
import type { PlaceDescription } from './place-description.ts';
import type { MergeResult } from './task.ts';

/** The thread ended before its merges did. They may be tried again: nobody was told of what they had made. */
export class WorkerGone extends Error {}

/** The part of a `Worker` that is used; a test puts its own in. */
export interface Thread {
  postMessage(message: ToWorker, transfer: ArrayBuffer[]): void;
  onmessage: ((event: MessageEvent<FromWorker>) => void) | null;
  addEventListener(kind: 'close' | 'error', listener: (event: Event) => void): void;
  terminate(): void;
}

interface WorkerSiteParts {
  readonly place: PlaceDescription;
  readonly scheduler: Scheduler;
  readonly start?: () => Thread;
}

interface Waiting {
  readonly client: MergeClient;
  /** Of the source, where its entries are handed over. */
  readonly entries: EntryBatches | undefined;
  readonly answer: PromiseWithResolvers<MergeResult>;
}

/** A thread without work is ended after so long, which gives its memory back. */
const keptMs = 30_000;

export class WorkerSite implements MergeSite {
  private readonly parts: WorkerSiteParts;
  private readonly waiting = new Map<number, Waiting>();
  private thread: Thread | undefined;
  /** Resolves when every thread so far has ended. */
  private ended: Promise<unknown> = Promise.resolve();
  private nextId = 1;
  /** Of threads that have ended, and of the present one, as far as they have told. */
  private former: readonly ComponentRequests[] | undefined;
  private latest: readonly ComponentRequests[] | undefined;
  private isClosed = false;
  private timer: Timer | undefined;

  constructor(parts: WorkerSiteParts) {
    this.parts = parts;
  }

  get requests(): readonly ComponentRequests[] | undefined {
    const { former, latest } = this;
    if (former === undefined || latest === undefined) return former ?? latest;
    return joinRequests(former, latest);
  }

  async merge(order: MergeOrder, client: MergeClient): Promise<MergeResult> {
    if (this.isClosed) throw new Cancelled('the store closes');
    const id = this.nextId++;
    const answer = Promise.withResolvers<MergeResult>();
    const entries = order.isHandedOver ? new EntryBatches(walkOf(client)) : undefined;
    this.waiting.set(id, { client, entries, answer });
    this.timer?.cancel();
    this.thread ??= this.start();
    this.thread.postMessage({ kind: 'merge', id, order }, memoryOf(order));
    try {
      return await answer.promise;
    } finally {
      this.waiting.delete(id);
      if (this.waiting.size === 0) this.rest();
    }
  }

  /** Resolves when the thread has ended: nothing is written to the place after that. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.timer?.cancel();
    this.end();
    for (const { answer } of this.waiting.values()) {
      answer.reject(new Cancelled('the store closes'));
    }
    await this.ended;
  }

  private start(): Thread {
    const thread = (this.parts.start ?? startThread)();
    const ending = Promise.withResolvers<void>();
    this.ended = Promise.all([this.ended, ending.promise]);
    let failure: string | undefined;
    thread.onmessage = ({ data }) => this.hear(thread, data);
    thread.addEventListener('error', (event) => {
      failure ??= (event as ErrorEvent).message;
      // What it did not catch, it does not go on from.
      thread.terminate();
    });
    thread.addEventListener('close', () => {
      this.lost(thread, failure);
      ending.resolve();
    });
    thread.postMessage({ kind: 'open', place: this.parts.place }, []);
    return thread;
  }

  private hear(thread: Thread, message: FromWorker): void {
    if (thread === this.thread) this.latest = message.requests;
    const waiting = this.waiting.get(message.id);
    if (waiting === undefined || thread !== this.thread) return;
    const { client, entries, answer } = waiting;
    switch (message.kind) {
      case 'take_name':
        thread.postMessage({ kind: 'name', id: message.id, name: client.nextName() }, []);
        return;
      case 'take_entries': {
        invariant(entries !== undefined, 'entries are asked for where they are handed over');
        const batch = entries.next(message.spent);
        thread.postMessage({ kind: 'entries', id: message.id, batch }, buffersOf(batch));
        return;
      }
      case 'done':
        answer.resolve(message.result);
        return;
      case 'failed':
        answer.reject(failureOf(message.failure));
        return;
    }
  }

  private lost(thread: Thread, failure: string | undefined): void {
    if (thread !== this.thread) return;
    this.forget();
    const detail = failure === undefined ? '' : `: ${failure}`;
    for (const { answer } of this.waiting.values()) {
      answer.reject(new WorkerGone(`the thread that merges has ended${detail}`));
    }
  }

  private rest(): void {
    if (this.isClosed) return;
    this.timer = this.parts.scheduler.after(keptMs, () => this.end());
  }

  private end(): void {
    const { thread } = this;
    this.forget();
    thread?.terminate();
  }

  /** Whatever the thread says from now on is not listened to. */
  private forget(): void {
    this.thread = undefined;
    this.former = this.requests && endedComponentRequests(this.requests);
    this.latest = undefined;
  }
}

function walkOf({ sources }: MergeClient): EntryWalk {
  const walk = sources.length === 1 ? sources[0]?.walk?.() : undefined;
  invariant(walk !== undefined, 'one source in memory is handed over');
  return walk;
}

/** What the thread takes over: nobody here reads it again. */
function memoryOf({ ingested }: MergeOrder): ArrayBuffer[] {
  if (ingested === undefined) return [];
  const { pieces, places, order } = ingested.entries;
  return [...pieces, places, order].map(({ buffer }) => buffer as ArrayBuffer);
}

/** In the compiled program the entry points lie where they lay below `src/`. */
export function startThread(): Thread {
  const path = Bun.isStandaloneExecutable ? './storage/merge/merge-worker.ts' : './merge-worker.ts';
  return new Worker(new URL(path, import.meta.url).href, { ref: false } as WorkerOptions);
}
