/** Entries that are counted from the index of an SSTable: the same number as are shown, and no block is read for them. */

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { WriteBatch } from '../../../src/storage/batch/write-batch.ts';
import { BlockCache } from '../../../src/storage/cache/block-cache.ts';
import type { EntryCursor, KeyRange } from '../../../src/storage/contract/store.ts';
import { scanNewest } from '../../../src/storage/cursor/read-sources.ts';
import type { CursorSource } from '../../../src/storage/cursor/source.ts';
import { Memtable } from '../../../src/storage/memtable/memtable.ts';
import { SortedRun } from '../../../src/storage/table/sorted-run.ts';
import { SsTable } from '../../../src/storage/table/ss-table.ts';
import { OverlayCursor } from '../../../src/storage/transaction/overlay-cursor.ts';
import { openTable, readerOf, writeTable } from '../files.ts';
import { Model, readAll, type Version } from '../model.ts';

const keyOf = (n: number): Uint8Array => {
  const key = new Uint8Array(4);
  new DataView(key.buffer).setUint32(0, n);
  return key;
};
const value = Uint8Array.of(7);
const everything: KeyRange = { from: new Uint8Array(0), to: undefined };

interface Count {
  /** Entries that were shown or passed. */
  entries: number;
  /** Those among them that were passed without being shown. */
  passed: number;
}

/** Counts the entries of a cursor; `max` is the longest run, 0 for none. */
async function count(cursor: EntryCursor, max = 1000): Promise<Count> {
  const found = { entries: 0, passed: 0 };
  let least = '';
  for (;;) {
    const next = cursor.next();
    if (next instanceof Promise) await next;
    if (next === false) break;
    if (next !== true) continue;
    // What was passed is below what comes next.
    const key = cursor.key.subarray(cursor.keyFrom, cursor.keyTo).toHex();
    expect(key > least || least === '').toBe(true);
    const run = max === 0 ? undefined : cursor.takeRun?.(max);
    found.entries += run === undefined ? 1 : run.to - run.from;
    const passed = cursor.takeCount?.() ?? 0;
    found.entries += passed;
    found.passed += passed;
    least = cursor.key.subarray(cursor.keyFrom, cursor.keyTo).toHex();
  }
  cursor.close();
  return found;
}

const keysMax = 400;
/** A stretch of keys, each put or deleted by a commit of its own. */
const anyStretch = fc.record({
  from: fc.nat(keysMax),
  length: fc.integer({ min: 1, max: keysMax }),
  isDeleted: fc.oneof(fc.constant(false), fc.boolean()),
});

interface History {
  readonly model: Model;
  readonly sequences: number;
  readonly sources: readonly CursorSource[];
}

/** Each stretch is a source of its own, the newest one maybe a memtable. */
function historyOf(
  stretches: readonly { from: number; length: number; isDeleted: boolean }[],
  {
    blockRowsMax,
    isLate,
    hasMemtable,
  }: { blockRowsMax: number; isLate: boolean; hasMemtable: boolean },
): History {
  const model = new Model();
  let sequences = 0;
  const sources = stretches.map(({ from, length, isDeleted }, at): CursorSource => {
    const versions = Array.from({ length }, (_, i): Version => {
      return { key: keyOf(from + i), sequence: ++sequences, value: isDeleted ? undefined : value };
    });
    for (const version of versions) model.write(version);
    if (hasMemtable && at === stretches.length - 1) return memtableOf(versions);
    const half = versions.length >> 1;
    const parts = [versions.slice(0, half), versions.slice(half)].filter((p) => p.length > 0);
    return new SortedRun(
      parts.map((part, i) =>
        openTable(writeTable(part, { blockRowsMax }, `sst/0000000001-${at}${i}`), { isLate }),
      ),
    );
  });
  return { model, sequences, sources: sources.reverse() };
}

function memtableOf(versions: readonly Version[]): Memtable {
  const memtable = new Memtable();
  for (const { key, value: stored, sequence } of versions) {
    if (stored === undefined) memtable.delete(key, sequence);
    else memtable.put(key, stored, sequence);
  }
  return memtable;
}

