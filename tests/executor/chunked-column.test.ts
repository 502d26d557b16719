/** Columns of any length, held in pieces: none is longer than one, and rows are found across them. */

import { describe, expect, test } from 'bun:test';
import {
  type ChunkedColumn,
  gatherOfPieces,
  lengthOfPieces,
  openPiece,
  pieceLength,
  setValue,
  sliceOfPieces,
  valueAt,
} from '../../src/executor/batch/chunked-column.ts';
import { RowStore } from '../../src/executor/batch/row-store.ts';
import { batchRowsMax, denseSelection } from '../../src/executor/batch/vector.ts';
import { HashTable } from '../../src/executor/operators/join/hash-table.ts';
import { rowComparator } from '../../src/executor/operators/sort/row-order.ts';

const int64 = { kind: 'int64' } as const;

/** Rows 0, 1, 2, … in batches that do not end where pieces do. */
function* batches(count: number) {
  for (let from = 0; from < count; ) {
    const size = Math.min(count - from, batchRowsMax - 24);
    const column = Array.from({ length: size }, (_, i) => from + i);
    yield { columns: [column], selection: denseSelection, count: size };
    from += size;
  }
}

function storeOf(count: number): RowStore {
  const store = new RowStore([int64]);
  for (const batch of batches(count)) store.append(batch);
  return store;
}

describe('rows in memory', () => {
  const count = 2 * pieceLength + 100;
  const store = storeOf(count);
  const [column] = store.columns as [ChunkedColumn];

  test('are never an array that is copied as a whole when it grows', () => {
    expect(column.map(({ length }) => length)).toEqual([pieceLength, pieceLength, 100]);
    expect(store.length).toBe(count);
    expect(lengthOfPieces(column)).toBe(count);
    const rows = new RowStore([int64]);
    for (let from = 0; from < count; from += 1000) {
      const to = Math.min(count, from + 1000);
      rows.appendRows(Array.from({ length: to - from }, (_, i) => [from + i]));
    }
    expect(rows).toEqual(store);
  });

  test('are windows, and single values, across the ends of pieces', () => {
    const window = (from: number, to: number) => sliceOfPieces(column, from, to);
    expect(window(pieceLength - 2, pieceLength + 2)).toEqual(
      [-2, -1, 0, 1].map((i) => pieceLength + i),
    );
    expect(window(0, pieceLength)).toHaveLength(pieceLength);
    expect(window(pieceLength, pieceLength + 1)).toEqual([pieceLength]);
    const order = Uint32Array.of(count - 1, 0, pieceLength, pieceLength - 1);
    expect(gatherOfPieces(column, order, 1, 4)).toEqual([0, pieceLength, pieceLength - 1]);
    for (const at of [0, pieceLength - 1, pieceLength, count - 1]) {
      expect(valueAt(column, at)).toBe(at);
    }
  });

  test('count the same memory wherever a batch is cut', () => {
    const whole = new RowStore([{ kind: 'utf8' } as never]);
    const cut = new RowStore([{ kind: 'utf8' } as never]);
    const batch = { columns: [Array.from({ length: 1024 }, (_, i) => `text ${i}`)], count: 1024 };
    cut.append({ ...batch, count: 1000, selection: denseSelection });
    const before = cut.bytes;
    for (let i = 0; i < 64; i++) {
      whole.append({ ...batch, selection: denseSelection });
      cut.append({ ...batch, selection: denseSelection });
    }
    expect(cut.bytes - before).toBe(whole.bytes);
  });
});

test('a value is set in its piece', () => {
  const pieces: ChunkedColumn<number> = [[]];
  for (let i = 0; i <= pieceLength; i++) openPiece(pieces).push(i);
  setValue(pieces, pieceLength, -1);
  setValue(pieces, 0, -2);
  expect(valueAt(pieces, pieceLength)).toBe(-1);
  expect(valueAt(pieces, 0)).toBe(-2);
  expect(pieces).toHaveLength(2);
});

test('held rows of equal keys are followed across pieces', () => {
  const table = new HashTable([int64], [int64]);
  const keys = 20_000;
  for (const batch of batches(3 * keys)) {
    const column = batch.columns[0] as number[];
    table.add(batch, [column.map((value) => value % keys)]);
  }
  const first = new Int32Array(batchRowsMax);
  const probe = { columns: [], selection: denseSelection, count: 2 };
  table.find([[0, keys - 1]], probe, first);
  const chain = (row: number): number[] => (row < 0 ? [] : [row, ...chain(table.after(row))]);
  expect(chain(first[0] as number)).toEqual([0, keys, 2 * keys]);
  expect(chain(first[1] as number)).toEqual([keys - 1, 2 * keys - 1, 3 * keys - 1]);
});

test('rows of different pieces are compared', () => {
  const { columns } = storeOf(pieceLength + 2);
  const compare = rowComparator([{ type: 'int64', descending: true }], columns);
  expect(compare(pieceLength, pieceLength - 1)).toBe(-1);
  expect(compare(1, pieceLength + 1)).toBe(1);
  expect(compare(pieceLength, pieceLength)).toBe(0);
});
