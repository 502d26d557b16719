/** Bodies as columns: whatever goes in comes out byte for byte, in the encoding that the cells ask for. */

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { columnValues } from '../../../src/storage/columns/column-codec.ts';
import { columnEncodings, columnLayout } from '../../../src/storage/columns/column-format.ts';
import type { BlockSpan } from '../../../src/storage/contract/stored-block.ts';
import { openTable, writeTable } from '../files.ts';
import { Model, readAll, readInRuns, type Version } from '../model.ts';
import { bodyOf, type Cell, float, int, long, rowKey, text } from './bodies.ts';

const everything = { from: new Uint8Array(0), to: undefined };

const anyInt = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.integer({ min: -200, max: 200 }),
  fc.integer({ min: -70_000, max: 70_000 }),
  fc.integer(),
  fc.constantFrom(
    127,
    128,
    -128,
    -129,
    32_767,
    32_768,
    2 ** 31 - 1,
    -(2 ** 31),
    2 ** 31,
    2 ** 53 - 1,
  ),
);

/** Cells of one column. */
const kinds: readonly fc.Arbitrary<Uint8Array>[] = [
  anyInt.map(int),
  fc.integer({ min: 1_700_000_000_000, max: 1_700_000_900_000 }).map(int),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((value) => {
    return BigInt.asIntN(53, value) === value ? int(Number(value)) : long(value);
  }),
  fc.double().map(float),
  fc.boolean().map((value) => Uint8Array.of(value ? 1 : 0)),
  fc.constantFrom('paid', 'open', 'sent', 'lost').map(text),
  fc.constantFrom('S', 'XL', 'DE', 'ABCD').map(text),
  fc.stringMatching(/^[0-9]{8}$/).map(text),
  fc.string({ unit: 'grapheme', maxLength: 12 }).map(text),
  fc.uint8Array({ maxLength: 9 }),
  fc.constant(text('the same')),
  fc.constant(new Uint8Array(0)),
  fc.string({ minLength: 80, maxLength: 300 }).map(text),
];

const anyColumns = fc.uniqueArray(
  fc.record({ id: fc.integer({ min: 1, max: 40 }), kind: fc.nat(kinds.length - 1) }),
  { minLength: 0, maxLength: 6, selector: ({ id }) => id },
);

/** Rows of a table whose columns come and go, deletions and strange bodies among them. */
const anyVersions = anyColumns.chain((columns) => {
  const sorted = columns.toSorted((left, right) => left.id - right.id);
  const cells = sorted.map(({ id, kind }) =>
    fc.record({
      id: fc.constant(id),
      bytes: fc.option(kinds[kind] as fc.Arbitrary<Uint8Array>, { nil: undefined, freq: 6 }),
      isThere: fc.integer({ min: 0, max: 5 }),
    }),
  );
  const row = fc.record({
    cells: cells.length === 0 ? fc.constant([]) : fc.tuple(...cells),
    isAscii: fc.boolean(),
    fate: fc.integer({ min: 0, max: 40 }),
    table: fc.constantFrom(7, 7, 7, 8),
  });
  return fc.record({ rows: fc.array(row, { minLength: 1, maxLength: 60 }), mixes: fc.boolean() });
});

type Generated = typeof anyVersions extends fc.Arbitrary<infer T> ? T : never;

function versionsOf({ rows, mixes }: Generated, isStrange: boolean): Version[] {
  return rows.map(({ cells, isAscii, fate, table }, i): Version => {
    const there = (cells as readonly (Cell & { isThere: number })[]).filter(
      ({ isThere }) => !mixes || isThere > 0,
    );
    const body = bodyOf(there, isAscii);
    const value = fate === 0 ? undefined : isStrange && fate === 1 ? body.slice(1) : body;
    return { key: rowKey(table, i), sequence: i + 1, value };
  });
}

const codecs = columnValues;

