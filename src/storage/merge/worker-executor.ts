/**
 * Runs merges on another thread. The first merge starts the thread. The thread ends after a period
 * without merges, and is replaced if it dies.
 */

import { invariant, type Scheduler, type Timer } from '#base';
import type { EntryWalk } from '../cursor/source.ts';
import {
  type ComponentRequests,
  endedComponentRequests,
  joinRequests,
} from '../object/component-requests.ts';
import { buffersOf, EntryBatches } from './entry-batch.ts';
import { Cancelled, type MergeClient, type MergeExecutor, type MergeJob } from './merge-job.ts';
import { type FromWorker, failureOf, type ToWorker } from './messages.ts';
import type { PlaceDescription } from './place-description.ts';
import type { MergeResult } from './task.ts';

/**
 * The thread ended before its merges did. The merges may be repeated, because no manifest names
 * their output.
 */
export class WorkerGone extends Error {}

/** The used part of a `Worker`. A test replaces it. */
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
  /** Batches of the source, if its entries are handed over. */
  readonly entries: EntryBatches | undefined;
  readonly answer: PromiseWithResolvers<MergeResult>;
}

/** Idle time after which the thread is terminated, which frees its memory. */
const keptMs = 30_000;

export class WorkerExecutor implements MergeExecutor {
  private readonly parts: WorkerSiteParts;
  private readonly waiting = new Map<number, Waiting>();
  private thread: Thread | undefined;
  /** Resolves when every thread so far has ended. */
  private ended: Promise<unknown> = Promise.resolve();
  private nextId = 1;
  /** Requests of ended threads, and of the current one as of its last message. */
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

  async merge(order: MergeJob, client: MergeClient): Promise<MergeResult> {
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

  /**
   * Closes the executor. Resolves when the thread has ended: it writes nothing to the storage
   * location after that.
   */
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
      // The thread must not continue after an uncaught error.
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
        invariant(entries !== undefined, 'only a source that is handed over sends entries');
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
      answer.reject(new WorkerGone(`the compaction thread has ended${detail}`));
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

  /** Stops processing messages of the thread. */
  private forget(): void {
    this.thread = undefined;
    this.former = this.requests && endedComponentRequests(this.requests);
    this.latest = undefined;
  }
}

function walkOf({ sources }: MergeClient): EntryWalk {
  const walk = sources.length === 1 ? sources[0]?.walk?.() : undefined;
  invariant(walk !== undefined, 'exactly one source in memory is handed over');
  return walk;
}

/**
 * Returns the memory whose ownership moves to the thread. This thread must not read it any more.
 */
function memoryOf({ ingested }: MergeJob): ArrayBuffer[] {
  if (ingested === undefined) return [];
  const { pieces, places, order } = ingested.entries;
  return [...pieces, places, order].map(({ buffer }) => buffer as ArrayBuffer);
}

/**
 * Starts the thread. In the compiled executable, the entry points have the same paths as below
 * `src/`.
 */
export function startThread(): Thread {
  const path = Bun.isStandaloneExecutable ? './storage/merge/merge-worker.ts' : './merge-worker.ts';
  return new Worker(new URL(path, import.meta.url).href, { ref: false } as WorkerOptions);
}
