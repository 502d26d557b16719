/** Arbitrary values, rows and tables for the property tests of layouts. */

import fc from 'fast-check';
import type { Column, ColumnDefinition, Table } from '#catalog';
import { tableLayout } from '#layout';
import { ByteString, type Row, type Scalar, type ScalarType, scalarTypes, toInt64 } from '#value';
import { catalogOf, tableOf } from '../catalog/support.ts';

/** Every property runs on the same cases each time. */
export const runs = { seed: 20, numRuns: 300 };

const extremes = [0n, 1n, -1n, 127n, -128n, 128n, 32767n, -32769n, 2n ** 31n, -(2n ** 31n)]
  .concat([2n ** 32n, 2n ** 53n - 1n, 2n ** 53n, -(2n ** 53n), -(2n ** 53n) + 1n])
  .concat([2n ** 63n - 1n, -(2n ** 63n)]);

const int64 = fc
  .oneof(fc.constantFrom(...extremes), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }))
  .map((value) => toInt64(value) as Scalar);
const float64 = fc.oneof(
  fc.constantFrom(0, -0, 5e-324, -5e-324, Number.MAX_VALUE, -Number.MAX_VALUE, 1.5, -1.5),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const text = fc.oneof(
  fc.constantFrom(
    '',
    '\0',
    'a\0',
    'a\0b',
    '\0\0',
    '\u{10000}',
    '\uffff',
    '\ufeffx',
    'é'.repeat(90),
  ),
  fc.constantFrom('x'.repeat(300), 'y'.repeat(70_000)),
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('a', 'b', '\0', '\u0001', '\u00ff') }),
);
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 20 }),
  fc.array(fc.constantFrom(0, 1, 255), { maxLength: 5 }).map((list) => Uint8Array.from(list)),
);

/** Values of a type, without NULL. */
export function valuesOf(type: ScalarType, format?: 'uuid'): fc.Arbitrary<Scalar> {
  switch (type) {
    case 'int64':
      return int64;
    case 'float64':
      return float64;
    case 'text':
      return text;
    case 'bool':
      return fc.boolean();
    case 'bytes':
      return bytes.map((each) => new ByteString(each, format));
  }
}

export const typeLists = (minLength: number, maxLength: number) =>
  fc.array(fc.constantFrom(...scalarTypes), { minLength, maxLength });

export interface TableShape {
  readonly keyTypes: readonly ScalarType[];
  readonly otherTypes: readonly ScalarType[];
}

/** Key columns stand before, between and behind the others. */
export function tableWith({ keyTypes, otherTypes }: TableShape): Table {
  const keys = keyTypes.map((type, i): ColumnDefinition => ({ name: `k${i}`, type }));
  const others = otherTypes.map(
    (type, i): ColumnDefinition => ({
      name: `c${i}`,
      type,
      nullable: true,
      ...(type === 'bytes' && { format: 'uuid' }),
    }),
  );
  const columns: ColumnDefinition[] = [];
  for (let i = 0; i < Math.max(keys.length, others.length); i++) {
    columns.push(...others.slice(i, i + 1), ...keys.slice(i, i + 1));
  }
  const catalog = catalogOf({ name: 't', columns, primary_key: keys.map(({ name }) => name) });
  return tableOf(catalog, 't');
}

/** Rows in catalog order. */
export function rowsOf(table: Table): fc.Arbitrary<Row> {
  return fc.tuple(
    ...table.columns.map(({ type, nullable, identifierFormat }) => {
      const values = valuesOf(type, identifierFormat === 'uuid' ? 'uuid' : undefined);
      return nullable ? fc.option(values, { nil: null, freq: 4 }) : values;
    }),
  );
}

/** All cells of the row that is stored under `key`. */
export function readRow(table: Table, key: Uint8Array, body: Uint8Array): Row {
  const reader = tableLayout(table).reader();
  reader.open(key, 0, key.length, body, 0, body.length);
  return table.columns.map((_, ordinal) => reader.cell(ordinal));
}

/** Columns whose values are near, few, or all over the place. */
export function columnsOfValues({
  type,
  nullable,
  identifierFormat,
}: Column): fc.Arbitrary<fc.Arbitrary<Scalar>> {
  const any = valuesOf(type, identifierFormat === 'uuid' ? 'uuid' : undefined);
  const few = fc
    .array(any, { minLength: 1, maxLength: 4 })
    .map((values) => fc.constantFrom(...values));
  const numbers =
    type === 'int64' ? [300, 70_000, 2 ** 40].map((max) => fc.constant(near(max))) : [];
  const words =
    type === 'text' ? [fc.constant(fc.constantFrom<Scalar>('XL', 'DE', 'ABCDEFGH'))] : [];
  const floats = type === 'float64' ? [fc.constant(fc.constantFrom<Scalar>(3, 5e-324, 0))] : [];
  return fc
    .oneof(fc.constant(any), few, ...numbers, ...words, ...floats)
    .map((values) => (nullable ? fc.oneof(values, values, values, fc.constant(null)) : values));
}

const near = (max: number) => fc.integer({ min: -3, max }) as fc.Arbitrary<Scalar>;
