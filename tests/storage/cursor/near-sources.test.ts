/** Sources near a key answer as all sources together do. */

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { Lookup } from '../../../src/storage/cursor/lookup.ts';
import { NearSources } from '../../../src/storage/cursor/near-sources.ts';
import { findNewest, scanNewest } from '../../../src/storage/cursor/read-sources.ts';
import type { CursorSource } from '../../../src/storage/cursor/source.ts';
import { Memtable } from '../../../src/storage/memtable/memtable.ts';
import { SortedRun } from '../../../src/storage/table/sorted-run.ts';
import type { SsTable } from '../../../src/storage/table/ss-table.ts';
import { ManifestEntries } from '../../../src/storage/version/manifest-entries.ts';
import { openTable, writeTable } from '../files.ts';
import { anyKey, anyRange, anyWrites, byKeyNewestFirst, readAll, type Version } from '../model.ts';
import { anyCuts, sourcesOf } from './history-sources.ts';

/** The tables of a run: the history once more, divided by key. */
function runOf(writes: readonly Version[]): SortedRun {
  const keys = [...new Map(writes.map(({ key }) => [key.toHex(), key])).values()];
  keys.sort(Buffer.compare);
  const tables: SsTable[] = [];
  for (let from = 0; from < keys.length; from += 4) {
    const held = new Set(keys.slice(from, from + 3).map((key) => key.toHex()));
    const part = writes.filter(({ key }) => held.has(key.toHex()));
    const name = `sst/0000000002-${String(from).padStart(10, '0')}`;
    tables.push(openTable(writeTable(part, { blockRowsMax: 2 }, name)));
  }
  return new SortedRun(tables);
}

function answerOf(sources: readonly CursorSource[], lookup: Lookup, key: Uint8Array): string {
  const found = findNewest(sources, lookup.ask(key, 100));
  if (found !== true) return 'none';
  const { sequence, isTombstone } = lookup;
  return `${sequence} ${isTombstone ? 'deleted' : lookup.bytes().toHex()}`;
}

function allSources(writes: readonly Version[], cuts: readonly number[]): readonly CursorSource[] {
  const [first] = writes;
  const kept = new ManifestEntries(
    first?.value === undefined ? [] : [{ key: first.key, value: first.value, sequence: 99 }],
  );
  return [new Memtable(), kept, ...sourcesOf(writes, cuts, false), runOf(writes)];
}

test('reads by key, in order and out of order', () => {
  let fewer = 0;
  fc.assert(
    fc.property(
      anyWrites(60),
      anyCuts,
      fc.array(anyKey, { minLength: 1, maxLength: 30 }),
      fc.boolean(),
      (writes, cuts, keys, isInOrder) => {
        const all = allSources(writes, cuts);
        const near = new NearSources();
        const lookup = new Lookup();
        for (const key of isInOrder ? keys.toSorted(Buffer.compare) : keys) {
          const sources = near.ofKey(all, key);
          if (sources.length < all.length / 2) fewer++;
          expect(answerOf(sources, lookup, key)).toBe(answerOf(all, new Lookup(), key));
        }
      },
    ),
    { seed: 11, numRuns: 500 },
  );
  expect(fewer).toBeGreaterThan(500);
});

test('scans of ranges', async () => {
  await fc.assert(
    fc.asyncProperty(
      anyWrites(60),
      anyCuts,
      fc.array(anyRange, { minLength: 1, maxLength: 8 }),
      async (writes, cuts, ranges) => {
        const all = allSources(writes, cuts);
        const near = new NearSources();
        for (const range of ranges) {
          const sources = near.ofRange(all, range);
          expect(await readAll(scanNewest(sources, range, 'forward', 100))).toEqual(
            await readAll(scanNewest(all, range, 'forward', 100)),
          );
        }
      },
    ),
    { seed: 12, numRuns: 300 },
  );
});

test('a table with keys on both sides of a gap is not asked within it', () => {
  const key = (byte: number) => Uint8Array.of(1, byte);
  const value = Uint8Array.of(7);
  const wide = openTable(
    writeTable([1, 2, 200].map((byte) => ({ key: key(byte), value, sequence: 2 }))),
  );
  const bytes = Array.from({ length: 50 }, (_, i) => 100 + i);
  const dense = openTable(
    writeTable(
      bytes.map((byte) => ({ key: key(byte), value, sequence: 1 })).toSorted(byKeyNewestFirst),
      {},
      'sst/0000000001-0000000002',
    ),
  );
  // A table says nothing of its gaps before it has been read once.
  const lookup = new Lookup();
  expect(findNewest([wide], lookup.ask(key(2), 9))).toBe(true);
  const near = new NearSources();
  for (const byte of bytes) expect(near.ofKey([wide, dense], key(byte))).toEqual([dense]);
  expect(near.ofKey([wide, dense], key(200))).toContain(wide);
});

test('a damaged byte fails no read that would not have met it among all sources', () => {
  const key = (byte: number) => Uint8Array.of(1, byte);
  const value = Uint8Array.of(7);
  const wide = writeTable(
    [1, 2, 200].map((byte) => ({ key: key(byte), value, sequence: 2 })),
    { blockRowsMax: 2, filterKeysMin: 0 },
  );
  const bytes = Array.from({ length: 50 }, (_, i) => 100 + i);
  const dense = writeTable(
    bytes.map((byte) => ({ key: key(byte), value, sequence: 1 })),
    {},
    'sst/0000000001-0000000002',
  );
  let met = 0;
  for (let at = 0; at < wide.bytes.length; at++) {
    const damaged = { ...wide, bytes: wide.bytes.slice() };
    damaged.bytes[at] = (damaged.bytes[at] as number) ^ 1;
    const failures = [true, false].map((isNear) => {
      const all = [openTable(damaged), openTable(dense)];
      const near = new NearSources();
      const lookup = new Lookup();
      // Opens the index: before that nothing is known of gaps.
      return [99, ...bytes].filter((byte) => {
        try {
          const sources = isNear && byte > 99 ? near.ofKey(all, key(byte)) : all;
          return findNewest(sources, lookup.ask(key(byte), 9)) !== byte > 99;
        } catch {
          return true;
        }
      });
    });
    met += (failures[1] as number[]).length;
    expect(failures[0]).toEqual(failures[1]);
  }
  expect(met).toBeGreaterThan(0);
});

test('a scan between two keys of a memtable leaves it out', () => {
  const key = (byte: number) => Uint8Array.of(1, byte);
  const value = Uint8Array.of(7);
  const memtable = new Memtable();
  for (const byte of [1, 2, 200]) memtable.put(key(byte), value, 2);
  const bytes = Array.from({ length: 50 }, (_, i) => 100 + i);
  const table = openTable(
    writeTable(bytes.map((byte) => ({ key: key(byte), value, sequence: 1 }))),
  );
  const near = new NearSources();
  for (const byte of bytes.slice(0, -1)) {
    const range = { from: key(byte), to: key(byte + 1) };
    expect(near.ofRange([memtable, table], range)).toEqual([table]);
  }
  const across = { from: key(149), to: key(201) };
  expect(near.ofRange([memtable, table], across)).toEqual([memtable, table]);
});
