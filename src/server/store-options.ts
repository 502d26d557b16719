/** The `--store-*` options of `svc serve`: the one list that reading, help and documentation are made of (docs/cli.md). */

import { storeDefaults as defaults, type StoreTuning } from '#storage';
import { type Option, refusal } from './option.ts';
import { choice, count, directory, type StoreOption, toggle } from './store-option.ts';

const kib = 1 << 10;
const mib = 1 << 20;

export const storeOptions: readonly StoreOption[] = [
  count('store-decoded-cache-size-mib', {
    member: 'cacheBytes',
    otherwise: defaults.cacheBytes / mib,
    min: 16,
    max: 1 << 20,
    unit: mib,
    description: 'memory for blocks (four fifths) and indexes (one fifth) of tables, at least 16',
  }),
  toggle('store-scan-cache-blocks', {
    member: 'scansFillCache',
    description:
      'scans put the blocks of every table into that memory, not only of tables that fit into half of it',
  }),
  count('store-scan-read-ahead-kib', {
    member: 'scanReadAheadBytes',
    otherwise: defaults.scanReadAheadBytes / kib,
    max: 1 << 20,
    unit: kib,
    description: 'what a scan that goes on fetches from a bucket at once',
  }),
  count('store-scan-max-fetch-tasks', {
    member: 'scanFetchesMax',
    otherwise: defaults.scanFetchesMax,
    max: 1024,
    description: 'fetches from a bucket that one scan has under way',
  }),
  count('store-flush-interval-ms', {
    member: 'flushIntervalMs',
    otherwise: defaults.flushIntervalMs,
    max: 3_600_000,
    description: 'the longest that commits gather before the log is written to a bucket',
  }),
  choice('store-commit-durability', ['durable', 'memory'], defaults.commitDurability, {
    tune: (commitDurability) => ({ commitDurability }),
    description: 'when a commit is acknowledged: once the log holds it durably, or before',
  }),
  count('store-l0-sst-size-mib', {
    member: 'memtableBytes',
    otherwise: defaults.memtableBytes / mib,
    max: 1024,
    unit: mib,
    description: 'commits in memory become a table when they have this size',
  }),
  count('store-max-wal-flushes-before-l0-flush', {
    member: 'logFlushesBeforeFlush',
    otherwise: defaults.logFlushesBeforeFlush,
    max: 1_000_000_000,
    description: 'or after so many flushes of the log, those of one flush interval counted as one',
  }),
  count('store-l0-max-ssts', {
    member: 'flushedTablesMax',
    otherwise: defaults.flushedTablesMax,
    max: 1024,
    description: 'tables of that kind; no more are made before some have been merged',
  }),
  count('store-l0-max-ssts-per-key', {
    member: 'flushedTablesPerKeyMax',
    otherwise: defaults.flushedTablesPerKeyMax,
    max: 1024,
    description: 'the same for those that may hold one and the same key',
  }),
  count('store-l0-flush-parallelism', {
    member: 'flushParallelism',
    otherwise: defaults.flushParallelism,
    max: 64,
    description: 'tables of that kind that are written at the same time',
  }),
  count('store-max-unflushed-mib', {
    member: 'unflushedBytesMax',
    otherwise: defaults.unflushedBytesMax / mib,
    max: 1 << 20,
    unit: mib,
    description: 'memory for commits that are in no table yet; beyond it writes wait',
  }),
  count('store-min-filter-keys', {
    member: 'filterKeysMin',
    otherwise: defaults.filterKeysMin,
    min: 0,
    max: 1_000_000_000,
    description: 'tables with fewer keys have no Bloom filter',
  }),
  count('store-bloom-bits-per-key', {
    member: 'bloomBitsPerKey',
    otherwise: defaults.bloomBitsPerKey,
    max: 64,
    description: 'size of Bloom filters',
  }),
  {
    ...choice('store-sst-block-size-kib', ['1', '2', '4', '8', '16', '32', '64'], '32', {
      tune: (size) => ({ blockBytes: Number(size) * kib }),
      description: 'the most that a block of a table takes: a power of two up to 64',
    }),
    argument: '<n>',
  },
  directory('store-object-cache-path', {
    member: 'objectCachePath',
    description:
      'where parts of tables of a bucket are kept on this machine, for this process alone',
  }),
  count('store-object-cache-size-mib', {
    member: 'objectCacheBytes',
    otherwise: defaults.objectCacheBytes / mib,
    max: 1 << 30,
    unit: mib,
    description: 'the most that these parts take',
  }),
  count('store-object-cache-part-size-kib', {
    member: 'objectCachePartBytes',
    otherwise: defaults.objectCachePartBytes / kib,
    max: 1 << 20,
    unit: kib,
    description: 'the size of such a part, which is fetched with one request',
  }),
  toggle('store-object-cache-on-flush', {
    member: 'objectCacheOnFlush',
    description: 'tables made of commits are kept there at once, not when they are first read',
  }),
  toggle('store-object-cache-on-compaction', {
    member: 'objectCacheOnCompaction',
    description: 'the same for merged tables',
  }),
  choice('store-object-cache-preload', ['none', 'l0', 'all'], defaults.objectCachePreload, {
    tune: (objectCachePreload) => ({ objectCachePreload }),
    description:
      'tables whose parts are fetched at the start: those not merged yet, or all that fit',
  }),
];

