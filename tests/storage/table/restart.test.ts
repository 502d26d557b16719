/** A closed cursor of an SSTable scans another range as a new cursor does. */

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { BlockCache } from '../../../src/storage/cache/block-cache.ts';
import type { InternalCursor } from '../../../src/storage/cursor/internal-cursor.ts';
import type { LiveCursor } from '../../../src/storage/cursor/live-cursor.ts';
import { scanNewest } from '../../../src/storage/cursor/read-sources.ts';
import { openTable, writeTable } from '../files.ts';
import { anyDirection, anyRange, anyWrites, readAll, readInRuns, type Shown } from '../model.ts';

const anyScan = fc.record({
  range: anyRange,
  direction: anyDirection,
  snapshot: fc.nat(81),
  most: fc.nat(6),
});

async function readSome(cursor: InternalCursor, most: number): Promise<Shown[]> {
  const shown: Shown[] = [];
  while (shown.length < most) {
    const next = cursor.next();
    if (next instanceof Promise) await next;
    else if (!next) break;
    else {
      const key = cursor.key.slice(cursor.keyFrom, cursor.keyTo).toHex();
      const value = cursor.value.slice(cursor.valueFrom, cursor.valueTo).toHex();
      shown.push([key, cursor.isTombstone ? 'deleted' : value]);
    }
  }
  cursor.close();
  return shown;
}

test('scans one after the other, each read in part', async () => {
  let reused = 0;
  await fc.assert(
    fc.asyncProperty(
      anyWrites(60),
      fc.array(anyScan, { minLength: 2, maxLength: 12 }),
      fc.boolean(),
      fc.boolean(),
      async (writes, scans, isLate, isCached) => {
        fc.pre(writes.length > 0);
        const file = writeTable(writes, { blockRowsMax: 4 });
        const cache = new BlockCache(isCached ? 1 << 20 : 0);
        const table = openTable(file, { isLate, cache });
        const fresh = openTable(file);
        let spare: InternalCursor | undefined;
        for (const { range, direction, snapshot, most } of scans) {
          const cursor = table.scan(range, direction, snapshot, undefined, spare);
          if (cursor === spare) reused++;
          const expected = fresh.scan(range, direction, snapshot);
          expect(await readSome(cursor, most)).toEqual(await readSome(expected, most));
          spare = cursor;
        }
      },
    ),
    { seed: 21, numRuns: 1000 },
  );
  expect(reused).toBeGreaterThan(500);
});

test('runs after a scan of single entries', async () => {
  await fc.assert(
    fc.asyncProperty(anyWrites(60), anyScan, anyScan, async (writes, first, second) => {
      fc.pre(writes.length > 0);
      const file = writeTable(writes, { blockRowsMax: 8 });
      const table = openTable(file);
      const used = table.scan(first.range, 'forward', 99);
      await readSome(used, first.most);
      const scanAfter = (spare?: InternalCursor) =>
        scanNewest([table], second.range, 'forward', 99, undefined, spare);
      expect(await readInRuns(scanAfter(used), 5)).toEqual(await readAll(scanAfter()));
    }),
    { seed: 22, numRuns: 300 },
  );
});

test('a cursor that is closed again does not disturb the scan that has its source', () => {
  const key = (byte: number) => Uint8Array.of(1, byte);
  const value = Uint8Array.of(7);
  const bytes = [1, 2, 3, 4, 5, 6];
  const table = openTable(
    writeTable(bytes.map((byte) => ({ key: key(byte), value, sequence: 1 }))),
  );
  const scanFrom = (byte: number, spare?: InternalCursor) =>
    scanNewest([table], { from: key(byte), to: undefined }, 'forward', 1, undefined, spare);
  const first = scanFrom(1) as LiveCursor;
  expect(first.next()).toBe(true);
  const second = scanFrom(4, first.end());
  first.close();
  expect(first.next()).toBe(false);
  expect(second.next()).toBe(true);
  expect(second.key.slice(second.keyFrom, second.keyTo)).toEqual(key(4));
});
