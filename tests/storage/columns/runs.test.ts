/** A scan that prefers runs: what it shows of entries that are no run is what every scan shows. */

import { describe, expect, test } from 'bun:test';
import { tableLayout } from '#layout';
import type { EntryCursor } from '#storage';
import { columnValues } from '../../../src/storage/columns/column-codec.ts';
import { LiveCursor } from '../../../src/storage/cursor/live-cursor.ts';
import type { CursorSource } from '../../../src/storage/cursor/source.ts';
import { SortedRun } from '../../../src/storage/table/sorted-run.ts';
import { tableWith } from '../../layout/values.ts';
import { openTable, writeTable } from '../files.ts';

const codecs = columnValues;
const table = tableWith({ keyTypes: ['int64'], otherTypes: ['text'] });
const layout = tableLayout(table);
const count = 50;

const versions = Array.from({ length: count }, (_, i) => {
  const row = table.columns.map((column) => (column.type === 'int64' ? i : `text ${i}`));
  return { key: layout.keyOfRow(row), sequence: 1, value: layout.bodyOfRow(row) };
});

function tableOf(from: number, to: number) {
  return openTable(writeTable(versions.slice(from, to), { codecs }), { codecs });
}

const sources: Record<string, CursorSource> = {
  'a table': tableOf(0, count),
  'a run of tables': new SortedRun([tableOf(0, 20), tableOf(20, 21), tableOf(21, count)]),
};

const scan = (source: CursorSource): EntryCursor =>
  new LiveCursor(source.scan(layout.range, 'forward', 9));

test.each(Object.entries(sources))('%s: the value of an entry waits for the run', (_, source) => {
  const cursor = scan(source);
  cursor.preferRuns?.();
  expect(cursor.next()).toBe(true);
  expect(cursor.valueTo - cursor.valueFrom).toBe(0);
});

test.each(Object.entries(sources))('%s: entries left out of a run have values', (_, source) => {
  const cursor = scan(source);
  cursor.preferRuns?.();
  const values: string[] = [];
  let inRuns = 0;
  while (cursor.next() === true) {
    const key = cursor.key.slice(cursor.keyFrom, cursor.keyTo);
    // Below itself there is nothing: every third entry is taken alone.
    const run = values.length % 3 === 0 ? cursor.takeRun?.(1, key) : cursor.takeRun?.(1);
    if (run !== undefined) {
      inRuns++;
      values.push('in a run');
    } else {
      values.push(cursor.value.subarray(cursor.valueFrom, cursor.valueTo).toHex());
    }
  }
  expect(inRuns).toBe(count - Math.ceil(count / 3));
  expect(values).toEqual(
    versions.map(({ value }, i) => (i % 3 === 0 ? value.toHex() : 'in a run')),
  );
});

describe('a table with older versions and tombstones', () => {
  // Key i has a version of sequence 1. Every tenth key has a later one, of which every second is a deletion.
  const changed = versions.filter((_, i) => i % 10 === 5);
  const later = changed.map(({ key, value }, i) => {
    return { key, sequence: 2, value: i % 2 === 0 ? value : undefined };
  });
  const mixed = openTable(writeTable([...versions, ...later], { codecs }), { codecs });
  const places = (scanned: EntryCursor): readonly [number, number][] => {
    const runs: [number, number][] = [];
    while (scanned.next() === true) {
      const run = scanned.takeRun?.(count);
      if (run !== undefined) runs.push([run.from, run.to]);
    }
    return runs;
  };

  test('a view of everything reads runs between the older versions', () => {
    // Slots 5 and 6 are key 5; key 15 is deleted.
    expect(places(new LiveCursor(mixed.scan(layout.range, 'forward', 2)))).toEqual([
      [0, 6],
      [7, 16],
      [18, 28],
      [29, 38],
      [40, 50],
      [51, 55],
    ]);
  });

  test('a view of the older versions reads runs between the later ones', () => {
    expect(places(new LiveCursor(mixed.scan(layout.range, 'forward', 1)))).toEqual([
      [0, 5],
      [6, 16],
      [17, 27],
      [28, 38],
      [39, 49],
      [50, 55],
    ]);
  });
});
