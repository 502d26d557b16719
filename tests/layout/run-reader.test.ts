/** Columns of runs against rows one by one, through blocks as they are stored. */

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Column, Table } from '#catalog';
import { RunReader, tableLayout } from '#layout';
import type { Row, Scalar } from '#value';
import { columnValues } from '../../src/storage/columns/column-codec.ts';
import type { BlockSpan } from '../../src/storage/contract/stored-block.ts';
import { openTable, writeTable } from '../storage/files.ts';
import { columnsOfValues, tableWith, typeLists } from './values.ts';

const codecs = columnValues;

const tableAndRows = fc
  .record({ keyTypes: typeLists(1, 2), otherTypes: typeLists(0, 6) })
  .map(tableWith)
  .chain((table) =>
    fc
      .tuple(...table.columns.map(columnsOfValues))
      .chain((columns) => fc.array(fc.tuple(...columns), { minLength: 1, maxLength: 40 }))
      .map((rows): [Table, readonly Row[]] => [table, rows]),
  );

test('every column of a run reads as the rows do', () => {
  let typed = 0;
  fc.assert(
    fc.property(tableAndRows, fc.integer({ min: 1, max: 50 }), ([table, rows], max) => {
      const layout = tableLayout(table);
      const versions = new Map(
        rows.map((row) => {
          const key = layout.keyOfRow(row);
          return [
            key.toHex(),
            { row, version: { key, sequence: 1, value: layout.bodyOfRow(row) } },
          ];
        }),
      );
      const file = writeTable(
        [...versions.values()].map(({ version }) => version),
        { codecs },
      );
      const cursor = openTable(file, { codecs }).scan(layout.range, 'forward', 9);
      const reader = new RunReader(table, table.columns);
      let seen = 0;
      while (cursor.next()) {
        const run = cursor.takeRun?.(max) as BlockSpan;
        const columns = table.columns.map((_, c) => {
          const values = reader.column(c, run);
          if (values instanceof Float64Array) typed++;
          return Array.from<Scalar>(values);
        });
        const positions = Uint32Array.from(columns[0]?.keys() ?? []).filter((i) => i % 3 === 1);
        table.columns.forEach((_, c) => {
          const few = reader.column(c, run, { positions, count: positions.length });
          for (const at of positions) expect(few[at]).toStrictEqual(columns[c]?.[at] as Scalar);
        });
        for (let i = 0; i < run.to - run.from; i++) {
          const { block } = run;
          const from = block.suffixFrom(run.from + i);
          const suffix = block.bytes.subarray(from, block.suffixTo(run.from + i)).toHex();
          const prefix = block.bytes.subarray(block.prefixAt, block.prefixAt + block.prefixLength);
          const expected = versions.get(prefix.toHex() + suffix)?.row;
          expect(columns.map((values) => values[i] as Scalar)).toStrictEqual([
            ...(expected as Row),
          ] as Scalar[]);
          seen++;
        }
      }
      expect(seen).toBe(versions.size);
    }),
    { seed: 7, numRuns: 600 },
  );
  expect(typed).toBeGreaterThan(500);
});

test.each([
  [0, 1],
  [-3, 7],
  [2 ** 40, 1],
  [-(2 ** 33), 2 ** 33],
  [2 ** 53 - 1_000, 1],
])('keys of several integers from %d on, %d apart, are read as numbers', (first, step) => {
  const table = tableWith({ keyTypes: ['int64', 'int64', 'int64'], otherTypes: [] });
  const layout = tableLayout(table);
  const rows = Array.from(
    { length: 40 },
    (_, i): Row => [first + Math.floor(i / 3) * step, (i % 3) * step - 1, i % 2 === 0 ? 5 : -5],
  );
  const versions = rows.map((row) => ({
    key: layout.keyOfRow(row),
    sequence: 1,
    value: layout.bodyOfRow(row),
  }));
  const cursor = openTable(writeTable(versions, { codecs }), { codecs }).scan(
    layout.range,
    'forward',
    9,
  );
  const reader = new RunReader(table, table.columns);
  const columns: Scalar[][] = table.columns.map(() => []);
  while (cursor.next()) {
    const run = cursor.takeRun?.(1024) as BlockSpan;
    table.columns.forEach((_, c) => {
      const values = reader.column(c, run);
      expect(values).toBeInstanceOf(Float64Array);
      columns[c]?.push(...values);
    });
  }
  table.columns.forEach((_, c) => {
    expect(columns[c]).toEqual(rows.map((row) => row[c] as Scalar));
  });
});

