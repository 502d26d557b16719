/** The bare engine against LevelDB in one process: a million entries of 16-byte keys and 100-byte values. */

import { makeEntries, shuffled } from './engine/entries.ts';
import { openLevelDb } from './engine/level-db.ts';
import type { Subject, SubjectOptions } from './engine/subject.ts';
import { openSvcStore } from './engine/svc-store.ts';
import { type Measurement, pair } from './measure.ts';

const entryCount = 1_000_000;
const getCount = 200_000;
/** Both hold everything in their caches. */
const cacheBytes = 256 << 20;
const goals = { gets: 1, scans: 1, puts: 0.7, load: 0.7 };

type Open = (options: SubjectOptions) => Promise<Subject>;

export async function benchEngine(isQuick: boolean): Promise<readonly Measurement[]> {
  const entries = makeEntries(entryCount, 1);
  const rounds = isQuick ? 3 : 5;
  return [
    ...(await benchWarmReads(entries, rounds)),
    ...(await benchPuts(entries, rounds)),
    ...(await benchSyncedPuts(entries, rounds)),
    await benchLoad(entries, rounds),
  ];
}

type Entries = ReturnType<typeof makeEntries>;

async function benchWarmReads(entries: Entries, rounds: number): Promise<readonly Measurement[]> {
  const options = { isDurable: false, cacheBytes };
  await using store = await openSvcStore(options);
  await using level = await openLevelDb(options);
  const mixed = shuffled(entries, 2);
  const keys = shuffled(entries, 3)
    .slice(0, getCount)
    .map(({ key }) => key);
  for (const subject of [store, level]) {
    await subject.put(mixed, 1000);
    await subject.settle();
    await rateOf(entryCount, () => subject.scan());
    await rateOf(entryCount, () => subject.get(entries.map(({ key }) => key)));
  }
  const gets = (subject: Subject) => () => rateOf(getCount, () => subject.get(keys));
  const scans = (subject: Subject) => () => rateOf(entryCount, () => subject.scan());
  return [
    await pair('engine: warm random gets, against LevelDB', goals.gets, rounds, {
      subject: gets(store),
      reference: gets(level),
    }),
    await pair('engine: warm scan of everything, against LevelDB', goals.scans, rounds, {
      subject: scans(store),
      reference: scans(level),
    }),
  ];
}

/** Random order into a store that holds every key: a quarter of a million overwrites a round. */
async function benchPuts(entries: Entries, rounds: number): Promise<readonly Measurement[]> {
  const results: Measurement[] = [];
  for (const batchSize of [100, 1000]) {
    const options = { isDurable: false, cacheBytes };
    await using store = await openSvcStore(options);
    await using level = await openLevelDb(options);
    for (const subject of [store, level]) await subject.put(shuffled(entries, 4), 1000);
    for (const subject of [store, level]) await subject.settle();
    let seed = 5;
    const puts = (subject: Subject) => () => {
      const batch = shuffled(entries, seed++).slice(0, entryCount / 4);
      return rateOf(batch.length, () => subject.put(batch, batchSize));
    };
    const name = `engine: random puts in batches of ${batchSize}, without sync, against LevelDB`;
    const sides = { subject: puts(store), reference: puts(level) };
    results.push(await pair(name, goals.puts, rounds, sides));
  }
  return results;
}

async function benchSyncedPuts(entries: Entries, rounds: number): Promise<readonly Measurement[]> {
  const options = { isDurable: true, cacheBytes };
  const results: Measurement[] = [];
  for (const batchSize of [100, 1000]) {
    await using store = await openSvcStore(options);
    await using level = await openLevelDb(options);
    let seed = 5;
    const puts = (subject: Subject) => () => {
      const batch = shuffled(entries, seed++).slice(0, 100 * batchSize);
      return rateOf(batch.length, () => subject.put(batch, batchSize));
    };
    const name = `engine: random puts in batches of ${batchSize}, each synced, against LevelDB`;
    const sides = { subject: puts(store), reference: puts(level) };
    results.push(await pair(name, goals.puts, rounds, sides));
  }
  return results;
}

/** A fresh store each time; it counts as loaded when the last batch is acknowledged. */
async function benchLoad(entries: Entries, rounds: number): Promise<Measurement> {
  const load = (open: Open) => async () => {
    await using subject = await open({ isDurable: false, cacheBytes });
    return await rateOf(entryCount, () => subject.put(entries, 1000));
  };
  const sides = { subject: load(openSvcStore), reference: load(openLevelDb) };
  return pair('engine: load in key order, against LevelDB', goals.load, rounds, sides);
}

/** Operations per second of `work`, which says how many it has done, if it counts them. */
async function rateOf(expected: number, work: () => unknown) {
  const started = performance.now();
  const done = await work();
  const seconds = (performance.now() - started) / 1000;
  if (typeof done === 'number' && done !== expected) {
    throw new Error(`${done} of ${expected} entries were found`);
  }
  return expected / seconds;
}
