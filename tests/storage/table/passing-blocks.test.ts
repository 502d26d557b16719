/** Blocks that a scan reads and does not cache: they share memory, and never that of a cached block. */

import { describe, expect, test } from 'bun:test';
import type { BlockSpan } from '#storage';
import { BlockCache } from '../../../src/storage/cache/block-cache.ts';
import { Lookup } from '../../../src/storage/cursor/lookup.ts';
import type { SsTable } from '../../../src/storage/table/ss-table.ts';
import { openTable, writeTable } from '../files.ts';

const count = 40_000;
const keyOf = (n: number): Uint8Array => {
  const key = new Uint8Array(8);
  new DataView(key.buffer).setUint32(4, n);
  return key;
};
const versions = Array.from({ length: count }, (_, i) => ({
  key: keyOf(i),
  value: new Uint8Array(10 + (i % 40)).fill(i),
  sequence: 1,
}));
const file = writeTable(versions);
const everything = { from: new Uint8Array(0), to: undefined };

/** A table of which no scan fits into the cache. */
function tableIn(cache: BlockCache): SsTable {
  return openTable(file, { cache });
}

const smallCache = () => new BlockCache(Math.floor(file.bytes.length / 2));

/** Calls `take` with each run of a scan, while it is valid. */
function runsOf(table: SsTable, take: (run: BlockSpan) => void): void {
  const cursor = table.scan(everything, 'forward', 9);
  while (cursor.next() === true) take(cursor.takeRun?.(count) as BlockSpan);
  cursor.close();
}

/** The values of a run, as the byte that fills each of them. */
function fillsOf({ block, from, to }: BlockSpan): number[] {
  const body = { value: new Uint8Array(0), valueFrom: 0, valueTo: 0 };
  const fills: number[] = [];
  for (let slot = from; slot < to; slot++) {
    block.values.join(slot, body);
    fills.push(body.value[body.valueFrom] as number);
  }
  return fills;
}

describe('a scan of more than the cache holds', () => {
  test('reads its blocks into the same memory', () => {
    const cache = smallCache();
    const buffers: ArrayBufferLike[] = [];
    const fills: number[] = [];
    runsOf(tableIn(cache), (run) => {
      buffers.push(run.block.bytes.buffer);
      fills.push(...fillsOf(run));
    });
    expect(fills).toEqual(versions.map((_, i) => i & 0xff));
    expect(buffers.length).toBeGreaterThan(20);
    // The first block alone, and once more because a later one may be a little longer.
    expect(new Set(buffers).size).toBeLessThanOrEqual(3);
    expect(cache.data.inserts).toBe(0);
  });

  test('leaves cached blocks as they are', () => {
    const table = tableIn(smallCache());
    const lookup = new Lookup();
    const cached = Array.from({ length: 8 }, (_, i) => 5_000 * i);
    const storedValue = (i: number) => {
      expect(table.find(lookup.ask(keyOf(i), 9))).toBe(true);
      return lookup.bytes().slice();
    };
    const before = cached.map(storedValue);
    const known = new Set<ArrayBufferLike>();
    for (const i of cached) {
      table.find(lookup.ask(keyOf(i), 9));
      known.add((lookup.recentPlace as { readonly bytes: Uint8Array }).bytes.buffer);
    }
    let met = 0;
    runsOf(table, ({ block }) => {
      if (known.has(block.bytes.buffer)) met++;
    });
    expect(met).toBe(known.size);
    expect(cached.map(storedValue)).toEqual(before);
  });

  test('shares no memory with another scan that is open', () => {
    const table = tableIn(smallCache());
    const [one, other] = [0, 1].map(() => table.scan(everything, 'forward', 9));
    const fills: number[] = [];
    for (;;) {
      if (one?.next() !== true) break;
      const run = one.takeRun?.(count) as BlockSpan;
      if (other?.next() === true) other.takeRun?.(count);
      other?.next();
      fills.push(...fillsOf(run));
    }
    expect(fills).toEqual(versions.map((_, i) => i & 0xff));
  });
});
