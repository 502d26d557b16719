import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { compareBytes } from '#base';
import type { Table } from '#catalog';
import {
  encodeInterval,
  type IndexLayout,
  type IntervalBound,
  indexLayout,
  type TableLayout,
  tableLayout,
} from '#layout';
import type { KeyRange } from '#storage';
import { comparatorOf, type Row, type Scalar, type ScalarType } from '#value';
import { rowsOf, runs, tableWith, typeLists, valuesOf } from './values.ts';

interface Case {
  readonly table: Table;
  readonly row: Row;
  readonly prefix: readonly Scalar[];
  readonly lower: IntervalBound | undefined;
  readonly upper: IntervalBound | undefined;
}

const withNull = (values: fc.Arbitrary<Scalar>) => fc.option(values, { nil: null, freq: 5 });

/** An interval over columns of `types`; half of the prefixes and bounds are taken from the row, else hits would be rare. */
function intervals(table: Table, ordinals: readonly number[]): fc.Arbitrary<Case> {
  const types = ordinals.map((ordinal) => table.columns[ordinal]?.type as ScalarType);
  return fc
    .record({ row: rowsOf(table), length: fc.nat(types.length) })
    .chain(({ row, length }) => {
      const member = (i: number) => {
        const own = fc.constant(row[ordinals[i] as number] as Scalar);
        return fc.oneof({ arbitrary: own, weight: 3 }, withNull(valuesOf(types[i] as ScalarType)));
      };
      const bound =
        length === types.length
          ? fc.constant(undefined)
          : fc.option(fc.record({ value: member(length), inclusive: fc.boolean() }), {
              nil: undefined,
            });
      return fc.record({
        table: fc.constant(table),
        row: fc.constant(row),
        prefix: fc.tuple(...types.slice(0, length).map((_, i) => member(i))),
        lower: bound,
        upper: bound,
      });
    });
}

function isInside(range: KeyRange | undefined, key: Uint8Array): boolean {
  if (range === undefined || compareBytes(range.from, key) > 0) return false;
  return range.to === undefined || compareBytes(key, range.to) < 0;
}

/** The same question, answered by comparing values. */
function matches({ row, prefix, lower, upper, table }: Case, ordinals: readonly number[]): boolean {
  const compare = (i: number, value: Scalar) => {
    const ordinal = ordinals[i] as number;
    return comparatorOf(table.columns[ordinal]?.type as ScalarType)(row[ordinal] as Scalar, value);
  };
  if (prefix.some((value, i) => compare(i, value) !== 0)) return false;
  if (lower === undefined && upper === undefined) return true;
  const next = prefix.length;
  if (row[ordinals[next] as number] === null) return false;
  return (
    isAbove(lower, (value) => compare(next, value)) &&
    isAbove(upper, (value) => -compare(next, value))
  );
}

function isAbove(bound: IntervalBound | undefined, compare: (value: Scalar) => number): boolean {
  if (bound === undefined) return true;
  if (bound.value === null) return false;
  const order = compare(bound.value);
  return order > 0 || (order === 0 && bound.inclusive);
}

const shapes = fc.record({ keyTypes: typeLists(1, 3), otherTypes: typeLists(1, 3) });

function withIndex(table: Table, unique: boolean): Table {
  const columns = table.columns.filter(({ name }) => name.startsWith('c')).map(({ id }) => id);
  return { ...table, indexes: [{ name: 'i', physicalId: 50, columns, unique }] };
}

const layoutOf = (table: Table): IndexLayout =>
  indexLayout(table, table.indexes[0] as Table['indexes'][0]);

describe('a key is in the range exactly when its row satisfies the interval', () => {
  test('of the primary key', () => {
    const cases = shapes
      .map(tableWith)
      .chain((table) => intervals(table, tableLayout(table).keyOrdinals));
    fc.assert(
      fc.property(cases, (each) => {
        const layout = tableLayout(each.table);
        const range = encodeInterval(layout, each.prefix, each.lower, each.upper);
        expect(isInside(range, layout.keyOfRow(each.row))).toBe(matches(each, layout.keyOrdinals));
      }),
      { ...runs, numRuns: 1000 },
    );
  });

  test.each([false, true])('of an index (unique: %p)', (unique) => {
    const cases = shapes
      .map((shape) => withIndex(tableWith(shape), unique))
      .chain((table) => intervals(table, layoutOf(table).ordinals));
    fc.assert(
      fc.property(cases, (each) => {
        const layout = layoutOf(each.table);
        const range = encodeInterval(layout, each.prefix, each.lower, each.upper);
        const { key } = layout.entry(each.row, tableLayout(each.table).keyOfRow(each.row));
        expect(isInside(range, key)).toBe(matches(each, layout.ordinals));
      }),
      { ...runs, numRuns: 1000 },
    );
  });
});

describe('intervals', () => {
  const table = tableWith({ keyTypes: ['int64', 'int64'], otherTypes: [] });
  const layout: TableLayout = tableLayout(table);
  const at = (value: Scalar, inclusive = true): IntervalBound => ({ value, inclusive });

  test('without anything are the whole table', () => {
    expect(encodeInterval(layout, [], undefined, undefined)).toEqual(layout.range);
  });

  test('are empty with lower above upper, or with a NULL bound', () => {
    expect(encodeInterval(layout, [], at(2), at(1))).toBeUndefined();
    expect(encodeInterval(layout, [], at(1, false), at(1))).toBeUndefined();
    expect(encodeInterval(layout, [], at(1), at(1, false))).toBeUndefined();
    expect(encodeInterval(layout, [], at(null), undefined)).toBeUndefined();
    expect(encodeInterval(layout, [], undefined, at(null))).toBeUndefined();
    expect(encodeInterval(layout, [], at(1), at(1))).toBeDefined();
  });
});
