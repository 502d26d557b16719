import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { BlockCache } from '../../../src/storage/cache/block-cache.ts';
import { Lookup } from '../../../src/storage/cursor/lookup.ts';
import type { CursorSource } from '../../../src/storage/cursor/source.ts';
import type { ObjectReader } from '../../../src/storage/object/store.ts';
import { SortedRun } from '../../../src/storage/table/sorted-run.ts';
import { openTable, writeTable } from '../files.ts';
import {
  anyDirection,
  anyKey,
  anyRange,
  anyWrites,
  byKeyNewestFirst,
  Model,
  readAll,
  type Version,
} from '../model.ts';

async function get(
  source: CursorSource,
  key: Uint8Array,
  snapshot: number,
  lookup = new Lookup(),
): Promise<string | undefined> {
  lookup.ask(key, snapshot);
  for (;;) {
    const found = source.find(lookup);
    if (found instanceof Promise) await found;
    else if (!found || lookup.isTombstone) return undefined;
    else return Buffer.from(lookup.bytes()).toString('hex');
  }
}

const modelOf = (versions: readonly Version[]): Model => {
  const model = new Model();
  for (const version of versions) model.write(version);
  return model;
};

const anyTableOptions = fc.record({
  blockBytes: fc.constantFrom(150, 300, 32 * 1024),
  blockRowsMax: fc.constantFrom(1, 2, 7, 1024),
  filterKeysMin: fc.constantFrom(0, 1000),
});

const numberKey = (n: number): Uint8Array => {
  const key = new Uint8Array(8);
  new DataView(key.buffer).setUint32(4, n);
  return key;
};
const everything = { from: new Uint8Array(0), to: undefined };

