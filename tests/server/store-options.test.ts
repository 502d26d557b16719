/** The `--store-*` options: flag and variable of each, what is refused, and with what words (docs/cli.md). */

import { describe, expect, test } from 'bun:test';
import { RefusedOption, readConfiguration, storeOptions, storeVariable } from '#server';
import { type StoreTuning, storeDefaults } from '#storage';

const kib = 1 << 10;
const mib = 1 << 20;

/** An allowed value of each, and what it makes of the store. */
const examples: Readonly<Record<string, readonly [value: string, tuning: StoreTuning]>> = {
  'store-decoded-cache-size-mib': ['16', { cacheBytes: 16 * mib }],
  'store-scan-cache-blocks': ['yes', { scansFillCache: true }],
  'store-scan-read-ahead-kib': ['1', { scanReadAheadBytes: kib }],
  'store-scan-max-fetch-tasks': ['7', { scanFetchesMax: 7 }],
  'store-flush-interval-ms': ['250', { flushIntervalMs: 250 }],
  'store-commit-durability': ['memory', { commitDurability: 'memory' }],
  'store-l0-sst-size-mib': ['8', { memtableBytes: 8 * mib }],
  'store-max-wal-flushes-before-l0-flush': ['9', { logFlushesBeforeFlush: 9 }],
  'store-l0-max-ssts': ['12', { flushedTablesMax: 12 }],
  'store-l0-max-ssts-per-key': ['1', { flushedTablesPerKeyMax: 1 }],
  'store-l0-flush-parallelism': ['2', { flushParallelism: 2 }],
  'store-max-unflushed-mib': ['64', { unflushedBytesMax: 64 * mib }],
  'store-min-filter-keys': ['0', { filterKeysMin: 0 }],
  'store-bloom-bits-per-key': ['3', { bloomBitsPerKey: 3 }],
  'store-sst-block-size-kib': ['4', { blockBytes: 4 * kib }],
  'store-object-cache-path': ['/cache', { objectCachePath: '/cache' }],
  'store-object-cache-size-mib': ['5', { objectCacheBytes: 5 * mib }],
  'store-object-cache-part-size-kib': ['64', { objectCachePartBytes: 64 * kib }],
  'store-object-cache-on-flush': ['1', { objectCacheOnFlush: true }],
  'store-object-cache-on-compaction': ['true', { objectCacheOnCompaction: true }],
  'store-object-cache-preload': ['l0', { objectCachePreload: 'l0' }],
};

const range = (from: number, to: number) => `an integer from ${from} to ${to}`;

/** Refused values of each, and what is said to be allowed. */
const refused: Readonly<Record<string, readonly [values: readonly string[], allowed: string]>> = {
  'store-decoded-cache-size-mib': [['15', '0', '-16', '16.5'], range(16, 1_048_576)],
  'store-scan-cache-blocks': [['on', 'True', '2'], 'one of 1, true, yes, 0, false, no'],
  'store-scan-read-ahead-kib': [['0', 'x'], range(1, 1_048_576)],
  'store-scan-max-fetch-tasks': [['0', '1025'], range(1, 1024)],
  'store-flush-interval-ms': [['0', '1e2'], range(1, 3_600_000)],
  'store-commit-durability': [['none', 'Memory'], 'one of durable, memory'],
  'store-l0-sst-size-mib': [['0', '1025'], range(1, 1024)],
  'store-max-wal-flushes-before-l0-flush': [['0'], range(1, 1_000_000_000)],
  'store-l0-max-ssts': [['0'], range(1, 1024)],
  'store-l0-max-ssts-per-key': [['0'], range(1, 1024)],
  'store-l0-flush-parallelism': [['0', '65'], range(1, 64)],
  'store-max-unflushed-mib': [['0'], range(1, 1_048_576)],
  'store-min-filter-keys': [['-1'], range(0, 1_000_000_000)],
  'store-bloom-bits-per-key': [['0', '65'], range(1, 64)],
  'store-object-cache-path': [[], 'a directory'],
  'store-object-cache-size-mib': [['0'], range(1, 1_073_741_824)],
  'store-object-cache-part-size-kib': [['0'], range(1, 1_048_576)],
  'store-object-cache-on-flush': [['maybe'], 'one of 1, true, yes, 0, false, no'],
  'store-object-cache-on-compaction': [['maybe'], 'one of 1, true, yes, 0, false, no'],
  'store-object-cache-preload': [['L0', 'some'], 'one of none, l0, all'],
  'store-sst-block-size-kib': [['0', '3', '128', '4.0'], 'one of 1, 2, 4, 8, 16, 32, 64'],
};

