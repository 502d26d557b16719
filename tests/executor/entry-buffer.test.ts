/** The entries of an index that is built: gathered in runs, and put in the order of their keys. */

import { expect, test } from 'bun:test';
import { compareBytes } from '#base';
import { applyChange } from '#catalog';
import { tableLayout } from '#layout';
import type { Row } from '#value';
import type { Steps } from '../../src/base/index.ts';
import { backfillIndex } from '../../src/executor/effects/backfill-index.ts';
import { EntryBuffer } from '../../src/executor/mutate/entry-buffer.ts';
import { MutationContext } from '../../src/executor/mutate/mutation-context.ts';
import type { ProgramRun } from '../../src/executor/program-run.ts';
import { MemoryTransaction } from './support/memory-transaction.ts';
import { catalogOf, failureOf } from './support/run.ts';

function writingTo(transaction: MemoryTransaction, held: number[] = []): MutationContext {
  const memory = { reservation: () => ({ resize: (bytes: number) => held.push(bytes) }) };
  const budget = { pause: () => undefined };
  const run = { context: { transaction }, memory, readBytes: 0, budget };
  return new MutationContext(run as unknown as ProgramRun, catalog, 'create_index', 't');
}

/** Of steps that wait for nothing. */
function atOnce<T>(steps: Steps<T>): T {
  const step = steps.next();
  if (!step.done) throw new Error('nothing was to be waited for');
  return step.value;
}

const columns = [
  { name: 'id', type: 'int64' as const },
  { name: 'v', type: 'text' as const, nullable: true },
];
const catalog = catalogOf({ name: 't', columns, primary_key: ['id'] });
const [table] = catalog.tables;

function built(rows: readonly Row[], unique: boolean, held: number[] = []): readonly string[] {
  const transaction = new MemoryTransaction();
  if (table === undefined) throw new Error('no table');
  const layout = tableLayout(table);
  for (const row of rows) transaction.put(layout.keyOfRow(row), layout.bodyOfRow(row));
  const before = new Set(transaction.entries.keys());
  const index = { name: 'v', columns: ['v'], unique };
  const { effects } = applyChange(catalog, { kind: 'create_index', table_id: table.id, index });
  const [effect] = effects;
  if (effect?.kind !== 'backfill_index') throw new Error('no index to fill');
  const mutationContext = writingTo(transaction, held);
  atOnce(
    backfillIndex(mutationContext, effect.table, effect.index, { entries: 1500, bytes: 1 << 20 }),
  );
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
  for (const at of order) run.put(at, mutationContext);
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
  for (const at of order) run.put(at, mutationContext);
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

test('an index of several runs has an entry for each row, and gives back what it held', () => {
  const rows: Row[] = Array.from({ length: 5000 }, (_, i) => [
    i,
    i % 5 === 0 ? null : `${(i * 7919) % 5000}`,
  ]);
  const held: number[] = [];
  expect(built(rows, false, held)).toHaveLength(5000);
  expect(built(rows, true)).toHaveLength(5000);
  const written = held.at(-1) as number;
  expect(Math.max(...held)).toBeGreaterThan(written);
});

test.each([
  ['in one run', 10, 20],
  ['in two', 10, 4000],
])('equal values of a unique index are refused: %s', (_, one, other) => {
  const rows: Row[] = Array.from({ length: 5000 }, (__, i) => [i, `${i === other ? one : i}`]);
  expect(failureOf(() => built(rows, true))).toMatch(/^constraint_violation.*unique index "v"/);
});
