/** Metrics of the garbage collector, of buckets and directories: they agree with what has gone from there. */

import { afterEach, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemWorld, type World } from '#base';
import { openReader, openStore, type Store } from '#storage';
import { prometheusText } from '#telemetry';
import { storageInstruments } from '../../../src/server/metrics/storage-instruments.ts';
import { openStoreIn } from '../../../src/storage/assembly/open.ts';
import { bodyBytes } from '../../../src/storage/object/body.ts';
import { memoryStore } from '../../../src/storage/object/memory-store.ts';
import type { Body, ObjectStore } from '../../../src/storage/object/store.ts';
import { bucketLocation } from '../../../src/storage/place/location.ts';
import { write } from '../../storage/transaction/support.ts';
import { allowed } from './allowed-attributes.ts';
import { promtoolCheck } from './promtool.ts';

const system = systemWorld();
const small = { memtableBytes: 4000, tableBytes: 20_000, blockBytes: 1024, flushIntervalMs: 1 };
const paths: string[] = [];
afterEach(() => {
  for (const path of paths.splice(0)) rmSync(path, { recursive: true, force: true });
});

function newDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), 'svc-garbage-'));
  paths.push(path);
  return path;
}

type Opened = Awaited<ReturnType<typeof openStore>>;

async function fill(store: Store, rounds: number): Promise<void> {
  for (let i = 0; i < rounds; i++) {
    const rows = Array.from({ length: 40 }, (_, k) => [
      `key ${(k + 7 * i) % 100}`,
      `${i} `.repeat(20),
    ]);
    await write(store, Object.fromEntries(rows));
  }
}

const textOf = (store: Opened) => prometheusText(storageInstruments(() => store.statistics()));

/** Metrics of the collector by name and attributes, without their prefix. */
function garbageOf(store: Opened): Readonly<Record<string, number>> {
  const lines = textOf(store).matchAll(/^svc_storage_gc_(\S+) (\S+)$/gm);
  return Object.fromEntries([...lines].map(([, name, value]) => [name, Number(value)]));
}

/** A memory that keeps account of all that is deleted from it. */
function accounting() {
  const plain = memoryStore();
  const sizes = new Map<string, number>();
  const deleted = { main: [0, 0], log: [0, 0] };
  let isRefusing = false;
  const kept = (name: string, body: Body) => void sizes.set(name, bodyBytes(body));
  const { create: _, ...whole } = plain;
  const objects: ObjectStore = {
    ...whole,
    async put(name, body) {
      await plain.put(name, body);
      kept(name, body);
    },
    async putIfAbsent(name, body) {
      const outcome = await plain.putIfAbsent(name, body);
      if (outcome === 'committed') kept(name, body);
      return outcome;
    },
    async delete(names) {
      if (isRefusing) throw new Error('refused');
      for (const name of names) {
        const bytes = sizes.get(name);
        if (bytes === undefined) continue;
        sizes.delete(name);
        const part = name.startsWith('wal/') ? deleted.log : deleted.main;
        part[0] = (part[0] as number) + 1;
        part[1] = (part[1] as number) + bytes;
      }
      await plain.delete(names);
    },
  };
  const refuse = (refuses: boolean) => {
    isRefusing = refuses;
  };
  return { objects, deleted, refuse };
}

test('of a bucket: objects and bytes are those that have gone, by part of the store', async () => {
  const { objects, deleted } = accounting();
  const open = () =>
    openStoreIn(bucketLocation(objects, 1), { storage: 's3', world: system, ...small });
  const store = await open();
  await fill(store, 12);
  await store.tidy();
  await store.idle();
  const found = garbageOf(store);
  const [tables, bytes] = deleted.main as [number, number];
  expect(tables).toBeGreaterThan(2);
  expect(deleted.log[0]).toBeGreaterThan(2);
  expect(found['deleted_objects_total{store="main"}']).toBe(tables);
  expect(found['deleted_bytes_total{store="main"}']).toBe(bytes);
  expect(found['deleted_objects_total{store="log"}']).toBe(deleted.log[0] as number);
  expect(found['deleted_bytes_total{store="log"}']).toBe(deleted.log[1] as number);
  expect(found['listed_objects_total{store="log"}']).toBeGreaterThan(0);
  expect(found['runs_total{svc_status="success"}']).toBeGreaterThan(2);
  expect(found['runs_total{svc_status="error"}']).toBe(0);
  expect([found['waiting'], found['oldest_age_seconds']]).toEqual([0, 0]);
  await store.close();
});

