/** Large results in pieces: the same text as in one go, in steps of bounded size. */

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  ByteString,
  type Datum,
  encodeInPieces,
  encodeResult,
  isLightResult,
  type OutputColumn,
  PieceWriter,
  type Row,
} from '#value';
import type { ResultShape } from '../../../src/value/json/encode.ts';
import { int64 as anyInt64, float64, text } from '../arbitrary.ts';

const int64: OutputColumn = { name: 'i', type: { kind: 'int64' }, nullable: false };
const note: OutputColumn = { name: 'note', type: { kind: 'text' }, nullable: true };
const arrayOf = (name: string, ...columns: OutputColumn[]): OutputColumn => ({
  name,
  type: { kind: 'array', columns },
  nullable: true,
});
const rowOf = (name: string, ...columns: OutputColumn[]): OutputColumn => ({
  name,
  type: { kind: 'row', columns },
  nullable: true,
});

interface Written {
  readonly text: string;
  readonly writer: PieceWriter;
  /** Characters that each step has added. */
  readonly steps: readonly number[];
}

function write(
  columns: readonly OutputColumn[],
  rows: readonly Row[],
  shape: ResultShape = 'many',
): Written {
  const writer = new PieceWriter();
  const steps: number[] = [];
  let before = 0;
  for (const _ of encodeInPieces({ columns, rows, shape }, writer)) {
    steps.push(writer.bytes - before);
    before = writer.bytes;
  }
  writer.flush();
  return { text: Buffer.concat(writer.pieces).toString(), writer, steps };
}

const numbers = (count: number): Row[] => Array.from({ length: count }, (_, i) => [i]);

test('rows, first rows and scalars look as in one go, and the bytes are counted', () => {
  const columns = [int64, note];
  const rows = Array.from({ length: 5000 }, (_, i) => [i, i % 3 === 0 ? null : `€ ${i}`]);
  for (const shape of ['many', 'first', 'exactly_one', 'scalar'] as const) {
    const { text, writer } = write(columns, rows, shape);
    expect(text).toBe(encodeResult(columns, rows, shape));
    expect(writer.bytes).toBe(Buffer.byteLength(text));
    expect(write(columns, [], shape).text).toBe(encodeResult(columns, [], shape));
  }
});

test('any nesting looks as in one go', () => {
  const columns = [int64, arrayOf('a', note, arrayOf('b', note)), rowOf('r', note, int64)];
  const long = fc.tuple(text, fc.constantFrom(1, 1, 400, 9000)).map(([t, n]) => t.repeat(n));
  const cell = fc.option(long);
  const inner = fc.array(fc.tuple(cell), { maxLength: 3 });
  const outer = fc.option(fc.array(fc.tuple(cell, fc.option(inner)), { maxLength: 3 }));
  const row = fc.tuple(fc.constant(7), outer, fc.option(fc.tuple(cell, fc.constant(8))));
  fc.assert(
    fc.property(fc.array(row, { maxLength: 5 }), (rows) => {
      const table = rows as unknown as Row[];
      expect(write(columns, table).text).toBe(encodeResult(columns, table, 'many'));
    }),
    { numRuns: 60 },
  );
});

const flat: readonly OutputColumn[] = [
  ['2', 'int64'],
  ['1', 'float64'],
  ['__proto__', 'bool'],
  ['ü "€" \n', 'text'],
  ['bytes', 'bytes'],
].map(([name, kind]) => ({ name, type: { kind }, nullable: true }) as OutputColumn);

test('flat rows of any values look as in one go', () => {
  const decimal = fc
    .tuple(fc.integer(), fc.integer({ min: 0, max: 6 }))
    .map(([digits, scale]) => digits / 10 ** scale);
  const bytes = fc.uint8Array({ maxLength: 4 }).map((value) => new ByteString(value));
  const row = fc.tuple(
    fc.option(anyInt64),
    fc.option(fc.oneof(float64, decimal)),
    fc.option(fc.boolean()),
    fc.option(fc.oneof(text, fc.string({ maxLength: 60 }))),
    fc.option(bytes),
  );
  fc.assert(
    fc.property(fc.array(row, { maxLength: 200, size: 'max' }), (table) => {
      expect(write(flat, table as Row[]).text).toBe(encodeResult(flat, table as Row[], 'many'));
    }),
    { numRuns: 100 },
  );
});

test('whole numbers and decimals at the edges look as in one go', () => {
  const edges = [0, 1, 9, 10, 99, 100, 999_999_999, 1e9, 1e9 + 1, 999_999_999_999_999, 2 ** 53];
  const floats = [
    ...edges,
    0.1,
    0.01,
    0.001,
    0.0001,
    1.5,
    1_999_999.999,
    2_000_000.001,
    1e-5,
    1e15,
  ];
  const signed = (values: readonly number[]) => values.flatMap((value) => [value, -value]);
  const rows = signed(floats).map((value): Row => {
    const whole = Number.isInteger(value) && Math.abs(value) <= 2 ** 53 ? value : 0;
    return [whole === 0 ? 0 : whole, value, null, '', null];
  });
  expect(write(flat, rows).text).toBe(encodeResult(flat, rows, 'many'));
});

test('texts that are mostly escaped look as in one go', () => {
  const rows = numbers(20_000).map(([i]): Row => [i as number, `"${i}"`]);
  expect(write([int64, note], rows).text).toBe(encodeResult([int64, note], rows, 'many'));
});

test('no step writes much, also inside of one row', () => {
  const deep = [arrayOf('a', int64, arrayOf('b', int64))];
  const row: Row = [Array.from({ length: 300 }, (_, i): Row => [i, numbers(2000)])];
  const { text, steps } = write(deep, [row], 'first');
  expect(text).toBe(encodeResult(deep, [row], 'first'));
  expect(Math.max(...steps)).toBeLessThan(4 * 65_536);
  const wide = Array.from({ length: 100 }, () => ['x'.repeat(60_000)]);
  expect(Math.max(...write([note], wide).steps)).toBeLessThan(4 * 65_536);
});

test('an array that stands in many rows is written and held once', () => {
  const shared: Datum = numbers(20_000);
  const rows = Array.from({ length: 1000 }, (_, i): Row => [i, shared]);
  const { writer, steps } = write([int64, arrayOf('a', int64)], rows);
  const one = encodeResult([int64], shared as Row[], 'many').length;
  expect(writer.bytes).toBeGreaterThan(1000 * one);
  expect(writer.heldBytes).toBeLessThan(2 * one);
  expect(steps.length).toBeLessThan(5000);
});

test('what is light is over in one go', () => {
  expect(isLightResult([int64], numbers(100))).toBe(true);
  expect(isLightResult([int64], numbers(100_000))).toBe(false);
  expect(isLightResult([note], [['x'.repeat(200_000)]])).toBe(false);
  expect(isLightResult([note], [['x'], [null]])).toBe(true);
  expect(isLightResult([note], [['x'.repeat(100_000)]])).toBe(true);
  // Of short members there are many in as many characters, and each takes its time.
  expect(isLightResult([int64], numbers(10_000))).toBe(false);
  expect(isLightResult([arrayOf('a', int64)], [[numbers(100_000)]])).toBe(false);
  expect(isLightResult([rowOf('r', note)], [[['x'.repeat(200_000)]]])).toBe(false);
});
