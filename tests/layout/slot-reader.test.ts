/** Single cells of rows that lie as columns against the rows themselves, through point reads of tables at rest. */

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Column, Table } from '#catalog';
import { RunReader, SlotGroup, SlotReader, tableLayout } from '#layout';
import { type BlockSpan, columnEncodings, type StoredColumn } from '#storage';
import type { Row, Scalar } from '#value';
import { columnValues } from '../../src/storage/columns/column-codec.ts';
import { Lookup } from '../../src/storage/cursor/lookup.ts';
import type { SsTable as StoredTable } from '../../src/storage/table/ss-table.ts';
import { openTable, writeTable } from '../storage/files.ts';
import { columnsOfValues, tableWith, typeLists } from './values.ts';

const codecs = columnValues;

const tableAndRows = fc
  .record({ keyTypes: typeLists(1, 3), otherTypes: typeLists(0, 6) })
  .map(tableWith)
  .chain((table) =>
    fc
      .tuple(...table.columns.map(columnsOfValues))
      .chain((columns) => fc.array(fc.tuple(...columns), { minLength: 1, maxLength: 40 }))
      .map((rows): [Table, readonly Row[]] => [table, rows]),
  );

function found(table: StoredTable, key: Uint8Array, snapshot = 9): Lookup | undefined {
  const lookup = new Lookup().ask(key, snapshot);
  const isFound = table.find(lookup);
  if (isFound instanceof Promise) throw new Error('the table is in memory');
  return isFound && !lookup.isTombstone ? lookup : undefined;
}

function cellsOf(
  stored: StoredTable,
  table: Table,
  key: Uint8Array,
  reader = new SlotReader(table, table.columns),
): readonly Scalar[] {
  const lookup = found(stored, key) as Lookup;
  const { block, slot } = lookup;
  if (block === undefined) throw new Error('the row does not lie as columns');
  return table.columns.map((_, c) => reader.cell(c, key, block, slot));
}

test('every cell reads as the row has it, before and after a scan has read the block', () => {
  fc.assert(
    fc.property(tableAndRows, fc.constantFrom(200, 32 * 1024), ([table, rows], blockBytes) => {
      const layout = tableLayout(table);
      const byKey = new Map(rows.map((row) => [layout.keyOfRow(row).toHex(), row]));
      const versions = [...byKey.values()].map((row) => ({
        key: layout.keyOfRow(row),
        sequence: 1,
        value: layout.bodyOfRow(row),
      }));
      const stored = openTable(writeTable(versions, { codecs, blockBytes }), { codecs });
      const reader = new SlotReader(table, table.columns);
      for (const isScanned of [false, true]) {
        for (const { key, value } of versions) {
          const row = byKey.get(key.toHex()) as Row;
          expect(cellsOf(stored, table, key, reader)).toStrictEqual([...row] as Scalar[]);
          expect((found(stored, key) as Lookup).bytes()).toEqual(value);
        }
        if (!isScanned) readAll(stored, table);
      }
    }),
    { seed: 11, numRuns: 400 },
  );
});

test('the cells of a group are those of its rows, in whichever blocks they lie', () => {
  let groupsOfBlocks = 0;
  fc.assert(
    fc.property(tableAndRows, fc.infiniteStream(fc.nat()), ([table, rows], draws) => {
      const layout = tableLayout(table);
      const byKey = new Map(rows.map((row) => [layout.keyOfRow(row).toHex(), row]));
      const kept = [...byKey.values()];
      const versions = kept.map((row) => ({
        key: layout.keyOfRow(row),
        sequence: 1,
        value: layout.bodyOfRow(row),
      }));
      const stored = openTable(writeTable(versions, { codecs, blockBytes: 200 }), { codecs });
      const group = new SlotGroup();
      const expected: Row[] = [];
      // Rows in any order, some of them twice, at positions with gaps between them.
      for (let i = 0; i < 2 * kept.length; i++) {
        const at = (draws.next().value as number) % kept.length;
        const key = (versions[at] as (typeof versions)[number]).key;
        const { block, slot } = found(stored, key) as Lookup;
        if (block === undefined) throw new Error('the row does not lie as columns');
        group.add(block, slot, key, 3 * i);
        expected.push(kept[at] as Row);
      }
      if (group.blockCount > 2) groupsOfBlocks++;
      const reader = new SlotReader(table, table.columns);
      for (let turn = 0; turn < 2; turn++) {
        const columns = table.columns.map((_, c) => {
          const out: Scalar[] = [];
          reader.cells(c, group, out);
          return expected.map((_, i) => out[3 * i] as Scalar);
        });
        const read = expected.map((_, i) => columns.map((column) => column[i] as Scalar));
        expect(read).toStrictEqual(expected.map((row) => [...row] as Scalar[]));
      }
      group.clear();
      expect([group.count, group.blockCount]).toEqual([0, 0]);
    }),
    { seed: 12, numRuns: 300 },
  );
  expect(groupsOfBlocks).toBeGreaterThan(100);
});

