/** The entries of an index that is built: gathered in runs, and put in the order of their keys. */

import { expect, test } from 'bun:test';
import { compareBytes, neverYield, runSteps } from '#base';
import { applyChange } from '#catalog';
import { Memory } from '#executor';
import { tableLayout } from '#layout';
import type { Row } from '#value';
import type { Steps } from '../../src/base/index.ts';
import { backfillIndex } from '../../src/executor/effects/backfill-index.ts';
import { EntryBuffer } from '../../src/executor/mutate/entry-buffer.ts';
import { EntrySort } from '../../src/executor/mutate/entry-sort.ts';
import { MutationContext } from '../../src/executor/mutate/mutation-context.ts';
import type { ProgramRun } from '../../src/executor/program-run.ts';
import { outcomeOf } from '../support/outcome.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { SpillDirectory } from '../support/spill-directory.ts';
import { MemoryTransaction } from './support/memory-transaction.ts';
import { catalogOf, failureOf } from './support/run.ts';

function writingTo(
  transaction: MemoryTransaction,
  memory = new Memory(256 << 20),
): MutationContext {
  const budget = { pause: () => undefined };
  const run = { context: { transaction }, memory, transactionBytes: 0, budget };
  return new MutationContext(run as unknown as ProgramRun, catalog, 'create_index', 't');
}

/** Of steps that wait for nothing. */
function atOnce<T>(steps: Steps<T>): T {
  const step = steps.next();
  if (!step.done) throw new Error('nothing was to be waited for');
  return step.value;
}

async function inTime<T>(steps: Steps<T>): Promise<T> {
  return runSteps(steps, neverYield);
}

const columns = [
  { name: 'id', type: 'int64' as const },
  { name: 'v', type: 'text' as const, nullable: true },
];
const catalog = catalogOf({ name: 't', columns, primary_key: ['id'] });
const [table] = catalog.tables;

/** The keys of the new index, in the order in which they were written. */
async function built(
  rows: readonly Row[],
  unique: boolean,
  memory?: Memory,
): Promise<readonly string[]> {
  const transaction = new MemoryTransaction();
  if (table === undefined) throw new Error('no table');
  const layout = tableLayout(table);
  for (const row of rows) transaction.put(layout.keyOfRow(row), layout.bodyOfRow(row));
  const before = new Set(transaction.entries.keys());
  const index = { name: 'v', columns: ['v'], unique };
  const { effects } = applyChange(catalog, { kind: 'create_index', table_id: table.id, index });
  const [effect] = effects;
  if (effect?.kind !== 'backfill_index') throw new Error('no index to fill');
  const mutationContext = writingTo(transaction, memory);
  await inTime(backfillIndex(mutationContext, effect.table, effect.index));
  return [...transaction.entries.keys()].filter((key) => !before.has(key));
}

function add(run: EntryBuffer, key: Uint8Array, value: Uint8Array = new Uint8Array(0)): void {
  run.writer.append(key);
  const keyTo = run.writer.length;
  run.writer.append(value);
  run.added(keyTo);
}

test('keys come out in their order, however they went in', () => {
  const bytes = [0, 1, 2, 255];
  const keys: Uint8Array[] = [];
  for (let i = 0; i < 3000; i++) {
    const length = i % 11;
    const tail = Array.from({ length }, (_, at) => bytes[((i * 7919) >> (at * 2)) & 3] as number);
    keys.push(Uint8Array.of(9, 9, ...tail));
  }
  const run = new EntryBuffer(2);
  for (const key of keys) add(run, key, key.subarray(2));
  const transaction = new MemoryTransaction();
  const mutationContext = writingTo(transaction);
  const order = atOnce(run.order(mutationContext));
  const found = Array.from(order, (at) => run.key(at));
  expect(found.map((key) => [...key])).toEqual(keys.toSorted(compareBytes).map((key) => [...key]));
  for (let i = 1; i < order.length; i++) {
    const isEqual = compareBytes(found[i - 1] as Uint8Array, found[i] as Uint8Array) === 0;
    expect(run.isRepeated(order[i - 1] as number, order[i] as number)).toBe(isEqual);
  }
  run.handOver(mutationContext);
  atOnce(run.putAll(order, mutationContext));
  run.clear();
  add(run, new Uint8Array(60_000).fill(7));
  for (const { key, value } of transaction.entries.values()) {
    expect([...value]).toEqual([...key.subarray(2)]);
  }
  expect(transaction.entries.size).toBe(new Set(keys.map(String)).size);
});