describe('against the model', () => {
  test('bodies come out as they went in', async () => {
    const layouts = new Set<number>();
    await fc.assert(
      fc.asyncProperty(
        anyVersions,
        fc.boolean(),
        fc.constantFrom(1, 3, 1024),
        fc.constantFrom(200, 2000, 32_768),
        async (generated, isStrange, blockRowsMax, blockBytes) => {
          const versions = versionsOf(generated, isStrange);
          const model = new Model();
          for (const version of versions) model.write(version);
          const file = writeTable(versions, { codecs, blockRowsMax, blockBytes });
          const shown = model.scan(everything, 'forward', 1000);
          const open = () => openTable(file, { codecs });
          expect(await readAll(open().scan(everything, 'forward', 1000))).toEqual(shown);
          expect(await readAll(open().scan(everything, 'backward', 1000))).toEqual(
            shown.toReversed(),
          );
          const seen: BlockSpan[] = [];
          const cursor = open().scan(everything, 'forward', 1000);
          while (cursor.next()) {
            const run = cursor.takeRun?.(1000);
            if (run !== undefined) seen.push(run);
          }
          for (const { block } of seen) layouts.add(block.values.column === undefined ? 0 : 1);
          const deletions = versions.some(({ value }) => value === undefined);
          if (deletions) return;
          const again = open().scan(everything, 'forward', 1000);
          expect(await readInRuns(again, 7)).toEqual(shown);
        },
      ),
      { numRuns: 500 },
    );
    expect([...layouts].sort()).toEqual([0, columnLayout]);
  });

  test('a block holds rows of one table', () => {
    const body = (i: number) => bodyOf([{ id: 1, bytes: int(i) }], true);
    const versions = [3, 4].flatMap((table) =>
      Array.from({ length: 5 }, (_, i) => ({
        key: rowKey(table, i),
        sequence: 1,
        value: body(i * table),
      })),
    );
    const cursor = openTable(writeTable(versions, { codecs }), { codecs }).scan(
      everything,
      'forward',
      9,
    );
    const runs: number[] = [];
    while (cursor.next()) {
      const run = cursor.takeRun?.(1000) as BlockSpan;
      runs.push(run.to - run.from);
    }
    expect(runs).toEqual([5, 5]);
  });
});

describe('the encoding', () => {
  const encodingOf = (cells: readonly (Uint8Array | undefined)[]): number | undefined => {
    const versions = cells.map((bytes, i) => ({
      key: rowKey(1, i),
      sequence: 1,
      value: bodyOf([{ id: 9, bytes }], false),
    }));
    const options = { codecs, blockBytes: 1 << 20 };
    const cursor = openTable(writeTable(versions, options), { codecs }).scan(
      everything,
      'forward',
      9,
    );
    cursor.next();
    const run = cursor.takeRun?.(1);
    return run?.block.values.column?.(9)?.encoding;
  };
  const list = (count: number, cell: (i: number) => Uint8Array | undefined) =>
    Array.from({ length: count }, (_, i) => cell(i));
  const e = columnEncodings;

  test.each([
    ['integers that lie within 255', list(300, (i) => int(1000 + (i % 256))), e.offset8],
    ['integers that lie within 256', list(300, (i) => int(1000 + (i % 257))), e.offset16],
    ['integers that lie within 65,535', list(300, (i) => int(i * 219)), e.offset16],
    ['integers that lie within 65,536', list(2, (i) => int(i * 65_536)), e.offset32],
    ['times', list(300, (i) => int(1_700_000_000_000 + i * 1000)), e.offset32],
    ['integers that lie within 2^32', list(2, (i) => int(i * 2 ** 32)), e.int64],
    ['long integers, far apart', list(2, (i) => int(2 ** 40 * (i + 1))), e.eight],
    ['integers beyond numbers', list(3, (i) => long(2n ** 60n + BigInt(i))), e.eight],
    ['floats', list(300, (i) => float(i / 7)), e.eight],
    ['one value', list(300, () => float(0.5)), e.constant],
    ['nothing but NULL', list(9, () => undefined), e.constant],
    ['truths', list(300, (i) => Uint8Array.of(i & 1)), e.bits],
    ['few texts', list(300, (i) => text(`status ${i % 6}`)), e.dictionary],
    ['few texts of two letters', list(300, (i) => text(`D${i % 6}`)), e.dictionary],
    ['many texts', list(300, (i) => text(`name ${i}`)), e.narrowEnds],
    ['long texts', list(300, (i) => text(`${i} `.repeat(100))), e.wideEnds],
  ])('of %s', (_, cells, encoding) => {
    expect(encodingOf(cells as Uint8Array[])).toBe(encoding);
  });
});
