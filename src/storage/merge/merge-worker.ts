/**
 * The compaction thread, a separate entry point. The thread opens the inputs and writes the outputs
 * itself. Only jobs, names, results and the entries of memtables cross the thread boundary. If
 * the thread is terminated, it leaves SSTables that no manifest names.
 */

import { invariant, systemWorld, type World } from '#base';
import { GarbageWatch } from '../cache/garbage-watch.ts';
import { columnValues } from '../columns/column-codec.ts';
import type { OpenRun } from '../version/open-run.ts';
import { TableFiles } from '../version/table-files.ts';
import { buffersOf } from './entry-batch.ts';
import { HandedSource } from './handed-source.ts';
import type { MergeJob } from './merge-job.ts';
import { type FromWorker, type MergeNews, plainFailure, type ToWorker } from './messages.ts';
import { openObjects } from './place-description.ts';
import { runOrder } from './run-order.ts';
import type { MergeResult } from './task.ts';

declare const self: Worker;

const reading = {
  /** Cache for the indexes of the inputs. Their blocks are read once and not cached. */
  cacheBytes: 8 << 20,
  scansFillCache: false,
  scanReadAheadBytes: 1 << 20,
  scanFetchesMax: 2,
} as const;
/** A separate thread yields only to other merges. The urgent one gets longer slices. */
const sliceMs = { urgent: 9, other: 3 } as const;

/** A step can open an SSTable of the run and of the past run, and both again when it closes them. */
const namesAhead = 4;

/**
 * The names for one merge, requested ahead: a merge opens its next SSTable in the same step in
 * which it closes the last one.
 */
class Names {
  private readonly ask: () => void;
  private readonly names: string[] = [];
  private waiting: PromiseWithResolvers<void> | undefined;

  constructor(ask: () => void) {
    this.ask = ask;
    for (let i = 0; i < namesAhead; i++) ask();
  }

  arrived(name: string): void {
    this.names.push(name);
    if (this.names.length < namesAhead) return;
    this.waiting?.resolve();
    this.waiting = undefined;
  }

  /** Waits for the names of one step. Returns `undefined` if they are available. */
  ready(): Promise<void> | undefined {
    if (this.names.length >= namesAhead) return undefined;
    this.waiting ??= Promise.withResolvers<void>();
    return this.waiting.promise;
  }

  take(): string {
    const name = this.names.shift();
    invariant(name !== undefined, 'a name has arrived before it is taken');
    this.ask();
    return name;
  }
}

const world = systemWorld();
const garbage = new GarbageWatch(world);
const names = new Map<number, Names>();
const handed = new Map<number, HandedSource>();
let objects: ReturnType<typeof openObjects> | undefined;

self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  switch (data.kind) {
    case 'open':
      objects = openObjects(data.place, world);
      return;
    case 'merge':
      void answer(data.id, data.order);
      return;
    case 'name':
      names.get(data.id)?.arrived(data.name);
      return;
    case 'entries':
      handed.get(data.id)?.arrived(data.batch);
      return;
  }
};

function tell(news: MergeNews, transfer: ArrayBuffer[] = []): void {
  const message: FromWorker = { ...news, requests: objects?.requests?.() };
  self.postMessage(message, transfer);
}

async function answer(id: number, order: MergeJob): Promise<void> {
  try {
    tell({ kind: 'done', id, result: await merge(id, order, world) });
  } catch (error) {
    tell({ kind: 'failed', id, failure: plainFailure(error) });
  } finally {
    names.delete(id);
    handed.delete(id);
  }
}

async function merge(id: number, order: MergeJob, world: World): Promise<MergeResult> {
  invariant(objects !== undefined, 'the storage location is received before the first merge');
  const store = objects.of(order.component);
  const own = new Names(() => tell({ kind: 'take_name', id }));
  names.set(id, own);
  const codecs = columnValues;
  const files = new TableFiles({ ...reading, world, objects: store, codecs });
  const runs = await files.openRuns(order.inputs.map((tables) => ({ level: 0, tables })));
  const sources = order.isHandedOver ? [handedTo(id)] : runs.map((run) => run.source);
  try {
    await own.ready();
    return await runOrder(sources, order, {
      world,
      objects: store,
      codecs,
      takeName: () => own.take(),
      nameReady: () => own.ready(),
      rest: () => world.scheduler.yield(),
      sliceMs: order.isUrgent ? sliceMs.urgent : sliceMs.other,
      written: (bytes) => garbage.add(bytes),
    });
  } finally {
    close(runs);
  }
}

function handedTo(id: number): HandedSource {
  const source = new HandedSource((spent) =>
    tell({ kind: 'take_entries', id, spent }, spent === undefined ? [] : buffersOf(spent)),
  );
  handed.set(id, source);
  return source;
}

function close(runs: readonly OpenRun[]): void {
  for (const { table } of runs.flatMap((run) => run.tables)) table.close();
}
