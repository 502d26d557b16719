/** Merges on another thread: the same result, a thread that dies, and an orderly end. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemWorld, type World } from '#base';
import { openStore } from '#storage';
import type { LsmStore } from '../../../src/storage/assembly/lsm-store.ts';
import { openStoreIn } from '../../../src/storage/assembly/open.ts';
import { Cancelled } from '../../../src/storage/merge/merge-job.ts';
import {
  openObjects,
  type PlaceDescription,
} from '../../../src/storage/merge/place-description.ts';
import {
  startThread,
  type Thread,
  WorkerExecutor,
  WorkerGone,
} from '../../../src/storage/merge/worker-executor.ts';
import { componentStores, requestsOfAll } from '../../../src/storage/object/component-requests.ts';
import { memoryStore } from '../../../src/storage/object/memory-store.ts';
import { openDirectoryLocation } from '../../../src/storage/place/location.ts';
import { outcomeOf, rejection } from '../../support/outcome.ts';
import { smallShape, Workload } from '../assembly/workload.ts';
import { seededRandom } from '../object/seeded-world.ts';
import { range, take, write } from '../transaction/support.ts';

const small = { memtableBytes: 20_000, tableBytes: 16_000, blockBytes: 1024, flushedTablesMax: 4 };
const system = systemWorld();
/** What is tried again is tried at once. */
const world: World = {
  ...system,
  scheduler: {
    ...system.scheduler,
    after: (ms, task) => system.scheduler.after(ms > 1000 ? ms : 0, task),
  },
};
let path: string;

beforeAll(() => {
  path = mkdtempSync(join(tmpdir(), 'merges-'));
});
afterAll(() => rmSync(path, { recursive: true, force: true }));

async function openWith(name: string, start: () => Thread): Promise<LsmStore> {
  const directory = join(path, name);
  const identity = { pid: process.pid, hostname: 'here', startedUnixMs: 0 };
  const place = await openDirectoryLocation({ path: directory, world, identity });
  const description: PlaceDescription = { kind: 'directory', path: directory };
  return openStoreIn(
    {
      ...place,
      otherThread: (scheduler) => new WorkerExecutor({ place: description, scheduler, start }),
    },
    { storage: 'file', world, ...small },
  );
}

async function fill(store: LsmStore, rounds: number): Promise<void> {
  for (let i = 0; i < rounds; i++) {
    const rows = Array.from({ length: 20 }, (_, k) => [`key ${k}`, `${i}`.repeat(60)]);
    await store.admitWrite();
    await write(store, Object.fromEntries(rows));
  }
}

const tablesIn = (name: string): string[] => readdirSync(join(path, name, 'sst'));

test('a store whose merges run on another thread is serializable by sequence', async () => {
  const directory = join(path, 'workload');
  const options = { memtableBytes: 1500, blockBytes: 512, flushedTablesMax: 4, tableBytes: 3000 };
  const store = await openStore({ storage: 'file', path: directory, world, ...options });
  const workload = new Workload(seededRandom(5), { ...smallShape, keys: 200 });
  await workload.run(store, 2500);
  await workload.settle();
  await store.tidy();
  await workload.checkWhole(store.snapshot());
  const { compaction, runs } = store.statistics();
  expect(compaction.jobs).toBeGreaterThan(3);
  expect(compaction.threadsLost).toBe(0);
  expect(tablesIn('workload').length).toBe(runs.reduce((sum, run) => sum + run.tables, 0));
  await store.close();
});

test('merges do not run on the thread of the store', async () => {
  let started = 0;
  const store = await openWith('elsewhere', () => {
    started++;
    return startThread();
  });
  await fill(store, 60);
  await store.tidy();
  expect(started).toBe(1);
  expect(store.statistics().runs.map((run) => run.entries)).toEqual([20]);
  await store.close();
});