/**
 * Each option from its flag or variable, then what they have to do with each other and with the kind of storage. Throws a
 * RefusedOption.
 */
export function readStoreOptions(
  option: (name: string, variable: string) => Option,
  storage: 'memory' | 'file' | 's3',
): StoreTuning {
  const given = new Map<string, Option>();
  const tunings = storeOptions.map(({ name, read }) => {
    const own = option(name, `SVC_${storeVariable(name)}`);
    const found = own.value === undefined ? option(name, storeVariable(name)) : own;
    given.set(name, found);
    return read(found);
  });
  const tuning: StoreTuning = Object.assign({}, ...tunings);
  const stray = given.get('store-object-cache-path');
  if (storage !== 's3' && stray?.isFlag) throw refusal(stray, '--storage s3 beside it');
  for (const { lower, upper, areInOrder } of pairs) {
    if (areInOrder(tuning)) continue;
    const low = given.get(lower) as Option;
    const high = given.get(upper) as Option;
    throw low.value !== undefined
      ? refusal(low, `at most ${describe(high)}`)
      : refusal(high, `at least ${describe(low)}`);
  }
  return tuning;
}

/** The shorter variable of a `--store-*` flag; the one with `SVC_` in front comes before it. */
export function storeVariable(name: string): string {
  return name.replaceAll('-', '_').toUpperCase();
}

/** The first may not be above the second. */
const pairs = [
  {
    lower: 'store-l0-max-ssts-per-key',
    upper: 'store-l0-max-ssts',
    areInOrder: (tuning: StoreTuning) =>
      (tuning.flushedTablesPerKeyMax ?? 0) <= (tuning.flushedTablesMax ?? 0),
  },
  {
    lower: 'store-object-cache-part-size-kib',
    upper: 'store-object-cache-size-mib',
    areInOrder: (tuning: StoreTuning) =>
      (tuning.objectCachePartBytes ?? 0) <= (tuning.objectCacheBytes ?? 0),
  },
  {
    lower: 'store-l0-sst-size-mib',
    upper: 'store-max-unflushed-mib',
    areInOrder: (tuning: StoreTuning) =>
      (tuning.memtableBytes ?? 0) <= (tuning.unflushedBytesMax ?? 0),
  },
] as const;

function describe({ name, value }: Option): string {
  const otherwise = storeOptions.find((option) => option.name === name)?.otherwise;
  return `--${name}, which is ${value ?? otherwise}`;
}
