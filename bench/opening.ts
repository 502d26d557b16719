/** How long the bare store takes to open: with 256 MiB in its log, and with 1 GB in tables and nothing in the log. Against the time allowed. */

import { cpSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isPending, systemWorld } from '#base';
import { openStore, type Store, type StoreOptions } from '#storage';
import { makeEntries } from './engine/entries.ts';
import type { Measurement } from './measure.ts';

const mib = 1 << 20;
const logBytes = 256 * mib;
const databaseBytes = 1000 * 1000 * 1000;
const allowedMs = { recovery: 3000, opening: 100 };

const world = systemWorld();

export async function benchOpening(isQuick: boolean): Promise<readonly Measurement[]> {
  const rounds = isQuick ? 3 : 5;
  return [await benchRecovery(rounds), await benchDatabase(rounds)];
}

/** Commits of a hundred entries of 16 and 100 bytes. */
async function benchRecovery(rounds: number): Promise<Measurement> {
  await using directory = temporary();
  const never = {
    memtableBytes: 2 ** 40,
    logBytesBeforeFlush: 2 ** 40,
    unflushedBytesMax: 2 ** 40,
  };
  const store = await open(directory.path, { ...never, commitDurability: 'memory' });
  const entries = makeEntries(1_000_000, 1);
  for (let at = 0; store.statistics().log.payloadBytes < logBytes; at += 100) {
    const batch = Array.from({ length: 100 }, (_, i) => entries[(at + i) % entries.length]);
    await commit(store, batch as typeof entries);
  }
  await store.close();
  const times: Opening[] = [];
  for (let round = 0; round < rounds; round++) {
    // Each opening begins to flush what it has recovered.
    await using copy = temporary();
    cpSync(directory.path, copy.path, { recursive: true });
    times.push(await timed(copy.path));
  }
  return verdict('opening with 256 MiB of log', allowedMs.recovery, times);
}

async function benchDatabase(rounds: number): Promise<Measurement> {
  await using directory = temporary();
  const store = await open(directory.path, { commitDurability: 'memory' });
  const value = world.random.fill(new Uint8Array(1000));
  for (let at = 0; at * 1000 < databaseBytes; at += 100) {
    const batch = Array.from({ length: 100 }, (_, i) => ({
      key: Buffer.from(`key ${String(at + i).padStart(12, '0')}`),
      value: new Uint8Array(value),
    }));
    for (const entry of batch) world.random.fill(entry.value);
    await store.admitWrite();
    await commit(store, batch);
  }
  await store.tidy();
  await store.close();
  const stored = readdirSync(join(directory.path, 'sst')).reduce(
    (sum, name) => sum + statSync(join(directory.path, 'sst', name)).size,
    0,
  );
  if (stored < databaseBytes) throw new Error(`only ${stored} bytes are in tables`);
  const times: Opening[] = [];
  for (let round = 0; round < rounds; round++) times.push(await timed(directory.path));
  return verdict('opening a database of 1 GB', allowedMs.opening, times);
}

function open(path: string, more: Partial<StoreOptions> = {}) {
  return openStore({ storage: 'file', path, world, ...more });
}

async function commit(
  store: Store,
  entries: readonly { readonly key: Uint8Array; readonly value: Uint8Array }[],
): Promise<void> {
  const transaction = store.begin();
  for (const { key, value } of entries) transaction.put(key, value);
  const { kind } = await transaction.commit();
  transaction.release();
  if (kind !== 'committed') throw new Error(`a batch ended as ${kind}`);
}

/** In ms; beside other work the time on processors says more than the time that went by. */
interface Opening {
  readonly took: number;
  readonly processor: number;
}

/** Until the first read is answered. */
async function timed(path: string): Promise<Opening> {
  const from = performance.now();
  const used = process.cpuUsage();
  const store = await open(path);
  const view = store.snapshot();
  const key = Buffer.from('key 000000000100');
  for (let value = view.get(key); isPending(value); value = view.get(key)) await value;
  view.release();
  const took = performance.now() - from;
  const { user, system } = process.cpuUsage(used);
  await store.close();
  return { took, processor: (user + system) / 1000 };
}

function verdict(name: string, allowed: number, times: readonly Opening[]): Measurement {
  const sorted = times.toSorted((a, b) => a.took - b.took);
  const { took, processor } = sorted[Math.floor(times.length / 2)] as Opening;
  return {
    name: `${name}, against the time allowed`,
    goal: 1,
    ratio: allowed / took,
    subject: `${Math.round(took)} ms (${Math.round(processor)} ms on processors)`,
    reference: `${allowed} ms`,
  };
}

function temporary() {
  const path = mkdtempSync(join(tmpdir(), 'svc-bench-opening-'));
  const dispose = async () => rmSync(path, { recursive: true, force: true });
  return { path, [Symbol.asyncDispose]: dispose };
}