test('entries of several pieces of memory stay what they are', () => {
  const run = new EntryBuffer(1);
  const keys = Array.from({ length: 40 }, (_, i) => Uint8Array.of(9, (i * 7) % 40));
  for (const [i, key] of keys.entries()) add(run, key, new Uint8Array(100_000).fill(i));
  const transaction = new MemoryTransaction();
  const mutationContext = writingTo(transaction);
  const order = atOnce(run.order(mutationContext));
  run.handOver(mutationContext);
  atOnce(run.putAll(order, mutationContext));
  expect(transaction.entries.size).toBe(40);
  for (const { key, value } of transaction.entries.values()) {
    const i = keys.findIndex((other) => compareBytes(other, key) === 0);
    expect([value.length, value[0], value.at(-1)]).toEqual([100_000, i, i]);
  }
});

test('keys are told apart by bytes far behind what all of them have in common', () => {
  const same = new Uint8Array(70).fill(200);
  const keys = [3, 1, 2, 255, 0].flatMap((last) =>
    [1, 0].map((middle) => Uint8Array.of(9, middle, ...same, last)),
  );
  const run = new EntryBuffer(1);
  for (const key of keys) add(run, key);
  const order = atOnce(run.order(writingTo(new MemoryTransaction())));
  const found = Array.from(order, (at) => [...run.key(at)]);
  expect(found).toEqual(keys.toSorted(compareBytes).map((key) => [...key]));
});

test('a run is full by entries or by bytes, and empty when it was cleared', () => {
  const byEntries = new EntryBuffer(0, { entries: 2, bytes: 1 << 20 });
  add(byEntries, Uint8Array.of(1));
  expect(byEntries.isFull).toBe(false);
  add(byEntries, Uint8Array.of(2));
  expect(byEntries.isFull).toBe(true);
  byEntries.clear();
  expect([byEntries.isFull, byEntries.count]).toEqual([false, 0]);
  const byBytes = new EntryBuffer(0, { entries: 2, bytes: 150_000 });
  expect(byBytes.isFull).toBe(false);
  add(byBytes, new Uint8Array(60_000), new Uint8Array(40_000));
  expect(byBytes.isFull).toBe(true);
});

const shuffled: Row[] = Array.from({ length: 20_000 }, (_, i) => [
  i,
  i % 5 === 0 ? null : `${(i * 7919) % 20_000}`,
]);

test.each([
  ['in memory', undefined],
  ['in a few runs', 200_000],
  ['in more runs than are merged at a time', 20_000],
])('an index has an entry for each row, written in key order: %s', async (_, holdBytes) => {
  const directory = new SpillDirectory();
  const space = holdBytes === undefined ? undefined : directory.space({ holdBytes });
  for (const unique of [false, true]) {
    const memory = new Memory(256 << 20, undefined, space);
    const keys = await built(shuffled, unique, memory);
    expect(keys).toHaveLength(shuffled.length);
    expect(keys).toEqual(keys.toSorted());
    expect(memory.usedBytes).toBe(0);
    if (holdBytes !== undefined) expect(memory.peakBytes).toBeLessThan(20 * holdBytes);
    expect(directory.openFiles).toBe(0);
  }
  expect(directory.writes > 0).toBe(holdBytes !== undefined);
});

test.each([
  ['next to each other', 10, 20],
  ['far apart', 10, 19_999],
])('equal values of a unique index are refused: %s', async (_, one, other) => {
  const rows: Row[] = Array.from({ length: 20_000 }, (__, i) => [i, `${i === other ? one : i}`]);
  for (const space of [undefined, new SpillDirectory().space({ holdBytes: 20_000 })]) {
    const memory = new Memory(256 << 20, undefined, space);
    const outcome = await outcomeOf(built(rows, true, memory));
    expect(failureOf(outcome)).toMatch(/^constraint_violation.*unique index "v"/);
  }
});