const anyHistory = fc.record({
  stretches: fc.array(anyStretch, { minLength: 1, maxLength: 4 }),
  kind: fc.record({
    blockRowsMax: fc.constantFrom(1, 2, 5),
    isLate: fc.boolean(),
    hasMemtable: fc.boolean(),
  }),
  range: fc.oneof(
    fc.constant(everything),
    fc.tuple(fc.nat(2 * keysMax), fc.nat(2 * keysMax)).map(([a, b]) => {
      return { from: keyOf(Math.min(a, b)), to: keyOf(Math.max(a, b)) };
    }),
  ),
  back: fc.oneof(fc.constant(0), fc.nat(50)),
  max: fc.constantFrom(0, 1, 1000),
});

describe('as many as are shown', () => {
  test('at any snapshot, whatever newer sources hide', async () => {
    let passed = 0;
    await fc.assert(
      fc.asyncProperty(anyHistory, async ({ stretches, kind, range, back, max }) => {
        const { model, sequences, sources } = historyOf(stretches, kind);
        const snapshot = Math.max(0, sequences - back);
        const found = await count(scanNewest(sources, range, 'forward', snapshot), max);
        expect(found.entries).toBe(model.scan(range, 'forward', snapshot).length);
        passed += found.passed;
      }),
      { numRuns: 120 },
    );
    expect(passed).toBeGreaterThan(2_000);
  });

  test('between the writes of a transaction, which has read what it passed', async () => {
    let passed = 0;
    await fc.assert(
      fc.asyncProperty(
        anyHistory,
        fc.array(fc.tuple(fc.nat(2 * keysMax), fc.boolean()), { maxLength: 4 }),
        async ({ stretches, kind, range }, writes) => {
          const { sequences, sources } = historyOf(stretches, { ...kind, isLate: false });
          const batch = new WriteBatch();
          for (const [key, isPut] of writes) {
            if (isPut) batch.put(keyOf(key), value);
            else batch.delete(keyOf(key));
          }
          const open = () =>
            new OverlayCursor(
              scanNewest(sources, range, 'forward', sequences),
              batch,
              { range, direction: 'forward' },
              { closed: () => {} },
            );
          const found = await count(open());
          expect(found.entries).toBe((await readAll(open())).length);
          passed += found.passed;
        },
      ),
      { numRuns: 80 },
    );
    expect(passed).toBeGreaterThan(1_000);
  });
});

describe('a table of many blocks', () => {
  const rows = 20_000;
  const versions = Array.from({ length: rows }, (_, i): Version => {
    return { key: keyOf(i), sequence: i + 1, value };
  });
  const file = writeTable(versions, { blockRowsMax: 50 });

  function counted(of = file): { readonly table: SsTable; readonly reads: number[] } {
    const inner = readerOf(of.entry.name, of.bytes);
    const reads: number[] = [];
    const reader = {
      ...inner,
      readInto: (offset: number, target: Uint8Array) => {
        reads.push(offset);
        return inner.readInto(offset, target);
      },
    };
    return { table: new SsTable(reader, of.entry, { cache: new BlockCache(1 << 20) }), reads };
  }

  test('is counted from its top index, but for the first block', async () => {
    const { table, reads } = counted();
    const found = await count(scanNewest([table], everything, 'forward', rows));
    expect(found).toEqual({ entries: rows, passed: rows - 50 });
    // The footer, the top index, the first partition and its first block.
    expect(reads).toHaveLength(4);
  });

  test('is counted up to the ends of a range', async () => {
    const { table, reads } = counted();
    const range = { from: keyOf(123), to: keyOf(15_432) };
    const found = await count(scanNewest([table], range, 'forward', rows));
    expect(found.entries).toBe(15_432 - 123);
    // The footer, the top index, and a partition and a block at either end.
    expect(reads).toHaveLength(6);
  });

  test('is read if a part of it is newer than the snapshot', async () => {
    const { table } = counted();
    const found = await count(scanNewest([table], everything, 'forward', rows - 1));
    expect(found).toEqual({ entries: rows - 1, passed: 0 });
  });

  test('is read where a block has an older version or a tombstone', async () => {
    const changed = [
      ...versions,
      { key: keyOf(5_010), sequence: rows + 1, value },
      { key: keyOf(9_990), sequence: rows + 2, value: undefined },
    ];
    const { table } = counted(writeTable(changed, { blockRowsMax: 50 }));
    const found = await count(scanNewest([table], everything, 'forward', rows + 2));
    expect(found.entries).toBe(rows - 1);
    // Besides the first block, two blocks are read, of 49 keys each.
    expect(found.passed).toBe(rows - 50 - 49 - 49);
  });
});
