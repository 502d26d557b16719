/** Keys that are read together are answered as one after the other. */

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { BlockCache } from '../../../src/storage/cache/block-cache.ts';
import { KeyBatch } from '../../../src/storage/contract/key-batch.ts';
import { Lookup } from '../../../src/storage/cursor/lookup.ts';
import { NearSources } from '../../../src/storage/cursor/near-sources.ts';
import { findAllNewest, findNewest } from '../../../src/storage/cursor/read-sources.ts';
import type { CursorSource } from '../../../src/storage/cursor/source.ts';
import { SortedRun } from '../../../src/storage/table/sorted-run.ts';
import { SsTable } from '../../../src/storage/table/ss-table.ts';
import { outcomeOf } from '../../support/outcome.ts';
import { openTable, readerOf, writeTable } from '../files.ts';
import { anyKey, anyWrites, type Version } from '../model.ts';
import { anyCuts, sourcesOf } from './history-sources.ts';

const value = Uint8Array.of(7);
const key = (byte: number) => Uint8Array.of(1, byte);

function runOf(writes: readonly Version[], isLate: boolean): SortedRun {
  const keys = [...new Map(writes.map(({ key }) => [key.toHex(), key])).values()];
  keys.sort(Buffer.compare);
  const tables: SsTable[] = [];
  for (let from = 0; from < keys.length; from += 6) {
    const held = new Set(keys.slice(from, from + 5).map((key) => key.toHex()));
    const part = writes.filter(({ key }) => held.has(key.toHex()));
    const name = `sst/0000000002-${String(from).padStart(10, '0')}`;
    // Every second table has filters for few keys too. Hardly a block fits into its cache.
    const options = { blockRowsMax: 2, filterKeysMin: from % 12 === 0 ? 0 : 1000 };
    tables.push(openTable(writeTable(part, options, name), { isLate, cache: new BlockCache(1) }));
  }
  return new SortedRun(tables);
}

async function oneByOne(all: readonly CursorSource[], keys: readonly Uint8Array[], at: number) {
  const answers: string[] = [];
  for (const key of keys) {
    const lookup = new Lookup();
    const isFound = await findNewest(all, lookup.ask(key, at));
    answers.push(isFound && !lookup.isTombstone ? lookup.bytes().toHex() : 'absent');
  }
  return answers;
}

/** The answers of batches of keys, and how often they were waited for. */
async function together(all: readonly CursorSource[], keys: readonly Uint8Array[], at: number) {
  const answers: string[] = [];
  const near = new NearSources();
  const batch = new KeyBatch();
  let waits = 0;
  while (answers.length < keys.length) {
    for (let i = answers.length; i < keys.length && !batch.isFull; i++) {
      batch.add(keys[i] as Uint8Array);
    }
    batch.snapshot = at;
    for (let from = 0; from < batch.end; ) {
      const sources = near.ofKey(all, batch.keys[from] as Uint8Array);
      const to = near.endOf(batch.keys, from, batch.end);
      const wait = findAllNewest(sources, batch, from, to);
      if (wait === undefined) from = to;
      else await wait.then(() => waits++);
    }
    expect(batch.hasOpen).toBe(false);
    for (let i = 0; i < batch.end; i++) answers.push(answerOf(batch, i));
    batch.clear();
  }
  return { answers, waits };
}

function answerOf({ blocks, bodies }: KeyBatch, at: number): string {
  const body = bodies[at];
  expect(blocks[at]).toBeUndefined();
  if (body === undefined) return 'absent';
  return body.value.subarray(body.valueFrom, body.valueTo).toHex();
}

test('of generated histories, at every sequence, at once or after waits', async () => {
  let waited = 0;
  let found = 0;
  await fc.assert(
    fc.asyncProperty(
      anyWrites(80),
      anyCuts,
      fc.array(anyKey, { minLength: 1, maxLength: 150, size: 'max' }),
      fc.nat(90),
      fc.boolean(),
      async (writes, cuts, keys, at, isLate) => {
        keys.sort(Buffer.compare);
        const all = () => [...sourcesOf(writes, cuts, isLate), runOf(writes, isLate)];
        const { answers, waits } = await together(all(), keys, at);
        expect(answers).toEqual(await oneByOne(all(), keys, at));
        found += answers.filter((answer) => answer !== 'absent').length;
        waited += waits;
        if (!isLate) expect(waits).toBe(0);
      },
    ),
    { seed: 31, numRuns: 400 },
  );
  expect(found).toBeGreaterThan(2_000);
  expect(waited).toBeGreaterThan(400);
});