test('a merge whose thread dies is done again by a fresh one', async () => {
  const threads: Thread[] = [];
  const store = await openWith('killed', () => {
    const thread = startThread();
    threads.push(thread);
    const { postMessage } = thread;
    thread.postMessage = (message, transfer) => {
      // The first two die with a merge in hand.
      if (message.kind === 'merge' && threads.length <= 2) thread.terminate();
      else postMessage.call(thread, message, transfer);
    };
    return thread;
  });
  await fill(store, 60);
  await store.tidy();
  expect(threads.length).toBe(3);
  expect(store.statistics().compaction.threadsLost).toBe(2);
  expect(store.poisoned).toBeUndefined();
  const rows = await take(store.snapshot().scan(range(''), 'forward'));
  expect(rows.length).toBe(20);
  expect(rows.every((row) => row.endsWith('59'.repeat(60)))).toBe(true);
  expect(tablesIn('killed').length).toBe(1);
  await store.close();
});

test('without any thread that lives, merges go on on the thread of the store', async () => {
  const store = await openWith('threadless', () => {
    const thread = startThread();
    thread.terminate();
    return thread;
  });
  await fill(store, 60);
  await store.tidy();
  expect(store.statistics().compaction.threadsLost).toBeGreaterThan(2);
  expect(store.statistics().runs.map((run) => run.entries)).toEqual([20]);
  await store.close();
});

const entry = {
  name: 'sst/0000000001-0000000001',
  bytes: 100,
  smallest: Uint8Array.of(1),
  largest: Uint8Array.of(2),
  sequenceMin: 1,
  sequenceMax: 1,
  entries: 1,
  hash: 0n,
};
const order = {
  inputs: [[entry]],
  range: { from: new Uint8Array(), to: undefined },
  isBottom: false,
  isUrgent: false,
  component: 'compactor' as const,
  stopAfterBytes: undefined,
  tableBytes: 1000,
  snapshots: [],
  dropped: [],
  table: { blockBytes: 1024, blockRowsMax: 10, bloomBitsPerKey: 10, filterKeysMin: 10 },
};

/** Says of each merge that it has failed, and that one more object was written. */
function failingThread(): Thread {
  let written = 0;
  const counted = componentStores(memoryStore(), world.clock);
  const store = counted.of('compactor');
  const failure = { trouble: undefined, message: 'no', stack: '' };
  const listeners: (() => void)[] = [];
  const thread: Thread = {
    onmessage: null,
    addEventListener: (kind, listener) => {
      if (kind === 'close') listeners.push(() => listener(new Event('close')));
    },
    postMessage({ kind, ...message }) {
      if (kind !== 'merge' || !('id' in message)) return;
      const { id } = message;
      void store.put(String(written++), new Uint8Array(10)).then(() => {
        const data = { kind: 'failed', id, failure, requests: counted.requests() } as const;
        thread.onmessage?.(new MessageEvent('message', { data }));
      });
    },
    terminate: () => {
      for (const listener of listeners) listener();
    },
  };
  return thread;
}

test('what a thread has asked for stays counted when it has ended', async () => {
  const threads: Thread[] = [];
  const place: PlaceDescription = { kind: 'directory', path: join(path, 'none') };
  const site = new WorkerExecutor({
    place,
    scheduler: world.scheduler,
    start: () => {
      const thread = failingThread();
      threads.push(thread);
      return thread;
    },
  });
  expect(site.requests).toBeUndefined();
  const fail = async () =>
    expect(await outcomeOf(site.merge(order, { sources: [], nextName: () => '' }))).toThrow('no');
  await fail();
  await fail();
  expect(requestsOfAll(site.requests)?.write).toMatchObject({ requests: 2, bytes: 20 });
  threads[0]?.terminate();
  expect(requestsOfAll(site.requests)?.write).toMatchObject({ requests: 2, bytes: 20 });
  await fail();
  expect(threads.length).toBe(2);
  expect(requestsOfAll(site.requests)?.write).toMatchObject({ requests: 3, bytes: 30, active: 0 });
  await site.close();
  expect(requestsOfAll(site.requests)?.write).toMatchObject({ requests: 3, bytes: 30 });
});

