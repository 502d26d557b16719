import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { ColumnDefinition } from '#catalog';
import { tableLayout } from '#layout';
import { ByteString, type Row, type Scalar } from '#value';
import { after, catalogOf, tableOf } from '../catalog/support.ts';
import { readRow, rowsOf, runs, tableWith, typeLists } from './values.ts';

const shapes = fc.record({ keyTypes: typeLists(1, 3), otherTypes: typeLists(0, 11) });
const tableAndRow = shapes
  .map(tableWith)
  .chain((table) => fc.tuple(fc.constant(table), rowsOf(table)));

describe('a stored row', () => {
  test('reads back equal, -0 included', () => {
    fc.assert(
      fc.property(tableAndRow, ([table, row]) => {
        const layout = tableLayout(table);
        expect(readRow(table, layout.keyOfRow(row), layout.bodyOfRow(row))).toStrictEqual(row);
      }),
      runs,
    );
  });

  test('reads back equal out of shared memory, whatever surrounds it', () => {
    fc.assert(
      fc.property(tableAndRow, fc.constantFrom(0, 1, 255), ([table, row], filler) => {
        const layout = tableLayout(table);
        const key = layout.keyOfRow(row);
        const body = layout.bodyOfRow(row);
        const memory = new Uint8Array(key.length + body.length + 9).fill(filler);
        memory.set(key, 3);
        memory.set(body, key.length + 6);
        const reader = layout.reader();
        reader.open(memory, 3, 3 + key.length, memory, key.length + 6, memory.length - 3);
        const cells = table.columns.map((_, ordinal) => reader.cell(ordinal));
        expect(cells).toStrictEqual([...row] as Scalar[]);
      }),
      runs,
    );
  });

  test('gives its cells in any order', () => {
    const table = tableWith({ keyTypes: ['text', 'int64'], otherTypes: ['text', 'bytes', 'bool'] });
    fc.assert(
      fc.property(rowsOf(table), fc.array(fc.nat(4)), (row, order) => {
        const layout = tableLayout(table);
        const [key, body] = [layout.keyOfRow(row), layout.bodyOfRow(row)];
        const reader = layout.reader();
        reader.open(key, 0, key.length, body, 0, body.length);
        for (const ordinal of order) {
          expect(reader.cell(ordinal)).toStrictEqual(row[ordinal] as Scalar);
        }
      }),
      runs,
    );
  });

  test('keeps bytes that the reader moves away from', () => {
    const table = tableWith({ keyTypes: ['int64'], otherTypes: ['bytes'] });
    const layout = tableLayout(table);
    const row: Row = [new ByteString(Uint8Array.of(1, 2, 3), 'uuid'), 1];
    const [key, body] = [layout.keyOfRow(row), layout.bodyOfRow(row)];
    const reader = layout.reader();
    reader.open(key, 0, key.length, body, 0, body.length);
    const cell = reader.cell(0);
    body.fill(0);
    expect(cell).toStrictEqual(row[0] as Scalar);
  });
});

test('ends of cells take one byte up to 255, two up to 65,535, then four', () => {
  const table = tableOf(
    catalogOf({
      name: 't',
      columns: [
        { name: 'id', type: 'int64' },
        { name: 'body', type: 'text' },
      ],
      primary_key: ['id'],
    }),
    't',
  );
  const { bodyOfRow } = tableLayout(table);
  const overhead = (length: number) => bodyOfRow([1, 'x'.repeat(length)]).length - length;
  const short = overhead(0);
  expect([255, 256, 65_535, 65_536].map((length) => overhead(length) - short)).toEqual([
    0, 1, 1, 3,
  ]);
});

describe('the key of a row', () => {
  test('is the same from its row and from its values', () => {
    fc.assert(
      fc.property(tableAndRow, ([table, row]) => {
        const layout = tableLayout(table);
        const values = layout.keyOrdinals.map((ordinal) => row[ordinal] as never);
        expect(layout.keyOfValues(values)).toEqual(layout.keyOfRow(row));
      }),
      runs,
    );
  });

  test('is one for -0 and +0, while the body keeps the sign', () => {
    const table = tableWith({ keyTypes: ['float64'], otherTypes: [] });
    const layout = tableLayout(table);
    expect(layout.keyOfRow([-0])).toEqual(layout.keyOfRow([0]));
    expect(Object.is(readRow(table, layout.keyOfRow([-0]), layout.bodyOfRow([-0]))[0], -0)).toBe(
      true,
    );
  });
});