// As many bytes as a difference between two of them takes: one, two, four, and eight.
test.each([
  [5, 3],
  [-7, 1_000],
  [2 ** 40, 10_000_000],
  [-(2 ** 52), 2 ** 45],
])(
  'numbers from %d on, %d apart, are those of their rows in runs that begin behind the block',
  (first, step) => {
    const table = tableWith({ keyTypes: ['int64'], otherTypes: ['int64'] });
    const layout = tableLayout(table);
    const rows = Array.from({ length: 40 }, (_, i): Row => [first + ((i * 17) % 40) * step, i]);
    const versions = rows.map((row) => ({
      key: layout.keyOfRow(row),
      sequence: 1,
      value: layout.bodyOfRow(row),
    }));
    const stored = openTable(writeTable(versions, { codecs }), { codecs });
    const cursor = stored.scan(layout.range, 'forward', 9);
    const reader = new RunReader(table, table.columns);
    const positions = Uint32Array.of(0, 2, 5);
    let seen = 0;
    while (cursor.next()) {
      const run = cursor.takeRun?.(9) as BlockSpan;
      const expected = rows.slice(seen, seen + run.to - run.from).map((row) => row[0] as Scalar);
      const count = positions.filter((at) => at < expected.length).length;
      const few = reader.column(0, run, { positions, count });
      for (const at of positions.subarray(0, count)) expect(few[at]).toBe(expected[at] as Scalar);
      expect([...reader.column(0, run)]).toEqual(expected);
      seen += expected.length;
    }
    expect(seen).toBe(rows.length);
  },
);

test('a column that no row of a block has reads its missing value', () => {
  const table = tableWith({ keyTypes: ['int64'], otherTypes: ['text'] });
  const layout = tableLayout(table);
  const row = ['a', 1];
  const version = { key: layout.keyOfRow(row), sequence: 1, value: layout.bodyOfRow(row) };
  const cursor = openTable(writeTable([version], { codecs }), { codecs }).scan(
    layout.range,
    'forward',
    9,
  );
  cursor.next();
  const run = cursor.takeRun?.(1) as BlockSpan;
  const younger = { ...(table.columns[0] as Column), physicalId: 99, missing: 'there' };
  expect([...new RunReader(table, [younger]).column(0, run)]).toEqual(['there']);
});

test('rows that are older than a column read its missing value, beside rows that have it', () => {
  const table = tableWith({ keyTypes: ['int64'], otherTypes: ['int64', 'text'] });
  const [count, key, word] = table.columns as [Column, Column, Column];
  const older = { ...table, columns: [key, word] };
  const withCount = tableLayout(table);
  const versions = Array.from({ length: 8 }, (_, i) => {
    const value =
      i % 3 === 0
        ? tableLayout(older).bodyOfRow([i, 'w'])
        : withCount.bodyOfRow([i % 3 === 1 ? null : i, i, 'w']);
    return { key: withCount.keyOfValues([i]), sequence: 1, value };
  });
  const cursor = openTable(writeTable(versions, { codecs }), { codecs }).scan(
    withCount.range,
    'forward',
    9,
  );
  cursor.next();
  const run = cursor.takeRun?.(100) as BlockSpan;
  const reader = new RunReader(table, [{ ...count, missing: 77 }, word]);
  expect([...reader.column(0, run)]).toEqual([77, null, 2, 77, null, 5, 77, null]);
  expect(new Set(reader.column(1, run))).toEqual(new Set(['w']));
});