describe('against the model', () => {
  const anyTable = anyWrites(60).filter((writes) => writes.length > 0);

  test('gets and scans at any snapshot, read at once or late', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyTable,
        anyTableOptions,
        fc.record({ key: anyKey, range: anyRange, direction: anyDirection, snapshot: fc.nat(61) }),
        fc.record({ isLate: fc.boolean(), scansFillCache: fc.boolean(), small: fc.boolean() }),
        async (writes, options, { key, range, direction, snapshot }, { small, ...read }) => {
          const model = modelOf(writes);
          const cache = new BlockCache(small ? 1 : 1 << 20);
          const table = openTable(writeTable(writes, options), { ...read, cache });
          expect(await get(table, key, snapshot)).toBe(model.get(key, snapshot));
          // One lookup for all of them begins each read where the one before found something.
          const lookup = new Lookup();
          for (const { key: written } of [...writes, { key }, ...writes]) {
            const found = await get(table, written, snapshot, lookup);
            expect(found).toBe(model.get(written, snapshot));
          }
          expect(await readAll(table.scan(range, direction, snapshot))).toEqual(
            model.scan(range, direction, snapshot),
          );
        },
      ),
      { numRuns: 400 },
    );
  });

  test('all versions in a range', async () => {
    await fc.assert(
      fc.asyncProperty(anyTable, anyTableOptions, anyRange, async (writes, options, range) => {
        const cursor = openTable(writeTable(writes, options)).versions(range);
        const seen: unknown[] = [];
        while (cursor.next()) {
          const key = cursor.key.slice(cursor.keyFrom, cursor.keyTo);
          seen.push([key.toHex(), cursor.sequence, cursor.isTombstone]);
        }
        const expected = writes
          .filter(({ key }) => Buffer.compare(key, range.from) >= 0)
          .filter(({ key }) => range.to === undefined || Buffer.compare(key, range.to) < 0)
          .toSorted(byKeyNewestFirst)
          .map(({ key, sequence, value }) => [key.toHex(), sequence, value === undefined]);
        expect(seen).toEqual(expected);
      }),
      { numRuns: 200 },
    );
  });

  test('a run of tables reads as one', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyTable,
        fc.array(anyKey, { maxLength: 4 }),
        fc.record({ key: anyKey, range: anyRange, direction: anyDirection, snapshot: fc.nat(61) }),
        fc.boolean(),
        async (writes, cuts, { key, range, direction, snapshot }, isLate) => {
          const sorted = cuts.toSorted(Buffer.compare);
          const groups = Object.groupBy(
            writes,
            (write) => sorted.filter((cut) => Buffer.compare(cut, write.key) <= 0).length,
          );
          const tables = Object.values(groups).map((group = [], i) =>
            openTable(writeTable(group, { blockRowsMax: 3 }, `sst/0000000001-${i}`), { isLate }),
          );
          const run = new SortedRun(tables);
          const model = modelOf(writes);
          expect(await get(run, key, snapshot)).toBe(model.get(key, snapshot));
          expect(await readAll(run.scan(range, direction, snapshot))).toEqual(
            model.scan(range, direction, snapshot),
          );
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('a large table', () => {
  const count = 50_000;
  const versions = Array.from({ length: count }, (_, i) => ({
    key: numberKey(2 * i),
    value: new Uint8Array(i % 40).fill(i),
    sequence: i + 1,
  }));
  const file = writeTable(versions);

  test('facts for the manifest', () => {
    expect(file.entry).toMatchObject({
      bytes: file.bytes.length,
      smallest: numberKey(0),
      largest: numberKey(2 * count - 2),
      entries: count,
      sequenceMin: 1,
      sequenceMax: count,
    });
    expect(writeTable(versions).entry.hash).toBe(file.entry.hash);
    expect(writeTable(versions.slice(1)).entry.hash).not.toBe(file.entry.hash);
  });

  test('every key in both directions, none in between', async () => {
    const table = openTable(file);
    for (const direction of ['forward', 'backward'] as const) {
      const cursor = table.scan(everything, direction, count);
      for (let i = 0; i < count; i++) {
        expect(cursor.next()).toBe(true);
        const at = direction === 'forward' ? i : count - 1 - i;
        const key = Buffer.from(cursor.key.subarray(cursor.keyFrom, cursor.keyTo)).readUInt32BE(4);
        if (key !== 2 * at) throw new Error(`key ${key} at ${at}`);
        if (cursor.valueTo - cursor.valueFrom !== at % 40) throw new Error(`value at ${at}`);
      }
      expect(cursor.next()).toBe(false);
    }
    for (let i = 0; i < count; i += 61) {
      expect(await get(table, numberKey(2 * i), count)).toBe(
        Buffer.from(new Uint8Array(i % 40).fill(i)).toString('hex'),
      );
      expect(await get(table, numberKey(2 * i + 1), count)).toBeUndefined();
    }
  });

  test('the filter spares nearly all absent keys a block', async () => {
    const cache = new BlockCache(1 << 24);
    const table = openTable(file, { cache });
    for (let i = 0; i < count; i++) await get(table, numberKey(2 * i + 1), count);
    const looked = cache.data.hits + cache.data.misses;
    expect(looked / count).toBeLessThan(0.02);
  });

  test('point reads fill the cache, scans of large tables do not unless told so', async () => {
    const cache = new BlockCache(file.bytes.length);
    const table = openTable(file, { cache });
    await readAll(table.scan(everything, 'forward', count));
    expect(cache.data.entries).toBe(0);
    await get(table, numberKey(40), count);
    expect(cache.data.entries).toBe(1);
    await readAll(
      openTable(file, { cache, scansFillCache: true }).scan(everything, 'forward', count),
    );
    expect(cache.data.entries).toBeGreaterThan(30);
    table.close();
  });

  test('a scan of a part that the cache has room for fills it, however large the table is', async () => {
    const many = writeTable(versions, { blockBytes: 1024 });
    const cache = new BlockCache(many.bytes.length);
    const table = openTable(many, { cache });
    // The first one does not know yet where partitions lie.
    await readAll(table.scan({ from: numberKey(0), to: numberKey(1) }, 'forward', count));
    const few = { from: numberKey(2 * count - 100), to: undefined };
    await readAll(table.scan(few, 'forward', count));
    const filled = cache.data.entries;
    expect(filled).toBeGreaterThan(0);
    await readAll(table.scan(everything, 'forward', count));
    expect(cache.data.entries).toBe(filled);
    table.close();
  });

  test('late reads of one block are one read', async () => {
    const cache = new BlockCache(1 << 24);
    const table = openTable(file, { cache, isLate: true });
    const reads = Array.from({ length: 10 }, () => get(table, numberKey(40), count));
    expect(new Set(await Promise.all(reads)).size).toBe(1);
    expect([cache.data.misses, cache.metadata.misses]).toEqual([1, 1]);
  });

  test('blocks keep to the size they were given', () => {
    for (const blockBytes of [1024, 4096, 16_384]) {
      const written = writeTable(versions, { blockBytes });
      const view = new DataView(written.bytes.buffer, written.bytes.byteOffset);
      const blocks = view.getUint32(written.bytes.length - 64 + 8, true);
      expect(written.bytes.length / blocks).toBeLessThan(blockBytes);
    }
  });
});

test('sequences further apart than 2^32 survive', async () => {
  const writes = [
    { key: numberKey(1), value: numberKey(1), sequence: 2 ** 45 },
    { key: numberKey(1), value: numberKey(2), sequence: 7 },
    { key: numberKey(2), value: numberKey(3), sequence: 2 ** 33 },
  ];
  const table = openTable(writeTable(writes));
  expect(await get(table, numberKey(1), 2 ** 45)).toBe('0000000000000001');
  expect(await get(table, numberKey(1), 2 ** 45 - 1)).toBe(
    Buffer.from(numberKey(2)).toString('hex'),
  );
  expect(await get(table, numberKey(2), 2 ** 33 - 1)).toBeUndefined();
});

test('a long key and a value larger than any block', async () => {
  const key = new Uint8Array(70_000).fill(3);
  const value = new Uint8Array(200_000).fill(9);
  const writes = [
    { key, value, sequence: 1 },
    { key: new Uint8Array([...key, 1]), value: numberKey(5), sequence: 2 },
    { key: new Uint8Array([...key, 1]), value, sequence: 1 },
  ];
  const table = openTable(writeTable(writes));
  expect(await get(table, key, 5)).toBe(Buffer.from(value).toString('hex'));
  expect(await get(table, new Uint8Array([...key, 1]), 5)).toBe('0000000000000005');
  expect(await readAll(table.scan(everything, 'backward', 1))).toHaveLength(2);
});

test('keys outside the manifest entry do not exist', async () => {
  const writes = [1, 2, 3].map((n) => ({ key: numberKey(n), value: numberKey(n), sequence: n }));
  const file = writeTable(writes);
  const table = openTable({ ...file, entry: { ...file.entry, smallest: numberKey(2) } });
  expect(await get(table, numberKey(1), 9)).toBeUndefined();
  expect(await readAll(table.scan(everything, 'backward', 9))).toHaveLength(2);
  expect(await readAll(table.scan(everything, 'forward', 9))).toHaveLength(2);
});

test('a table that goes on with another file closes the one before', () => {
  const versions = [{ key: numberKey(1), sequence: 1, value: new Uint8Array([1]) }];
  const table = openTable(writeTable(versions));
  let closed = 0;
  const reader = () => ({ close: () => closed++ }) as unknown as ObjectReader;
  table.reopen(reader());
  expect(closed).toBe(0);
  table.reopen(reader());
  expect(closed).toBe(1);
});