test('of a bucket that refuses deletions: errors and the age of the oldest garbage grow', async () => {
  const { objects, refuse } = accounting();
  let skewMs = 0;
  const clock = { ...system.clock, monotonicMs: () => system.clock.monotonicMs() + skewMs };
  const world: World = { ...system, clock };
  const store = await openStoreIn(bucketLocation(objects, 1), { storage: 's3', world, ...small });
  refuse(true);
  await fill(store, 6);
  await store.tidy();
  skewMs += 60_000;
  const refused = garbageOf(store);
  expect(refused['errors_total{store="main",operation="delete"}']).toBeGreaterThan(0);
  expect(refused['errors_total{store="main",operation="list"}']).toBe(0);
  expect(refused['runs_total{svc_status="error"}']).toBeGreaterThan(0);
  expect(refused['oldest_age_seconds']).toBeGreaterThanOrEqual(60);
  refuse(false);
  await fill(store, 6);
  await store.tidy();
  expect(garbageOf(store)).toMatchObject({ waiting: 0, oldest_age_seconds: 0 });
  await store.close();
});

/** Bytes by name, of the files below `folder`. */
function filesOf(path: string, folder: string): ReadonlyMap<string, number> {
  const names = readdirSync(join(path, folder));
  return new Map(names.map((name) => [name, statSync(join(path, folder, name)).size]));
}

test('of a directory: segments of an earlier process and merged tables are counted', async () => {
  const path = newDirectory();
  const options = { storage: 'file', path, world: system, ...small } as const;
  const former = await openStore(options);
  await write(former, { key: 'value' });
  await former.close();
  const left = filesOf(path, 'wal');
  const store = await openStore(options);
  await fill(store, 6);
  await store.tidy();
  await store.idle();
  const now = filesOf(path, 'wal');
  const gone = [...left].filter(([name]) => !now.has(name)).map(([, bytes]) => bytes);
  expect(gone.length).toBeGreaterThan(0);
  const found = garbageOf(store);
  expect(found['deleted_objects_total{store="log"}']).toBe(gone.length);
  expect(found['deleted_bytes_total{store="log"}']).toBe(gone.reduce((sum, one) => sum + one, 0));
  const { flush, compaction } = store.statistics();
  const remaining = [...filesOf(path, 'sst').values()].reduce((sum, one) => sum + one, 0);
  const tables = flush.flushedBytes + compaction.outputBytes - remaining;
  // Manifests are deleted as well.
  expect(found['deleted_bytes_total{store="main"}']).toBeGreaterThan(tables);
  expect(found['listed_objects_total{store="main"}']).toBeGreaterThan(0);
  await store.close();
});

test('of a directory with a reader: tables wait for the reader, and their age grows', async () => {
  const path = newDirectory();
  let skewMs = 0;
  const clock = { ...system.clock, monotonicMs: () => system.clock.monotonicMs() + skewMs };
  const store = await openStore({
    storage: 'file',
    path,
    world: { ...system, clock },
    ...small,
  });
  await fill(store, 6);
  await store.tidy();
  // It does not look for newer states.
  const reader = await openReader({ storage: 'file', path, world: system, pollMs: 3_600_000 });
  await fill(store, 6);
  await store.tidy();
  skewMs += 1000;
  const pinned = garbageOf(store);
  expect(pinned['waiting']).toBeGreaterThan(0);
  expect(pinned['oldest_age_seconds']).toBeGreaterThanOrEqual(1);
  expect(pinned['runs_total{svc_status="error"}']).toBe(0);
  await reader.close();
  await fill(store, 6);
  await store.tidy();
  expect(garbageOf(store)).toMatchObject({ waiting: 0, oldest_age_seconds: 0 });
  const wrong = [...textOf(store).matchAll(/([a-z_]+)="([^"]*)"/g)]
    .filter(([, key, value]) => allowed[key as string]?.test(value as string) !== true)
    .map(([text]) => text);
  expect(wrong).toEqual([]);
  await store.close();
});

promtoolCheck(
  'promtool has nothing to say to the metrics of a directory',
  async () => {
    const store = await openStore({ storage: 'file', path: newDirectory(), world: system });
    const text = textOf(store);
    await store.close();
    return text;
  },
  'svc_storage_gc_runs',
);
