/** A transaction that reads in runs has read what one that reads entry by entry has read. */

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { WriteBatch } from '../../../src/storage/batch/write-batch.ts';
import type { KeyRange } from '../../../src/storage/contract/store.ts';
import { scanNewest } from '../../../src/storage/cursor/read-sources.ts';
import { OverlayCursor } from '../../../src/storage/transaction/overlay-cursor.ts';
import { openTable, writeTable } from '../files.ts';
import { anyKey, anyRange, anyWrites, current, type Shown, type Version } from '../model.ts';

const snapshot = 61;

interface Scan {
  readonly stored: readonly Version[];
  readonly own: readonly Version[];
  readonly range: KeyRange;
}

function overlay({ stored, own, range }: Scan): OverlayCursor {
  const tables = stored.length === 0 ? [] : [openTable(writeTable(stored, { blockRowsMax: 5 }))];
  const batch = new WriteBatch();
  for (const { key, value } of own) {
    if (value === undefined) batch.delete(key);
    else batch.put(key, value);
  }
  const base = scanNewest(tables, range, 'forward', snapshot);
  const scan = { range, direction: 'forward' } as const;
  return new OverlayCursor(base, batch, scan, { closed: () => {} });
}

/** One version a key: mostly whole blocks are shown. */
const anyVersionsOfOne = fc
  .uniqueArray(anyKey, { maxLength: 40, selector: String })
  .map((keys) => keys.map((key, i): Version => ({ key, sequence: i + 1, value: key })));

/** Keys shown and, after `count` of them, how far the scan has looked. */
function look(cursor: OverlayCursor, count: number, max: number) {
  const keys: string[] = [];
  let runs = 0;
  while (keys.length < count && cursor.next() === true) {
    const run = max === 0 ? undefined : cursor.takeRun(Math.min(max, count - keys.length));
    if (run === undefined) keys.push(current(cursor)[0]);
    else {
      runs++;
      const { block } = run;
      const { bytes, prefixAt, prefixLength } = block;
      for (let slot = run.from; slot < run.to; slot++) {
        const prefix = bytes.subarray(prefixAt, prefixAt + prefixLength).toHex();
        keys.push(prefix + bytes.subarray(block.suffixFrom(slot), block.suffixTo(slot)).toHex());
      }
    }
  }
  const { extent } = cursor;
  const last: Shown[0] | undefined = extent === 'on' ? current(cursor)[0] : undefined;
  return { read: { keys, extent, last }, runs };
}

test('the same entries, and as far', () => {
  let runs = 0;
  fc.assert(
    fc.property(
      fc.oneof(anyWrites(40), anyVersionsOfOne),
      anyWrites(6),
      anyRange,
      fc.record({ count: fc.integer({ min: 1, max: 40 }), max: fc.constantFrom(1, 2, 3, 1000) }),
      (stored, own, range, { count, max }) => {
        const scan = { stored, own, range };
        const one = look(overlay(scan), count, 0);
        const many = look(overlay(scan), count, max);
        runs += many.runs;
        expect(many.read).toEqual(one.read);
      },
    ),
    { numRuns: 600 },
  );
  expect(runs).toBeGreaterThan(100);
});

test('a write between two stored keys ends the run before it', () => {
  fc.assert(
    fc.property(fc.uniqueArray(anyKey, { minLength: 3, selector: String }), (keys) => {
      const sorted = keys.toSorted(Buffer.compare);
      const own = sorted.filter((_, i) => i % 3 === 1);
      const stored = sorted.filter((_, i) => i % 3 !== 1);
      const versions = (list: readonly Uint8Array[], sequence: number) =>
        list.map((key, i) => ({ key, sequence: sequence + i, value: key }));
      const range = { from: new Uint8Array(0), to: undefined };
      const scan = { stored: versions(stored, 1), own: versions(own, 1), range };
      const { read } = look(overlay(scan), 1000, 1000);
      expect(read.keys).toEqual(sorted.map((key) => key.toHex()));
    }),
    { numRuns: 200 },
  );
});
