/** The `--store-*` options of `svc serve`. Parsing, help and documentation all use this list (docs/cli.md). */

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
    description:
      'memory for cached blocks (four fifths) and indexes (one fifth) of SSTables, at least 16',
  }),
  toggle('store-scan-cache-blocks', {
    member: 'scansFillCache',
    description:
      'let every scan fill the block cache, not only scans that read at most half of its size from an SSTable',
  }),
  count('store-scan-read-ahead-kib', {
    member: 'scanReadAheadBytes',
    otherwise: defaults.scanReadAheadBytes / kib,
    max: 1 << 20,
    unit: kib,
    description: 'read-ahead of a continuing scan: size of one fetch from a bucket',
  }),
  count('store-scan-max-fetch-tasks', {
    member: 'scanFetchesMax',
    otherwise: defaults.scanFetchesMax,
    max: 1024,
    description:
      'maximum number of concurrent fetches of one scan, or of one batch of keys, from a bucket',
  }),
  count('store-flush-interval-ms', {
    member: 'flushIntervalMs',
    otherwise: defaults.flushIntervalMs,
    max: 3_600_000,
    description:
      'maximum time for which commits are collected before the log is written to a bucket',
  }),
  choice('store-commit-durability', ['durable', 'memory'], defaults.commitDurability, {
    tune: (commitDurability) => ({ commitDurability }),
    description:
      'durable: acknowledge a commit when the log contains it durably; memory: acknowledge it before',
  }),
  count('store-l0-sst-size-mib', {
    member: 'memtableBytes',
    otherwise: defaults.memtableBytes / mib,
    max: 1024,
    unit: mib,
    description: 'flush the memtable to an L0 SSTable when it reaches this size',
  }),
  count('store-max-wal-flushes-before-l0-flush', {
    member: 'logFlushesBeforeFlush',
    otherwise: defaults.logFlushesBeforeFlush,
    max: 1_000_000_000,
    description:
      'flush the memtable to L0 after this many log flushes; all log flushes within one flush interval count as one',
  }),
  count('store-l0-max-ssts', {
    member: 'flushedTablesMax',
    otherwise: defaults.flushedTablesMax,
    max: 1024,
    description: 'maximum number of L0 SSTables; at the limit, flushes wait for compaction',
  }),
  count('store-l0-max-ssts-per-key', {
    member: 'flushedTablesPerKeyMax',
    otherwise: defaults.flushedTablesPerKeyMax,
    max: 1024,
    description:
      'maximum number of L0 SSTables whose key ranges contain the same key; at the limit, flushes wait for compaction',
  }),
  count('store-l0-flush-parallelism', {
    member: 'flushParallelism',
    otherwise: defaults.flushParallelism,
    max: 64,
    description: 'maximum number of L0 SSTables that are written at the same time',
  }),
  count('store-max-unflushed-mib', {
    member: 'unflushedBytesMax',
    otherwise: defaults.unflushedBytesMax / mib,
    max: 1 << 20,
    unit: mib,
    description: 'memory for commits that are not in an SSTable yet; above it, writes wait',
  }),
  count('store-min-filter-keys', {
    member: 'filterKeysMin',
    otherwise: defaults.filterKeysMin,
    min: 0,
    max: 1_000_000_000,
    description: 'minimum number of keys of an SSTable with a Bloom filter',
  }),
  count('store-bloom-bits-per-key', {
    member: 'bloomBitsPerKey',
    otherwise: defaults.bloomBitsPerKey,
    max: 64,
    description: 'size of Bloom filters, in bits for each key',
  }),
  {
    ...choice('store-sst-block-size-kib', ['1', '2', '4', '8', '16', '32', '64'], '32', {
      tune: (size) => ({ blockBytes: Number(size) * kib }),
      description: 'maximum size of a block of an SSTable: a power of two up to 64',
    }),
    argument: '<n>',
  },
  directory('store-object-cache-path', {
    member: 'objectCachePath',
    description:
      'local directory that caches parts of the SSTables of a bucket, for this process alone',
  }),
  count('store-object-cache-size-mib', {
    member: 'objectCacheBytes',
    otherwise: defaults.objectCacheBytes / mib,
    max: 1 << 30,
    unit: mib,
    description: 'maximum size of the object cache',
  }),
  count('store-object-cache-part-size-kib', {
    member: 'objectCachePartBytes',
    otherwise: defaults.objectCachePartBytes / kib,
    max: 1 << 20,
    unit: kib,
    description: 'size of a cached part, which is fetched with one request',
  }),
  toggle('store-object-cache-on-flush', {
    member: 'objectCacheOnFlush',
    description:
      'put flushed SSTables into the object cache when they are written, not when they are first read',
  }),
  toggle('store-object-cache-on-compaction', {
    member: 'objectCacheOnCompaction',
    description:
      'put compacted SSTables into the object cache when they are written, not when they are first read',
  }),
  choice('store-object-cache-preload', ['none', 'l0', 'all'], defaults.objectCachePreload, {
    tune: (objectCachePreload) => ({ objectCachePreload }),
    description:
      'SSTables to load into the object cache at startup: none, L0 only, or all that fit',
  }),
];

/**
 * Reads each option from its flag or variable, then checks the options against each other and against the kind of
 * storage. Throws a `RefusedOption`.
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
  if (storage !== 's3' && stray?.isFlag) throw refusal(stray, 'only with --storage s3');
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

/** Returns the short environment variable of a `--store-*` flag. The variable with the prefix `SVC_` takes precedence over it. */
export function storeVariable(name: string): string {
  return name.replaceAll('-', '_').toUpperCase();
}

/** Pairs of options whose first value must not exceed the second. */
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