test('blocks of many keys are read at the same time, as many as a scan may fetch', async () => {
  const bytes = Array.from({ length: 40 }, (_, i) => i);
  const file = writeTable(
    bytes.map((byte) => ({ key: key(byte), value, sequence: 1 })),
    { blockRowsMax: 1 },
  );
  const reader = readerOf(file.entry.name, file.bytes, true);
  let running = 0;
  const most: number[] = [];
  const counted = {
    ...reader,
    readInto: async (offset: number, target: Uint8Array) => {
      running++;
      most.push(running);
      const count = await reader.readInto(offset, target);
      running--;
      return count;
    },
  };
  const readAhead = { scanReadAheadBytes: 1, scanFetchesMax: 8 };
  const table = new SsTable(counted, file.entry, { cache: new BlockCache(1 << 20), readAhead });
  const { answers } = await together([table], bytes.map(key), 9);
  expect(answers).toEqual(bytes.map(() => '07'));
  expect(Math.max(...most)).toBe(8);
});

test('large blocks end a batch early, after its first key at the earliest', () => {
  const endOf = (valueBytes: number) => {
    const bytes = Array.from({ length: 10 }, (_, i) => i);
    const large = new Uint8Array(valueBytes);
    const file = writeTable(
      bytes.map((byte) => ({ key: key(byte), value: large.with(0, byte), sequence: 1 })),
      { blockRowsMax: 1 },
    );
    const batch = new KeyBatch();
    for (const byte of bytes) batch.add(key(byte));
    batch.snapshot = 9;
    expect(findAllNewest([openTable(file)], batch, 0, batch.end)).toBeUndefined();
    expect(batch.hasOpen).toBe(false);
    return batch.end;
  };
  expect([1_000, 150_000, 600_000].map(endOf)).toEqual([10, 3, 1]);
});

test('keys before a block that cannot be read are answered', () => {
  const bytes = Array.from({ length: 10 }, (_, i) => i);
  const file = writeTable(
    bytes.map((byte) => ({
      key: key(byte),
      value: new Uint8Array(500).with(0, byte),
      sequence: 1,
    })),
    { blockRowsMax: 1 },
  );
  // A byte within the block of the seventh key.
  file.bytes[6 * 600 + 300] = 99;
  const batch = new KeyBatch();
  for (const byte of bytes) batch.add(key(byte));
  batch.snapshot = 9;
  const table = openTable(file);
  expect(findAllNewest([table], batch, 0, batch.end)).toBeUndefined();
  const { end } = batch;
  expect(end).toBeGreaterThan(3);
  expect(end).toBeLessThan(10);
  batch.clear();
  batch.add(key(end));
  expect(() => findAllNewest([table], batch, 0, 1)).toThrow('checksum');
});

test('a read that fails later fails the batch, and the next call reads again', async () => {
  const bytes = [1, 2, 3];
  const file = writeTable(
    bytes.map((byte) => ({ key: key(byte), value, sequence: 1 })),
    { blockRowsMax: 1 },
  );
  const reader = readerOf(file.entry.name, file.bytes, true);
  let failures = 0;
  const failing = {
    ...reader,
    readInto: async (offset: number, target: Uint8Array) => {
      if (offset > 0 && offset < 200 && failures++ === 0) throw new Error('the line is cut');
      return reader.readInto(offset, target);
    },
  };
  const table = new SsTable(failing, file.entry, { cache: new BlockCache(1 << 20) });
  const failed = await outcomeOf(together([table], bytes.map(key), 9));
  expect(failed).toThrow('cannot be read');
  expect((await together([table], bytes.map(key), 9)).answers).toEqual(['07', '07', '07']);
});

test('a full cache keeps its blocks when others are read for few keys, and takes one in eight', async () => {
  const bytes = Array.from({ length: 200 }, (_, i) => i);
  const file = writeTable(
    bytes.map((byte) => ({ key: key(byte), value: Uint8Array.of(byte), sequence: 1 })),
    { blockRowsMax: 5 },
  );
  // Room for ten blocks or so.
  const cache = new BlockCache(8_000);
  const table = openTable(file, { cache });
  const read = async (few: readonly number[]) => {
    const { answers } = await together([table], few.map(key), 9);
    expect(answers).toEqual(few.map((byte) => byte.toString(16).padStart(2, '0')));
  };
  const { data } = cache;
  await read(bytes.slice(0, 60));
  const kept = data.entries;
  expect(kept).toBeGreaterThan(3);
  expect(kept).toBeLessThan(12);
  const inserts = data.inserts;
  const misses = data.misses;
  // The first and the second row of each block.
  await read(bytes.filter((byte) => byte >= 60 && byte % 5 < 2).slice(0, 48));
  expect(data.misses - misses).toBe(24);
  expect(data.inserts - inserts).toBe(3);
  // Four rows of a block are no longer few.
  await read([190, 191, 192, 193]);
  expect(data.inserts - inserts).toBe(4);
});
