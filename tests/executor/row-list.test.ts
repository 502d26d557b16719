/** A list of rows that goes to the disk when memory ends: read from anywhere, again, and while it grows. */

import { expect, test } from 'bun:test';
import { Memory } from '#executor';
import type { Row } from '#value';
import { denseSelection } from '../../src/executor/batch/vector.ts';
import { OperatorProfile } from '../../src/executor/operator-profile.ts';
import { listRows } from '../../src/executor/spill/list-rows.ts';
import { RowList, type RowReader } from '../../src/executor/spill/row-list.ts';
import { outcomeOf } from '../support/outcome.ts';
import { SpillDirectory } from '../support/spill-directory.ts';

const types = [{ kind: 'int64' }, { kind: 'text' }] as const;
const rowsFrom = (from: number, count: number): Row[] =>
  Array.from({ length: count }, (_, i) => [from + i, `row ${from + i}`]);

/** `holdBytes` in memory; undefined: nothing is spilled. */
function listOf(holdBytes: number | undefined, limitBytes = 64 << 20) {
  const directory = new SpillDirectory();
  const space = holdBytes === undefined ? undefined : directory.space({ holdBytes });
  const memory = new Memory(limitBytes, undefined, space);
  return { list: new RowList(types, memory, new OperatorProfile('list', 1)), memory, directory };
}

async function add(list: RowList, rows: readonly Row[], waits = 0): Promise<void> {
  let left = waits;
  const pause = () => (left-- > 0 ? Promise.resolve() : undefined);
  for (const wait of listRows(list, rows, pause)) await wait;
}

function all(reader: RowReader, wanted: number, to?: number): Row[] {
  const rows: Row[] = [];
  for (let batch = reader.read(wanted, to); batch; batch = reader.read(wanted, to)) {
    expect(batch.count).toBeLessThanOrEqual(wanted);
    expect(batch.selection).toBe(denseSelection);
    for (let i = 0; i < batch.count; i++) rows.push(batch.columns.map((c) => c[i]) as Row);
  }
  return rows;
}

test.each([undefined, 4000, 200_000])(
  '%p bytes in memory: the rows come in order, from any position on',
  async (hold) => {
    const { list, directory } = listOf(hold);
    await add(list, rowsFrom(0, 5000), 3);
    expect(list.length).toBe(5000);
    expect(list.isSpilled).toBe(hold !== undefined);
    expect(directory.openFiles).toBe(hold === undefined ? 0 : 1);
    for (const [from, wanted] of [
      [0, 1024],
      [0, 7],
      [1, 300],
      [1023, 1024],
      [4999, 5],
      [5000, 5],
    ] as const) {
      expect(all(list.reader(from), wanted)).toEqual(rowsFrom(from, 5000 - from));
    }
    expect(all(list.reader(10, [1]), 100, 1500)).toEqual(
      rowsFrom(10, 1490).map(([, text]) => [text as string]),
    );
  },
);

test('a reader goes on when the rows behind it go to the disk', async () => {
  const { list } = listOf(60_000);
  await add(list, rowsFrom(0, 100));
  const reader = list.reader(20);
  expect(reader.read(30)?.count).toBe(30);
  expect(list.isSpilled).toBe(false);
  await add(list, rowsFrom(100, 4000));
  expect(list.isSpilled).toBe(true);
  expect(all(reader, 1000)).toEqual(rowsFrom(50, 4050));
  await add(list, rowsFrom(4100, 10));
  expect(all(reader, 1000)).toEqual(rowsFrom(4100, 10));
});

test('of rows on the disk little is kept, and a cleared list starts again', async () => {
  const { list, memory, directory } = listOf(undefined);
  await add(list, rowsFrom(0, 20_000));
  const inMemory = memory.usedBytes;
  list.clear();
  expect(memory.usedBytes).toBe(0);
  expect(directory.openFiles).toBe(0);

  const spilling = listOf(100_000);
  await add(spilling.list, rowsFrom(0, 20_000));
  expect(spilling.memory.usedBytes).toBe(spilling.list.bytes);
  expect(spilling.list.bytes).toBeLessThan(inMemory / 10);
  spilling.list.clear();
  expect(spilling.memory.usedBytes).toBe(0);
  await new Promise(setImmediate);
  expect(spilling.directory.openFiles).toBe(0);
  await add(spilling.list, rowsFrom(3, 2));
  expect(all(spilling.list.reader(), 10)).toEqual(rowsFrom(3, 2));
});

test('without a disk the limit of the program is the end', async () => {
  const { list } = listOf(undefined, 100_000);
  expect(await outcomeOf(add(list, rowsFrom(0, 20_000)))).toThrow('more memory than its limit');
});
