/** Erasing the workload corpus over a store in memory: which records go, what waits to be written, and what is counted. */

import { afterEach, beforeEach, expect, test } from 'bun:test';
import { systemWorld } from '#base';
import { keySpaces } from '#catalog';
import { Corpus } from '#statistics';
import { openStore, type Store } from '#storage';
import { type ManualWorld, manualWorld } from '../../support/manual-world.ts';
import { outcomeOf } from '../../support/outcome.ts';

const minuteMs = 60_000;
const program = (n: number) => JSON.stringify({ statements: [{ name: `${n}` }] });
const hashOf = (n: number) =>
  new Bun.CryptoHasher('sha256').update(program(n)).digest('hex').slice(0, 32);

let store: Store;
let world: ManualWorld;
let corpus: Corpus;

beforeEach(async () => {
  store = await openStore({ storage: 'memory', path: '', world: systemWorld() });
  world = manualWorld();
  corpus = new Corpus({ store, world });
  corpus.start();
});
afterEach(async () => {
  await corpus.stop();
  await store.close();
});

/** Runs so many programs, and writes them. */
async function kept(count: number): Promise<void> {
  for (let i = 0; i < count; i++) corpus.offer(program(i), false);
  await corpus.report();
  world.advance(minuteMs);
  await corpus.report();
}

/** All keys of the corpus. */
async function keys(): Promise<string[]> {
  const snapshot = store.snapshot();
  const range = { from: Uint8Array.of(keySpaces.corpus), to: Uint8Array.of(keySpaces.corpus + 1) };
  const cursor = snapshot.scan(range, 'forward');
  const found: string[] = [];
  for (;;) {
    const next = cursor.next();
    if (next === false) break;
    if (next !== true) await next;
    else found.push(cursor.key.slice(cursor.keyFrom, cursor.keyTo).toHex());
  }
  cursor.close();
  snapshot.release();
  return found;
}

test('all of it: what is stored, and what would have been written next', async () => {
  await kept(3);
  corpus.offer(program(0), false);
  corpus.offer(program(7), false);
  expect(await corpus.erase()).toEqual({ executions: 5, programs: 4 });
  expect(await keys()).toEqual([]);
  world.advance(minuteMs);
  const { maintenance, captured } = await corpus.report();
  expect(await keys()).toEqual([]);
  expect(captured).toBe(5);
  expect(maintenance).toMatchObject({
    erasedExecutions: 5,
    erasedPrograms: 4,
    retainedExecutions: 0,
    retainedPrograms: 0,
    retainedProgramBytes: 0,
  });
});

test('programs that run afterwards are kept again', async () => {
  await kept(2);
  await corpus.erase();
  await kept(1);
  expect((await keys()).map((key) => key.slice(0, 36))).toEqual([
    `${keySpaces.corpus.toString(16)}01${hashOf(0)}`,
    expect.stringMatching(/^5002/),
  ]);
  const { maintenance } = await corpus.report();
  expect(maintenance).toMatchObject({ retainedPrograms: 1, retainedExecutions: 1 });
});

test('one program, with all its executions; the others stay', async () => {
  await kept(3);
  await kept(3);
  corpus.offer(program(1), false);
  corpus.offer(program(2), false);
  expect(await corpus.erase(hashOf(1))).toEqual({ executions: 3, programs: 1 });
  expect((await keys()).filter((key) => key.endsWith(hashOf(1)))).toEqual([]);
  world.advance(minuteMs);
  const { maintenance } = await corpus.report();
  expect((await keys()).filter((key) => key.endsWith(hashOf(1)))).toEqual([]);
  expect(maintenance).toMatchObject({
    erasedExecutions: 3,
    erasedPrograms: 1,
    retainedPrograms: 2,
    retainedExecutions: 5,
    invalidExecutions: 0,
  });
  expect(await corpus.erase(hashOf(99))).toEqual({ executions: 0, programs: 0 });
});

test('more records than one commit deletes, and damaged ones', async () => {
  const transaction = store.begin();
  for (let i = 0; i < 9_000; i++) {
    const key = new Uint8Array(18).fill(0);
    key.set([keySpaces.corpus, 1, i >> 8, i & 255]);
    transaction.put(key, Uint8Array.of(9, 9));
  }
  expect((await transaction.commit()).kind).toBe('committed');
  transaction.release();
  expect((await corpus.erase()).programs).toBe(9_000);
  expect(await keys()).toEqual([]);
});

test('storage that fails is said, and a repetition erases the rest', async () => {
  await kept(2);
  let fails = true;
  const begin = () => {
    if (fails) throw new Error('no storage');
    return store.begin();
  };
  const snapshot = () => store.snapshot();
  const other = new Corpus({ store: { begin, snapshot, pressure: 'none' }, world });
  expect(await outcomeOf(other.erase())).toThrow('no storage');
  expect((await other.report()).maintenance.erasedPrograms).toBe(0);
  expect((await keys()).length).toBe(4);
  fails = false;
  expect(await other.erase()).toEqual({ executions: 2, programs: 2 });
  expect(await keys()).toEqual([]);
});