describe('schema changes', () => {
  const x: ColumnDefinition = {
    name: 'x',
    type: 'text',
    default: { kind: 'literal', value: 'old' },
  };
  const y: ColumnDefinition = { name: 'y', type: 'int64', nullable: true };
  const base = catalogOf({
    name: 't',
    columns: [
      { name: 'id', type: 'int64' },
      { name: 'a', type: 'text' },
      { name: 'b', type: 'int64', nullable: true },
    ],
    primary_key: ['id'],
  });
  const grown = after(
    base,
    { kind: 'create_column', table_id: 1, column: x },
    { kind: 'create_column', table_id: 1, column: y },
  );
  const shrunk = after(grown, { kind: 'delete_column', table_id: 1, column_id: 2 });
  const regrown = after(shrunk, {
    kind: 'create_column',
    table_id: 1,
    column: { name: 'a', type: 'bool', nullable: true },
  });
  const [t0, t1, t2, t3] = [base, grown, shrunk, regrown].map((each) => tableOf(each, 't')) as [
    ReturnType<typeof tableOf>,
    ReturnType<typeof tableOf>,
    ReturnType<typeof tableOf>,
    ReturnType<typeof tableOf>,
  ];
  const stored = (table: typeof t0, row: Row) => {
    const layout = tableLayout(table);
    return { key: layout.keyOfRow(row), body: layout.bodyOfRow(row) };
  };
  const read = (table: typeof t0, { key, body }: ReturnType<typeof stored>) =>
    readRow(table, key, body);

  test('an absent cell reads the missing value, a NULL cell NULL', () => {
    expect(read(t1, stored(t0, [1, 'a', null]))).toEqual([1, 'a', null, 'old', null]);
    expect(read(t1, stored(t1, [1, 'a', 2, 'new', null]))).toEqual([1, 'a', 2, 'new', null]);
  });

  test('a missing value outlives its default', () => {
    const changed = after(grown, { kind: 'change_column_default', table_id: 1, column_id: 4 });
    const renamed = after(changed, { kind: 'rename_column', table_id: 1, column_id: 4, to: 'z' });
    expect(read(tableOf(renamed, 't'), stored(t0, [1, 'a', 2]))).toEqual([1, 'a', 2, 'old', null]);
  });

  test('cells of deleted columns are passed over, also by a new column of the name', () => {
    const old = stored(t1, [1, 'a', 2, 'new', 5]);
    expect(read(t2, old)).toEqual([1, 2, 'new', 5]);
    expect(read(t3, old)).toEqual([1, 2, 'new', 5, null]);
    expect(read(t3, stored(t3, [1, 2, 'new', 5, true]))).toEqual([1, 2, 'new', 5, true]);
  });

  test('one reader goes back and forth between shapes', () => {
    const rows = [
      stored(t0, [1, 'a', 2]),
      stored(t1, [2, 'é', null, 'x', 7]),
      stored(t2, [3, 3, 'y', null]),
      stored(t3, [4, 4, 'z', 8, false]),
    ];
    const expected = [
      [1, 2, 'old', null, null],
      [2, null, 'x', 7, null],
      [3, 3, 'y', null, null],
      [4, 4, 'z', 8, false],
    ];
    const reader = tableLayout(t3).reader();
    for (const i of [0, 1, 2, 3, 0, 2, 1, 3, 3, 0]) {
      const { key, body } = rows[i] as (typeof rows)[0];
      reader.open(key, 0, key.length, body, 0, body.length);
      expect(t3.columns.map((_, ordinal) => reader.cell(ordinal))).toEqual(expected[i] as never);
    }
  });
});

test('a layout is made once for a record', () => {
  const table = tableWith({ keyTypes: ['int64'], otherTypes: ['text'] });
  expect(tableLayout(table)).toBe(tableLayout(table));
});

test('a body of an unknown format is refused', () => {
  const table = tableWith({ keyTypes: ['int64'], otherTypes: ['text'] });
  const layout = tableLayout(table);
  const body = layout.bodyOfRow(['a', 1]);
  body[0] = (body[0] as number) ^ 0x20;
  expect(() => readRow(table, layout.keyOfRow(['a', 1]), body)).toThrow('known format');
});