test('a text that cannot be made leaves nothing for the next group', () => {
  const table = tableWith({ keyTypes: ['int64'], otherTypes: ['text'] });
  const reader = new SlotReader(table, table.columns);
  const which = table.columns.findIndex(({ type }) => type === 'text');
  const groupOf = (bytes: Uint8Array) => {
    const column = {
      bytes,
      position: 0,
      encoding: columnEncodings.narrowEnds,
      isAscii: true,
      nullsAt: 0,
      absentAt: 0,
      cellFrom: () => 0,
      cellTo: () => bytes.length,
    } as unknown as StoredColumn;
    const group = new SlotGroup();
    group.add({ join() {}, column: () => column }, 0, new Uint8Array(1), 0);
    return group;
  };
  const read = (bytes: Uint8Array) => {
    const out: Scalar[] = [];
    reader.cells(which, groupOf(bytes), out);
    return out;
  };
  // A list is no bytes, and no text can be made of it.
  expect(() => read([65] as unknown as Uint8Array)).toThrow();
  expect(read(Buffer.from('next'))).toEqual(['next']);
});

/** What a scan leaves with the blocks are the values of their dictionaries. */
function readAll(stored: StoredTable, table: Table): void {
  const cursor = stored.scan(tableLayout(table).range, 'forward', 9);
  const reader = new RunReader(table, table.columns);
  while (cursor.next()) {
    const run = cursor.takeRun?.(1_000) as BlockSpan;
    table.columns.forEach((_, c) => {
      reader.column(c, run);
    });
  }
}

test('rows that are older than a column read its missing value, beside rows that have it', () => {
  const table = tableWith({ keyTypes: ['int64'], otherTypes: ['int64', 'text'] });
  const [count, key, word] = table.columns as [Column, Column, Column];
  const older = { ...table, columns: [key, word] };
  const layout = tableLayout(table);
  const versions = Array.from({ length: 8 }, (_, i) => {
    const value =
      i % 3 === 0
        ? tableLayout(older).bodyOfRow([i, 'w'])
        : layout.bodyOfRow([i % 3 === 1 ? null : i, i, 'w']);
    return { key: layout.keyOfValues([i]), sequence: 1, value };
  });
  const stored = openTable(writeTable(versions, { codecs }), { codecs });
  const columns = [{ ...count, missing: 77 }, word, { ...word, physicalId: 99, missing: 'there' }];
  const reader = new SlotReader(table, columns);
  const cells = versions.map(({ key }) => {
    const { block, slot } = found(stored, key) as Lookup;
    return columns.map((_, c) => block && reader.cell(c, key, block, slot));
  });
  expect(cells).toEqual([77, null, 2, 77, null, 5, 77, null].map((value) => [value, 'w', 'there']));
});

test('one reader goes from blocks that have a column to blocks that lack it, and back', () => {
  const table = tableWith({ keyTypes: ['int64'], otherTypes: ['text', 'int64', 'text'] });
  const [first, ...rest] = table.columns as [Column, ...Column[]];
  const narrow = { ...table, columns: rest };
  const layout = tableLayout(table);
  const wideRow = { key: layout.keyOfValues([1]), sequence: 1, value: layout.bodyOfRow(row(1)) };
  const narrowLayout = tableLayout(narrow);
  const narrowValue = narrowLayout.bodyOfRow(row(2).slice(1));
  const narrowRow = { key: layout.keyOfValues([2]), sequence: 1, value: narrowValue };
  const files = [wideRow, narrowRow].map((version) =>
    openTable(writeTable([version], { codecs }), { codecs }),
  ) as [StoredTable, StoredTable];
  const reader = new SlotReader(table, table.columns);
  for (let turn = 0; turn < 2; turn++) {
    expect(cellsOf(files[0], table, wideRow.key, reader)).toEqual(row(1));
    expect(cellsOf(files[1], table, narrowRow.key, reader)).toEqual([
      first.missing,
      ...row(2).slice(1),
    ]);
  }

  function row(id: number): Scalar[] {
    return table.columns.map((column) => {
      if (column.type === 'text') return `${column.name}${id}`;
      return table.primaryKey.includes(column.id) ? id : 10 * id;
    });
  }
});

test('a point read shows the version of its snapshot, and no deletion', () => {
  const table = tableWith({ keyTypes: ['int64'], otherTypes: ['text'] });
  const layout = tableLayout(table);
  const [id, word] = table.columns[0]?.type === 'int64' ? [0, 1] : [1, 0];
  const key = layout.keyOfValues([1]);
  const bodyOf = (text: string) => {
    const row: Scalar[] = [];
    row[id] = 1;
    row[word] = text;
    return layout.bodyOfRow(row);
  };
  const versions = [
    { key, sequence: 2, value: bodyOf('old') },
    { key, sequence: 4, value: undefined },
    { key, sequence: 6, value: bodyOf('new') },
  ];
  const stored = openTable(writeTable(versions, { codecs }), { codecs });
  const reader = new SlotReader(table, table.columns);
  const wordAt = (snapshot: number) => {
    const lookup = found(stored, key, snapshot);
    return lookup?.block && reader.cell(word, key, lookup.block, lookup.slot);
  };
  expect([1, 2, 3, 4, 5, 6, 7].map(wordAt)).toEqual([
    undefined,
    'old',
    'old',
    undefined,
    undefined,
    'new',
    'new',
  ]);
});