test('a thread that fails is told apart from a merge that fails', async () => {
  const place: PlaceDescription = { kind: 'directory', path: join(path, 'none') };
  const site = new WorkerExecutor({ place, scheduler: world.scheduler });
  const client = { sources: [], nextName: () => 'sst/0000000001-0000000002' };
  const failing = site.merge(order, client);
  expect(await rejection(failing)).toMatchObject({
    fault: { kind: 'missing', object: entry.name },
  });
  await failing.catch(() => {});
  const ending = site.merge(order, client);
  const ended = site.close();
  expect(await rejection(ending)).toBeInstanceOf(Cancelled);
  await ended;
  expect(await rejection(site.merge(order, client))).toBeInstanceOf(Cancelled);
  expect(new WorkerGone('')).not.toBeInstanceOf(Cancelled);
});

/** Rounds of large values: memtables that are large enough to be handed over. */
async function fillLarge(store: LsmStore, rounds: number): Promise<void> {
  for (let i = 0; i < rounds; i++) {
    const rows = Array.from({ length: 300 }, (_, k) => [
      `key ${k % 100} ${i}`,
      `${i}`.repeat(3000),
    ]);
    await store.admitWrite();
    await write(store, Object.fromEntries(rows));
  }
}

const large = { memtableBytes: 5 << 20, tableBytes: 16 << 20, blockBytes: 4096 };

async function openLarge(name: string, start: () => Thread): Promise<LsmStore> {
  const directory = join(path, name);
  const identity = { pid: process.pid, hostname: 'here', startedUnixMs: 0 };
  const place = await openDirectoryLocation({ path: directory, world, identity });
  const description: PlaceDescription = { kind: 'directory', path: directory };
  const otherThread = (scheduler: World['scheduler']) =>
    new WorkerExecutor({ place: description, scheduler, start });
  return openStoreIn({ ...place, otherThread }, { storage: 'file', world, ...large });
}

test('a large memtable is written by the other thread, and is the same afterwards', async () => {
  let entries = 0;
  const components = new Set<string>();
  const store = await openLarge('handed', () => {
    const thread = startThread();
    const { postMessage } = thread;
    thread.postMessage = (message, transfer) => {
      if (message.kind === 'entries') entries += message.batch.count;
      if (message.kind === 'merge') {
        const { isHandedOver, component } = message.order;
        components.add(`${isHandedOver === true ? 'a flush' : 'a merge'} is of the ${component}`);
      }
      postMessage.call(thread, message, transfer);
    };
    return thread;
  });
  await fillLarge(store, 30);
  await store.tidy();
  expect([...components].sort()).toEqual(['a flush is of the db', 'a merge is of the compactor']);
  const rows = await take(store.snapshot().scan(range(''), 'forward'));
  expect(entries).toBeGreaterThan(500);
  expect(rows.length).toBe(3000);
  expect(rows.every((row) => /^key (\d+) (\d+)=(\2){3000}$/.test(row))).toBe(true);
  await store.close();
});

test('closing in the middle of a merge leaves a place that opens again', async () => {
  const directory = join(path, 'closed');
  const options = { storage: 'file', path: directory, world, ...small } as const;
  let store = await openStore(options);
  for (let round = 0; round < 4; round++) {
    await fill(store, 30);
    await store.close();
    store = await openStore(options);
  }
  await store.tidy();
  const rows = await take(store.snapshot().scan(range(''), 'forward'));
  expect(rows.length).toBe(20);
  expect(tablesIn('closed').length).toBe(1);
  await store.close();
});

test('a thread that begins while the directory is gone makes none in its place', async () => {
  const home = mkdtempSync(join(tmpdir(), 'svc-worker-'));
  try {
    const path = join(home, 'gone');
    const { of } = openObjects({ kind: 'directory', path }, systemWorld());
    const putting = async () => of('compactor').put('sst/1', new Uint8Array(1));
    expect(await outcomeOf(putting())).toThrow('sst/1');
    expect(existsSync(path)).toBe(false);
  } finally {
    rmSync(home, { recursive: true });
  }
});
