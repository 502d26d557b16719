/** The account of what a mutation writes and holds. */

import { expect, test } from 'bun:test';
import { emptyCatalog } from '#catalog';
import type { Transaction } from '#storage';
import { MutationContext } from '../../../src/executor/mutate/mutation-context.ts';
import type { ProgramRun } from '../../../src/executor/program-run.ts';

function opened() {
  const written: string[] = [];
  const held: number[] = [];
  const transaction = {
    put: (key: Uint8Array, value: Uint8Array) => written.push(`put ${key.length} ${value.length}`),
    delete: (key: Uint8Array) => written.push(`delete ${key.length}`),
  } as unknown as Transaction;
  const memory = { reservation: () => ({ resize: (bytes: number) => held.push(bytes) }) };
  const works: number[] = [];
  const budget = { pause: (work: number) => void works.push(work) };
  const run = { context: { transaction }, memory, transactionBytes: 0, budget };
  const mutationContext = new MutationContext(
    run as unknown as ProgramRun,
    emptyCatalog,
    'create',
    't',
  );
  return { mutationContext, run, written, held, works };
}

test('entries that are put and deleted reach the transaction', () => {
  const { mutationContext, written } = opened();
  mutationContext.put(new Uint8Array(1000), new Uint8Array(5000));
  mutationContext.delete(new Uint8Array(3000));
  expect(written).toEqual(['put 1000 5000', 'delete 3000']);
});

test('what is held counts until it is released', () => {
  const { mutationContext, held } = opened();
  mutationContext.hold(700);
  const key = mutationContext.holdKey(new Uint8Array(50));
  expect(key).toBeGreaterThanOrEqual(50);
  mutationContext.account();
  expect(held.at(-1)).toBe(700 + key);
  mutationContext.release(700 + key);
  mutationContext.account();
  expect(held.at(-1)).toBe(0);
});

test('what the transaction holds counts with it', () => {
  const { mutationContext, run, held } = opened();
  run.transactionBytes = 5000;
  mutationContext.hold(1);
  mutationContext.account();
  expect(held.at(-1)).toBe(5001);
});

test('arrays are held before they are made', () => {
  const { mutationContext, held } = opened();
  mutationContext.holdArrays(10, 3);
  expect(held.at(-1)).toBeGreaterThanOrEqual(10 * 3 * 8);
});

test('the time is looked at after 256 rows, or 256 KiB, since it was looked at last', () => {
  const { mutationContext, works } = opened();
  for (let row = 0; row < 512; row++) mutationContext.pause();
  expect(works).toEqual([256, 256]);
  // A large row is worth as many rows as it has KiB.
  mutationContext.put(new Uint8Array(0), new Uint8Array(256 << 10));
  mutationContext.pause();
  expect(works.slice(2)).toEqual([1 + 256]);
  for (let row = 0; row < 255; row++) mutationContext.pause();
  expect(works).toHaveLength(3);
  mutationContext.pause();
  expect(works.slice(3)).toEqual([256]);
});
