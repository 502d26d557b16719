import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { compareBytes } from '#base';
import type { Table } from '#catalog';
import { checkIndexEntry, checkRowKey, indexLayout, tableLayout } from '#layout';
import { comparatorOf, type Row, type Scalar, type ScalarType } from '#value';
import { after, catalogOf, failureOf, tableOf } from '../catalog/support.ts';
import { rowsOf, runs, tableWith, typeLists } from './values.ts';

interface Case {
  readonly table: Table;
  readonly rows: readonly [Row, Row];
}

/** A table with an index over its columns `c…`, and two rows. */
function cases(unique: boolean): fc.Arbitrary<Case> {
  return fc
    .record({ keyTypes: typeLists(1, 2), otherTypes: typeLists(1, 3) })
    .map((shape) => indexed(tableWith(shape), shape.otherTypes, unique))
    .chain((table) =>
      fc.record({ table: fc.constant(table), rows: fc.tuple(rowsOf(table), rowsOf(table)) }),
    );
}

function indexed(table: Table, otherTypes: readonly ScalarType[], unique: boolean): Table {
  const index = { name: 'i', physicalId: 99, unique, columns: [] as number[] };
  index.columns = table.columns
    .filter(({ name }) => name.startsWith('c'))
    .slice(0, otherTypes.length)
    .map(({ id }) => id);
  return { ...table, indexes: [index] };
}

function layoutsOf(table: Table) {
  const [index] = table.indexes;
  if (index === undefined) throw new Error('the table has an index');
  return { ofTable: tableLayout(table), ofIndex: indexLayout(table, index) };
}

function compareTuples(types: readonly ScalarType[], left: Row, right: Row): number {
  for (let i = 0; i < types.length; i++) {
    const order = comparatorOf(types[i] as ScalarType)(left[i] as Scalar, right[i] as Scalar);
    if (order !== 0) return order;
  }
  return 0;
}

const typesOf = (table: Table, ordinals: readonly number[]) =>
  ordinals.map((ordinal) => table.columns[ordinal]?.type as ScalarType);
const pick = (row: Row, ordinals: readonly number[]) =>
  ordinals.map((ordinal) => row[ordinal] as Scalar);

describe.each([false, true])('an entry (unique: %p)', (unique) => {
  test('leads to its row', () => {
    fc.assert(
      fc.property(cases(unique), ({ table, rows: [row] }) => {
        const { ofTable, ofIndex } = layoutsOf(table);
        const rowKey = ofTable.keyOfRow(row);
        const { key, value } = ofIndex.entry(row, rowKey);
        expect(ofIndex.rowKeyOfEntry(key, 0, key.length, value, 0, value.length)).toEqual(rowKey);
        const memory = new Uint8Array(key.length + value.length + 6).fill(255);
        memory.set(key, 2);
        memory.set(value, key.length + 4);
        const from = key.length + 4;
        expect(
          ofIndex.rowKeyOfEntry(memory, 2, key.length + 2, memory, from, from + value.length),
        ).toEqual(rowKey);
      }),
      runs,
    );
  });

  test('is ordered like the index tuple and then the key', () => {
    fc.assert(
      fc.property(cases(unique), ({ table, rows }) => {
        const { ofTable, ofIndex } = layoutsOf(table);
        const ordinals = [...ofIndex.ordinals, ...ofTable.keyOrdinals];
        const types = typesOf(table, ordinals);
        const [left, right] = rows.map((row) => ofIndex.entry(row, ofTable.keyOfRow(row)).key) as [
          Uint8Array,
          Uint8Array,
        ];
        const tuples = rows.map((row): Row => pick(row, ordinals)) as [Row, Row];
        const isSame = compareTuples(types.slice(0, ofIndex.ordinals.length), ...tuples) === 0;
        // Entries of a unique index with one tuple without NULL share their key: that is how a violation shows.
        const hasOneKey = unique && isSame && !pick(rows[0], ofIndex.ordinals).includes(null);
        const expected = hasOneKey ? 0 : compareTuples(types, ...tuples);
        expect(Math.sign(compareBytes(left, right))).toBe(Math.sign(expected));
      }),
      runs,
    );
  });
});

test('row keys are ordered like key tuples', () => {
  fc.assert(
    fc.property(cases(false), ({ table, rows }) => {
      const { ofTable } = layoutsOf(table);
      const types = typesOf(table, ofTable.keyOrdinals);
      const [left, right] = rows.map((row): Row => pick(row, ofTable.keyOrdinals)) as [Row, Row];
      const order = compareBytes(ofTable.keyOfRow(rows[0]), ofTable.keyOfRow(rows[1]));
      expect(Math.sign(order)).toBe(Math.sign(compareTuples(types, left, right)));
    }),
    runs,
  );
});

test('the unique key is that of the entry, unless a member is NULL', () => {
  fc.assert(
    fc.property(cases(true), ({ table, rows: [row] }) => {
      const { ofTable, ofIndex } = layoutsOf(table);
      const values = pick(row, ofIndex.ordinals);
      const { key, value } = ofIndex.entry(row, ofTable.keyOfRow(row));
      const hasNull = values.includes(null);
      expect(value.length === 0).toBe(hasNull);
      if (!hasNull) expect(ofIndex.uniqueKey(values)).toEqual(key);
    }),
    runs,
  );
});

test('tables and indexes have ranges of their own', () => {
  const catalog = after(
    catalogOf({ name: 't', columns: [{ name: 'a', type: 'int64' }], primary_key: ['a'] }),
    { kind: 'create_index', table_id: 1, index: { name: 'i', columns: ['a'] } },
    { kind: 'create_index', table_id: 1, index: { name: 'j', columns: ['a'] } },
  );
  const table = tableOf(catalog, 't');
  const ranges = [
    tableLayout(table).range,
    ...table.indexes.map((index) => indexLayout(table, index).range),
  ];
  const [rows, i, j] = ranges as [(typeof ranges)[0], (typeof ranges)[0], (typeof ranges)[0]];
  expect(compareBytes(rows.to as Uint8Array, i.from)).toBeLessThanOrEqual(0);
  expect(compareBytes(i.to as Uint8Array, j.from)).toBeLessThanOrEqual(0);
});

describe('the size limit', () => {
  const catalog = catalogOf({
    name: 't',
    columns: [
      { name: 'id', type: 'text' },
      { name: 'x', type: 'text' },
    ],
    primary_key: ['id'],
    indexes: [
      { name: 'plain', columns: ['x'] },
      { name: 'single', columns: ['x'], unique: true },
    ],
  });
  const table = tableOf(catalog, 't');
  const layout = tableLayout(table);
  // A text member takes two bytes more than its ASCII text.
  const longest = 'a'.repeat(16 * 1024 - 2);

  test('holds for the primary key', () => {
    checkRowKey(layout, layout.keyOfRow([longest, 'x']).length);
    const failure = failureOf(() =>
      checkRowKey(layout, layout.keyOfRow([`${longest}a`, 'x']).length),
    );
    expect(failure).toMatchObject({ reason: 'invalid' });
    expect(failure.detail).toContain('primary key');
  });

  test('holds for the index tuple alone', () => {
    for (const index of table.indexes) {
      const ofIndex = indexLayout(table, index);
      const rowKey = layout.keyOfRow([longest, 'x']);
      checkIndexEntry(ofIndex, ofIndex.entry([longest, longest], rowKey), rowKey);
      const failure = failureOf(() =>
        checkIndexEntry(ofIndex, ofIndex.entry([longest, `${longest}a`], rowKey), rowKey),
      );
      expect(failure.detail).toContain(`index "${index.name}"`);
    }
  });
});
