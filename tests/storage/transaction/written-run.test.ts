/** A run of own writes answers like its SSTables, and reads between its keys do not reach them. */

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { emptyWrite } from '../../../src/storage/batch/write.ts';
import { KeyBatch } from '../../../src/storage/contract/key-batch.ts';
import { Lookup } from '../../../src/storage/cursor/lookup.ts';
import { Neighbourhood } from '../../../src/storage/cursor/neighbourhood.ts';
import { scanNewest } from '../../../src/storage/cursor/read-sources.ts';
import type { CursorSource } from '../../../src/storage/cursor/source.ts';
import { RangeCollector } from '../../../src/storage/transaction/written-ranges.ts';
import { WrittenRun } from '../../../src/storage/transaction/written-run.ts';
import { openTable, writeTable } from '../files.ts';
import { anyDirection, anyKey, anyRange } from '../model.ts';
import { bytes, range, take } from './support.ts';

const snapshot = 1;

function runOf(keys: readonly Uint8Array[]) {
  const sorted = keys.toSorted(Buffer.compare);
  const collector = new RangeCollector();
  for (const key of sorted) {
    const write = { ...emptyWrite(), bytes: key, keyTo: key.length, valueTo: key.length };
    collector.add(write);
  }
  const table = openTable(writeTable(sorted.map((key) => ({ key, sequence: 0, value: key }))));
  const counted = countCalls(table);
  return { table, run: new WrittenRun(counted.source, collector.finish()), counted };
}

/** Counts the calls of reads. */
function countCalls(table: CursorSource) {
  const counted = { calls: 0, source: table };
  const source = Object.create(table) as CursorSource;
  for (const name of ['find', 'findAll', 'near', 'scan', 'entriesIn'] as const) {
    const method = table[name] as (...args: unknown[]) => unknown;
    Object.assign(source, {
      [name]: (...args: unknown[]) => {
        counted.calls++;
        return method.apply(table, args);
      },
    });
  }
  counted.source = source;
  return counted;
}

function batchOf(keys: readonly Uint8Array[]): KeyBatch {
  const batch = new KeyBatch();
  batch.snapshot = snapshot;
  for (const key of keys) batch.add(key);
  return batch;
}

test('every read has the answer of the SSTable', async () => {
  const anyKeys = (minLength: number) =>
    fc.uniqueArray(anyKey, { minLength, maxLength: 30, selector: String });
  await fc.assert(
    fc.asyncProperty(
      anyKeys(1),
      anyKeys(1),
      anyRange,
      anyDirection,
      async (keys, asked, of, direction) => {
        const { table, run } = runOf(keys);
        const sorted = asked.toSorted(Buffer.compare);
        for (const key of sorted) {
          const around = new Neighbourhood([run], key, 'all');
          const found = run.find(new Lookup().ask(key, snapshot));
          expect(found).toBe(table.find(new Lookup().ask(key, snapshot)));
          expect(around.has(key)).toBe(true);
          for (const other of sorted.filter((one) => around.has(one))) {
            const near = around.sources.map((one) => one.find(new Lookup().ask(other, snapshot)));
            expect(near.includes(true)).toBe(
              table.find(new Lookup().ask(other, snapshot)) as boolean,
            );
          }
        }
        const [one, two] = [batchOf(sorted), batchOf(sorted)];
        expect(run.findAll(one, 0, sorted.length)).toBeUndefined();
        expect(table.findAll(two, 0, sorted.length)).toBeUndefined();
        expect(sorted.map((_, i) => one.has(i))).toEqual(sorted.map((_, i) => two.has(i)));
        const scans = [run, table].map((source) => scanNewest([source], of, direction, snapshot));
        const [mine, its] = await Promise.all(scans.map((cursor) => take(cursor)));
        expect(mine).toEqual(its as string[]);
        if (run.entriesIn(of) === 0) expect(its).toEqual([]);
      },
    ),
    { numRuns: 300 },
  );
});

test('reads between the rows and the index entries of a run do not reach its SSTable', () => {
  const of = (text: string) => bytes(text);
  const { run, counted } = runOf(['rows 10', 'rows 11', 'rows 12', 'tree 1', 'tree 9'].map(of));
  expect(run.find(new Lookup().ask(of('rows 20'), snapshot))).toBe(false);
  expect(run.findAll(batchOf(['rows 20', 'rows 21', 'rows 30'].map(of)), 0, 3)).toBeUndefined();
  expect(run.near(of('rows 20'), new Neighbourhood([], of('rows 20'), 'all'))).toBeUndefined();
  expect(run.entriesIn(range('rows 13', 'rows 9'))).toBe(0);
  expect(run.scan(range('rows 13', 'rows 9'), 'forward', snapshot).next()).toBe(false);
  expect(counted.calls).toBe(0);
  expect(run.find(new Lookup().ask(of('rows 11'), snapshot))).toBe(true);
  expect(run.findAll(batchOf(['rows 20', 'tree 1'].map(of)), 0, 2)).toBeUndefined();
  expect(counted.calls).toBe(2);
});
