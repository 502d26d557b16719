/** Scans over tables that are not local: how much they fetch at once, how often at the same time, and no more than they need. */

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { BlockCache } from '../../../src/storage/cache/block-cache.ts';
import type { InternalCursor } from '../../../src/storage/cursor/internal-cursor.ts';
import type { ObjectReader } from '../../../src/storage/object/store.ts';
import { SsTable } from '../../../src/storage/table/ss-table.ts';
import { readerOf, type TableFile, writeTable } from '../files.ts';
import { readAll, type Version } from '../model.ts';

const blockBytes = 1024;
const keyOf = (i: number) => new Uint8Array(Buffer.from(String(i).padStart(6, '0')));
const versions = Array.from({ length: 3000 }, (_, i): Version => {
  return { key: keyOf(i), sequence: i + 1, value: new Uint8Array(60).fill(i % 251) };
});
const file = writeTable(versions, { blockBytes });
const snapshot = versions.length;

interface Remote {
  readonly reader: ObjectReader;
  /** Bytes of each read, in order. */
  readonly reads: number[];
  underWay: number;
  most: number;
  failures: number;
}

/** Each read takes a few turns, the later ones fewer: answers overtake each other. */
function remoteOf({ entry, bytes }: TableFile): Remote {
  const inner = readerOf(entry.name, bytes);
  const remote: Remote = {
    reads: [],
    underWay: 0,
    most: 0,
    failures: 0,
    reader: {
      ...inner,
      async readInto(offset, target) {
        remote.reads.push(target.length);
        remote.underWay++;
        remote.most = Math.max(remote.most, remote.underWay);
        for (let turns = 7 - (remote.reads.length % 5); turns > 0; turns--) await null;
        remote.underWay--;
        if (remote.failures > 0) {
          remote.failures--;
          throw new Error('the network is down');
        }
        return inner.readInto(offset, target);
      },
    },
  };
  return remote;
}

function scan(
  remote: Remote,
  bounds: { scanReadAheadBytes: number; scanFetchesMax: number },
  range = { from: keyOf(0), to: keyOf(3000) },
  direction: 'forward' | 'backward' = 'forward',
): InternalCursor {
  const table = new SsTable(remote.reader, file.entry, {
    cache: new BlockCache(1 << 20),
    readAhead: bounds,
  });
  return table.scan(range, direction, snapshot);
}

const keysOf = async (cursor: InternalCursor) => (await readAll(cursor)).map(([key]) => key);
const hex = (i: number) => Buffer.from(keyOf(i)).toString('hex');

describe('a scan of everything', () => {
  test('fetches stretches of the size asked for, and so many at a time', async () => {
    const remote = remoteOf(file);
    expect(
      await readAll(scan(remote, { scanReadAheadBytes: 8192, scanFetchesMax: 3 })),
    ).toHaveLength(3000);
    expect(remote.most).toBe(4); // Three stretches and the index of the next partition.
    expect(Math.max(...remote.reads.filter((bytes) => bytes % 8 !== 4))).toBeLessThanOrEqual(8192);
    const small = remoteOf(file);
    await readAll(scan(small, { scanReadAheadBytes: 1, scanFetchesMax: 1 }));
    expect(small.most).toBe(2);
    expect(small.reads.length).toBeGreaterThan(5 * remote.reads.length);
  });

  test('goes on after a failed fetch', async () => {
    const remote = remoteOf(file);
    const cursor = scan(remote, { scanReadAheadBytes: 4096, scanFetchesMax: 4 });
    const seen: string[] = [];
    let failures = 0;
    for (;;) {
      const moved = cursor.next();
      if (moved instanceof Promise) {
        await moved.catch(() => failures++);
        continue;
      }
      if (!moved) break;
      seen.push(Buffer.from(cursor.key.subarray(cursor.keyFrom, cursor.keyTo)).toString());
      if (seen.length === 1000) remote.failures = 3;
    }
    expect(failures).toBeGreaterThan(0);
    expect(seen).toEqual(versions.map(({ key }) => Buffer.from(key).toString()));
  });
});

test('a short scan fetches the index and one block', async () => {
  const remote = remoteOf(file);
  const range = { from: keyOf(500), to: keyOf(502) };
  expect(
    await keysOf(scan(remote, { scanReadAheadBytes: 1 << 20, scanFetchesMax: 4 }, range)),
  ).toEqual([hex(500), hex(501)]);
  // Footer, top index, partition, and one block or two when the range lies across.
  expect(remote.reads.length).toBeLessThanOrEqual(5);
});

test('nothing behind the end of the range is fetched', async () => {
  const bounds = { scanReadAheadBytes: 1 << 20, scanFetchesMax: 4 };
  const all = remoteOf(file);
  await readAll(scan(all, bounds));
  const half = remoteOf(file);
  await readAll(scan(half, bounds, { from: keyOf(0), to: keyOf(300) }));
  const sum = (reads: readonly number[]) => reads.reduce((total, bytes) => total + bytes, 0);
  expect(sum(half.reads)).toBeLessThan(sum(all.reads) / 4);
});

test('any range in any direction shows what it should', async () => {
  const bound = fc.nat(3000);
  const bounds = fc.record({
    scanReadAheadBytes: fc.constantFrom(1, 1500, 5000, 1 << 20),
    scanFetchesMax: fc.integer({ min: 1, max: 5 }),
  });
  await fc.assert(
    fc.asyncProperty(bound, bound, fc.boolean(), bounds, async (a, b, isForward, given) => {
      const [from, to] = [Math.min(a, b), Math.max(a, b)];
      const direction = isForward ? 'forward' : 'backward';
      const cursor = scan(remoteOf(file), given, { from: keyOf(from), to: keyOf(to) }, direction);
      const expected = Array.from({ length: to - from }, (_, i) => hex(from + i));
      expect(await keysOf(cursor)).toEqual(isForward ? expected : expected.reverse());
    }),
    { numRuns: 40 },
  );
});
