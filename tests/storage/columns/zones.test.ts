/** Scans that pass over blocks: they may show less, never something else, and always what is of interest. */

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { columnValues } from '../../../src/storage/columns/column-codec.ts';
import type { ZoneBound } from '../../../src/storage/contract/stored-block.ts';
import { scanNewest } from '../../../src/storage/cursor/read-sources.ts';
import type { Source } from '../../../src/storage/cursor/source.ts';
import { Memtable } from '../../../src/storage/memtable/memtable.ts';
import { openTable, writeTable } from '../files.ts';
import { Model, readAll, readInRuns, type Shown, type Version } from '../model.ts';
import { bodyOf, float, int, rowKey } from './bodies.ts';

const everything = { from: new Uint8Array(0), to: undefined };
const codecs = columnValues;

interface Written {
  readonly row: number;
  /** Undefined: NULL; `absent`: the row has no cell of the column. */
  readonly count: number | undefined | 'absent';
  readonly price: number | undefined;
  readonly isDeletion: boolean;
}

const anyWritten: fc.Arbitrary<Written> = fc.record({
  row: fc.nat(25),
  count: fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: -10, max: 300 }) },
    { weight: 1, arbitrary: fc.constantFrom(undefined, 'absent' as const) },
  ),
  price: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(-0, 0, 0.5, 1.5, 99.25, -3.5, 1e300) },
    { weight: 1, arbitrary: fc.constant(undefined) },
  ),
  isDeletion: fc.integer({ min: 0, max: 12 }).map((dice) => dice === 0),
});

const anyBound: fc.Arbitrary<ZoneBound> = fc.oneof(
  fc
    .tuple(fc.integer({ min: -12, max: 310 }), fc.integer({ min: -12, max: 310 }))
    .map(([a, b]) => ({ column: 1, isFloat: false, min: Math.min(a, b), max: Math.max(a, b) })),
  fc
    .tuple(fc.constantFrom(-4, 0, 1, 50), fc.constantFrom(-3.5, -0, 2, Infinity))
    .map(([min, max]) => ({ column: 2, isFloat: true, min, max })),
);

function versionOf(write: Written, sequence: number): Version {
  const { row, count, price, isDeletion } = write;
  const cells = [
    ...(count === 'absent' ? [] : [{ id: 1, bytes: count === undefined ? count : int(count) }]),
    { id: 2, bytes: price === undefined ? price : float(price) },
  ];
  const value = isDeletion ? undefined : bodyOf(cells, true);
  return { key: rowKey(1, row), sequence, value };
}

describe('against the model', () => {
  const anyScan = fc.record({
    writes: fc.array(anyWritten, { minLength: 1, maxLength: 120 }),
    cuts: fc.array(fc.nat(120), { maxLength: 4 }),
    bounds: fc.array(anyBound, { minLength: 1, maxLength: 2 }),
    blockRowsMax: fc.constantFrom(1, 2, 4),
    isLate: fc.boolean(),
    hasMemtable: fc.boolean(),
    snapshot: fc.oneof(fc.nat(121), fc.constant(121)),
    range: fc.oneof(
      fc.constant(everything),
      fc.tuple(fc.nat(25), fc.nat(25)).map(([a, b]) => ({
        from: rowKey(1, Math.min(a, b)),
        to: rowKey(1, Math.max(a, b)),
      })),
    ),
  });

  test('what is within the bounds is shown, as it is now', async () => {
    let left = 0;
    await fc.assert(
      fc.asyncProperty(anyScan, async (scan) => {
        const { writes, cuts, bounds, blockRowsMax, isLate, hasMemtable, snapshot, range } = scan;
        const versions = writes.map((write, i) => versionOf(write, i + 1));
        const model = new Model();
        for (const version of versions) model.write(version);
        const values = new Map(
          writes.map((write, i) => [
            `${rowKey(1, write.row).toHex()} ${versions[i]?.value?.toHex()}`,
            write,
          ]),
        );
        const isWanted = ([key, body]: Shown) => {
          const { count, price } = values.get(`${key} ${body}`) as Written;
          return bounds.every(({ column, min, max }) => {
            // A row without the column reads what the catalog says: the scan cannot know.
            const value = column === 1 ? count : price;
            return value === 'absent' || (value !== undefined && value >= min && value <= max);
          });
        };
        const ends = [...cuts, versions.length].sort((a, b) => a - b);
        const parts = ends
          .map((end, i) => versions.slice(ends[i - 1] ?? 0, end))
          .filter((part) => part.length > 0);
        const sources = parts.map((part, i): Source => {
          if (hasMemtable && i === parts.length - 1) return memtableOf(part);
          const name = `sst/0000000001-${i}`;
          return openTable(writeTable(part, { codecs, blockRowsMax }, name), { codecs, isLate });
        });
        sources.reverse();
        const all = model.scan(range, 'forward', snapshot);
        for (const direction of ['forward', 'backward'] as const) {
          const open = () => scanNewest(sources, range, direction, snapshot, bounds);
          const expected = direction === 'forward' ? all : all.toReversed();
          for (const shown of [await readAll(open()), await readInRuns(open(), 3)]) {
            expect(shown.filter(isWanted)).toEqual(expected.filter(isWanted));
            expect(expected.filter((entry) => shown.some(([key]) => key === entry[0]))).toEqual(
              shown,
            );
            left += expected.length - shown.length;
          }
        }
      }),
      { numRuns: 400 },
    );
    expect(left).toBeGreaterThan(200);
  });
});

function memtableOf(writes: readonly Version[]): Memtable {
  const memtable = new Memtable();
  for (const { key, value, sequence } of writes) {
    if (value === undefined) memtable.delete(key, sequence);
    else memtable.put(key, value, sequence);
  }
  memtable.freeze();
  return memtable;
}

test('a scan reads no block that it passes over, and stops at the end of its range', async () => {
  const versions = Array.from({ length: 2000 }, (_, row) => ({
    key: rowKey(1, row),
    sequence: 1,
    value: bodyOf([{ id: 1, bytes: int(row) }], true),
  }));
  const file = writeTable(versions, { codecs, blockRowsMax: 10 });
  const table = openTable(file, { codecs, scansFillCache: true });
  const shown = async (min: number, max: number, range: Parameters<typeof table.scan>[0]) => {
    const bounds = [{ column: 1, isFloat: false, min, max }];
    return (await readAll(table.scan(range, 'forward', 9, bounds))).length;
  };
  expect(await shown(995, 1004, everything)).toBe(20);
  expect(await shown(5000, 6000, everything)).toBe(0);
  expect(await shown(0, 3, { from: rowKey(1, 100), to: rowKey(1, 200) })).toBe(0);
  expect(await shown(150, 155, { from: rowKey(1, 100), to: rowKey(1, 200) })).toBe(10);
});
