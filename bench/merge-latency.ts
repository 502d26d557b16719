/**
 * `bun run bench/merge-latency.ts [--entries N]`: how long point reads take while everything is merged: without a merge, with one on the
 * thread of the store, and with one on another thread. Reads come at fixed times, so a stall counts for all that it delays. The time on the
 * processor says the same on a machine that others use as well.
 */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { systemWorld } from '#base';
import { openStore } from '#storage';
import type { LsmStore } from '../src/storage/assembly/lsm-store.ts';
import { openStoreIn } from '../src/storage/assembly/open.ts';
import { openDirectoryLocation } from '../src/storage/place/location.ts';

const { values } = parseArgs({ options: { entries: { type: 'string', default: '2000000' } } });
const entries = Number(values.entries);
const world = systemWorld();
const tuning = { memtableBytes: 32 << 20, tableBytes: 32 << 20, flushedTablesMax: 64, idleMs: 1e9 };
const everyMs = 1;
const restMs = 3000;
const path = mkdtempSync(join(tmpdir(), 'merge-latency-'));

async function openLocal(): Promise<LsmStore> {
  const identity = { pid: process.pid, hostname: 'here', startedUnixMs: 0 };
  const place = await openDirectoryLocation({ path, world, identity });
  return openStoreIn(place, { storage: 'file', world, ...tuning });
}

const openThreaded = (): Promise<LsmStore> =>
  openStore({ storage: 'file', path, world, ...tuning });

const key = new Uint8Array(16);
const keyView = new DataView(key.buffer);
const value = new Uint8Array(100);

function setKey(number: number): void {
  keyView.setUint32(0, Math.imul(number, 2654435761));
  keyView.setUint32(4, number);
}

/** Random keys, so that every table overlaps every other one. */
async function fill(store: LsmStore): Promise<void> {
  const { random } = world;
  for (let from = 0; from < entries; from += 500) {
    const transaction = store.begin();
    for (let i = 0; i < 500; i++) {
      setKey(Math.floor(random.unit() * entries));
      random.fill(value);
      transaction.put(key, value);
    }
    await store.admitWrite();
    await transaction.commit();
    transaction.release();
  }
}

async function measure(store: LsmStore, work: () => Promise<void>): Promise<number[]> {
  const taken: number[] = [];
  let isDone = false;
  const done = work().then(() => {
    isDone = true;
  });
  let due = performance.now();
  while (!isDone) {
    // Whatever is due is read in one turn, as requests are.
    if (performance.now() < due) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      continue;
    }
    const snapshot = store.snapshot();
    setKey(Math.floor(world.random.unit() * entries));
    for (let found = snapshot.get(key); found instanceof Promise; found = snapshot.get(key)) {
      await found;
    }
    snapshot.release();
    taken.push(performance.now() - due);
    due += everyMs;
  }
  await done;
  return taken.sort((a, b) => a - b);
}

/** Of the thread of the store, in milliseconds; Linux only. */
function onProcessorMs(): number {
  try {
    return (
      Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
    );
  } catch {
    return Number.NaN;
  }
}

function show(what: string, taken: number[], ms: number, busyMs: number): void {
  const at = (share: number) =>
    (taken[Math.floor(share * (taken.length - 1))] as number).toFixed(2);
  console.log(
    `${what}: ${taken.length} reads in ${(ms / 1000).toFixed(1)} s; ` +
      `p50 ${at(0.5)}, p99 ${at(0.99)}, p99.9 ${at(0.999)}, longest ${at(1)} ms; ` +
      `thread of the store ${(busyMs / 1000).toFixed(2)} s on the processor`,
  );
}

async function run(what: string, open: () => Promise<LsmStore>): Promise<void> {
  const store = await open();
  await fill(store);
  await store.idle();
  const rest = () => new Promise<void>((resolve) => setTimeout(resolve, restMs));
  await measure(store, rest);
  const resting = onProcessorMs();
  show(`${what}, no merge`, await measure(store, rest), restMs, onProcessorMs() - resting);
  const merging = performance.now();
  const busy = onProcessorMs();
  const taken = await measure(store, () => store.tidy());
  show(`${what}, merging`, taken, performance.now() - merging, onProcessorMs() - busy);
  const { compaction } = store.statistics();
  console.log(`  ${compaction.outputBytes >> 20} MiB written by merges`);
  await store.close();
  rmSync(path, { recursive: true, force: true });
}

try {
  await run('on the thread of the store', openLocal);
  await run('on another thread', openThreaded);
} finally {
  rmSync(path, { recursive: true, force: true });
}