/** Of a server on a bucket, where every option counts. */
function read(flags: Record<string, string>, env: Record<string, string> = {}): StoreTuning {
  const credentials = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };
  const bucket = { storage: 's3', 's3-bucket': 'bucket', 's3-region': 'here' };
  return readConfiguration({ ...bucket, ...flags }, { ...credentials, ...env }).tuning;
}

test('every option is tested here', () => {
  const names = storeOptions.map(({ name }) => name);
  expect(Object.keys(examples)).toEqual(names);
  expect(Object.keys(refused).toSorted()).toEqual(names.toSorted());
});

test('the defaults that are shown are the defaults that hold', () => {
  const valued = storeOptions.filter(({ argument }) => argument !== '<directory>');
  const shown = Object.fromEntries(valued.map(({ name, otherwise }) => [name, otherwise]));
  expect(read(shown)).toEqual(read({}));
  expect(storeDefaults).toMatchObject(read({}));
});

describe.each(storeOptions.map(({ name }) => name))('--%s', (name) => {
  const [value, tuning] = examples[name] as (typeof examples)[string];
  const variable = storeVariable(name);

  test(`as flag and as ${variable}`, () => {
    expect(variable).toMatch(/^STORE_[A-Z0-9_]+$/);
    expect(read({ [name]: value })).toEqual({ ...read({}), ...tuning });
    expect(read({}, { [variable]: value })).toEqual({ ...read({}), ...tuning });
    expect(read({}, { [variable]: '' })).toEqual(read({}));
    expect(read({}, { [`SVC_${variable}`]: value })).toEqual({ ...read({}), ...tuning });
    const both = { [`SVC_${variable}`]: value, [variable]: 'ignored' };
    expect(read({}, both)).toEqual({ ...read({}), ...tuning });
  });

  test('refused values', () => {
    const [values, allowed] = refused[name] as (typeof refused)[string];
    for (const wrong of values) {
      const message = `is "${wrong}": expected ${allowed}`;
      expect(() => read({ [name]: wrong })).toThrow(new RefusedOption(`--${name}`, wrong, allowed));
      expect(() => read({}, { [variable]: wrong })).toThrow(`${variable} ${message}`);
    }
    expect(() => read({ [name]: '' })).toThrow(RefusedOption);
  });
});

test.each(['1', 'true', 'yes'])('a boolean is on with %s', (value) => {
  expect(read({ 'store-scan-cache-blocks': value }).scansFillCache).toBe(true);
});

test.each(['0', 'false', 'no'])('a boolean is off with %s', (value) => {
  const env = { STORE_SCAN_CACHE_BLOCKS: 'true' };
  expect(read({ 'store-scan-cache-blocks': value }, env).scansFillCache).toBe(false);
});

describe('options that depend on each other', () => {
  test('a key cannot be in more flushed tables than there are', () => {
    expect(() => read({ 'store-l0-max-ssts-per-key': '9' })).toThrow(
      '--store-l0-max-ssts-per-key is "9": expected at most --store-l0-max-ssts, which is 8',
    );
    expect(() => read({ 'store-l0-max-ssts': '4' })).toThrow(
      '--store-l0-max-ssts is "4": expected at least --store-l0-max-ssts-per-key, which is 8',
    );
    expect(() => read({}, { STORE_L0_MAX_SSTS: '4', STORE_L0_MAX_SSTS_PER_KEY: '5' })).toThrow(
      'STORE_L0_MAX_SSTS_PER_KEY is "5": expected at most --store-l0-max-ssts, which is 4',
    );
    const both = { 'store-l0-max-ssts': '4', 'store-l0-max-ssts-per-key': '4' };
    expect(read(both)).toMatchObject({ flushedTablesMax: 4, flushedTablesPerKeyMax: 4 });
  });

  test('an object cache holds at least one part', () => {
    expect(() => read({ 'store-object-cache-size-mib': '3' })).toThrow(
      '--store-object-cache-size-mib is "3": expected at least --store-object-cache-part-size-kib, which is 4096',
    );
  });

  test('an object cache is for a bucket', () => {
    const flags = { storage: 'file', 'store-object-cache-path': '/cache' };
    expect(() => readConfiguration(flags, {})).toThrow(
      '--store-object-cache-path is "/cache": expected only with --storage s3',
    );
  });

  test('memory holds at least one memtable', () => {
    expect(() => read({ 'store-max-unflushed-mib': '63' })).toThrow(
      '--store-max-unflushed-mib is "63": expected at least --store-l0-sst-size-mib, which is 64',
    );
    expect(() => read({ 'store-l0-sst-size-mib': '65', 'store-max-unflushed-mib': '64' })).toThrow(
      '--store-l0-sst-size-mib is "65": expected at most --store-max-unflushed-mib, which is 64',
    );
  });
});