test('entries that are spilled keep their values, and equal keys keep their order', async () => {
  const directory = new SpillDirectory();
  const memory = new Memory(256 << 20, undefined, directory.space({ holdBytes: 4096 }));
  const mutationContext = writingTo(new MemoryTransaction(), memory);
  const sort = new EntrySort(mutationContext, { prefixLength: 1, expected: 1, part: 1 });
  const count = 5000;
  for (let i = 0; i < count; i++) {
    sort.writer.append(Uint8Array.of(9, 7, (i * 31) % 100));
    const keyTo = sort.writer.length;
    sort.writer.u32(i);
    sort.added(keyTo);
    if (sort.isOver) await inTime(sort.spill());
  }
  const list = await inTime(sort.finish());
  const expected = Array.from({ length: count }, (_, i) => [(i * 31) % 100, i]).sort(
    ([a = 0], [b = 0]) => a - b,
  );
  // A list can be read more than once.
  for (let pass = 0; pass < 2; pass++) {
    const found: number[][] = [];
    let repeated = 0;
    await inTime(
      // biome-ignore lint/correctness/useYield: it waits for nothing.
      list.eachPiece(function* (piece) {
        for (let i = 0; i < piece.order.length; i++) {
          const at = piece.order[i] as number;
          const value = piece.run.value(at);
          found.push([piece.run.key(at)[2] as number, Buffer.from(value).readUInt32LE()]);
          if (piece.isRepeated(i)) repeated++;
        }
      }),
    );
    expect(found).toEqual(expected);
    expect(repeated).toBe(count - 100);
  }
  list.close();
  expect([directory.openFiles, memory.usedBytes]).toEqual([0, 0]);
});

test.each([
  [0, 4096],
  [0, 200_000],
  [1, 4096],
  [5, 4096],
  [12, 4096],
])(
  'keys that share %d bytes, and differ at once or far behind, come out of runs of %d bytes in order',
  async (shared, holdBytes) => {
    const directory = new SpillDirectory();
    const memory = new Memory(256 << 20, undefined, directory.space({ holdBytes }));
    const sort = new EntrySort(writingTo(new MemoryTransaction(), memory), {
      prefixLength: shared,
      expected: 1,
      part: 1,
    });
    const random = seededRandom(shared + holdBytes);
    const anyByte = () => [0, 1, 128, 255][Math.floor(random() * 4)] as number;
    const entries = Array.from({ length: 8_000 }, (_, i) => {
      // Half of the keys differ behind eight more equal bytes only.
      const middle = random() < 0.5 ? Array<number>(8).fill(1) : [];
      const rest = Array.from({ length: 3 + Math.floor(random() * 8) }, anyByte);
      return { key: Uint8Array.from([...Array(shared).fill(7), ...middle, ...rest]), i };
    });
    for (const { key, i } of entries) {
      sort.writer.append(key);
      const keyTo = sort.writer.length;
      sort.writer.u32(i);
      sort.added(keyTo);
      if (sort.isOver) await inTime(sort.spill());
    }
    const list = await inTime(sort.finish());
    const found: number[] = [];
    await inTime(
      // biome-ignore lint/correctness/useYield: it waits for nothing.
      list.eachPiece(function* ({ run, order }) {
        for (const at of order) found.push(Buffer.from(run.value(at)).readUInt32LE());
      }),
    );
    const expected = entries.toSorted((a, b) => compareBytes(a.key, b.key));
    expect(found).toEqual(expected.map(({ i }) => i));
    expect(directory.writes).toBeGreaterThan(0);
    list.close();
    expect([directory.openFiles, memory.usedBytes]).toEqual([0, 0]);
  },
);

test('an entry that comes back wrong from the disk is an error of the server', async () => {
  const directory = new SpillDirectory();
  const memory = new Memory(256 << 20, undefined, directory.space({ holdBytes: 20_000 }));
  directory.readsWrong = true;
  expect(await outcomeOf(built(shuffled, false, memory))).toThrow('cannot be read back');
});

test.each([511, 512, 4095, 4096, 20_000])('%d keys come out in their order', (count) => {
  const keys = Array.from({ length: count }, (_, i) => {
    const n = Math.imul(i + 1, 0x9e3779b1) >>> 0;
    // Some bytes are equal in all keys, some keys have equal heads, and lengths differ.
    return Uint8Array.of(
      9,
      9,
      n & 3,
      7,
      n >>> 24,
      (n >>> 8) & 255,
      0,
      ...new Array(n % 4).fill(n & 1),
    );
  });
  const run = new EntryBuffer(2, undefined, count);
  for (const key of keys) add(run, key);
  const order = [...atOnce(run.order(writingTo(new MemoryTransaction())))];
  const byKey = (left: number, right: number): number =>
    compareBytes(keys[left] as Uint8Array, keys[right] as Uint8Array) || left - right;
  expect(order).toEqual(Array.from(keys.keys()).sort(byKey));
});
