/** The workload corpus over a store in memory: what is kept, how much of it, and what becomes of it. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { systemWorld } from '#base';
import { keySpaces } from '#catalog';
import { Corpus } from '#statistics';
import { openStore, type Store } from '#storage';
import { type ManualWorld, manualWorld } from '../../support/manual-world.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const corpusRange = { from: Uint8Array.of(keySpaces.corpus), to: Uint8Array.of(0x51) };

let store: Store;
let world: ManualWorld;
const running: Corpus[] = [];

beforeAll(async () => {
  store = await openStore({ storage: 'memory', path: '', world: systemWorld() });
});
afterAll(() => store.close());
beforeEach(async () => {
  for (const corpus of running.splice(0)) await corpus.stop();
  world = manualWorld();
  await change(({ key }) => [key, undefined]);
});

async function entries(): Promise<{ readonly key: Uint8Array; readonly value: Uint8Array }[]> {
  const snapshot = store.snapshot();
  const cursor = snapshot.scan(corpusRange, 'forward');
  const found = [];
  for (;;) {
    const next = cursor.next();
    if (next === false) break;
    if (next !== true) await next;
    else {
      const key = cursor.key.slice(cursor.keyFrom, cursor.keyTo);
      found.push({ key, value: cursor.value.slice(cursor.valueFrom, cursor.valueTo) });
    }
  }
  cursor.close();
  snapshot.release();
  return found;
}

type Entry = Awaited<ReturnType<typeof entries>>[number];

async function put(changes: readonly (readonly [Uint8Array, Uint8Array | undefined])[]) {
  const transaction = store.begin();
  for (const [key, value] of changes) {
    if (value === undefined) transaction.delete(key);
    else transaction.put(key, value);
  }
  expect((await transaction.commit()).kind).toBe('committed');
  transaction.release();
}

const change = async (changed: (entry: Entry) => readonly [Uint8Array, Uint8Array | undefined]) =>
  put((await entries()).map(changed));

function started(parts: Partial<ConstructorParameters<typeof Corpus>[0]> = {}): Corpus {
  const corpus = new Corpus({ store, world, ...parts });
  corpus.start();
  running.push(corpus);
  return corpus;
}

/** Of so many characters. */
const program = (n: number, length = 0) =>
  JSON.stringify({ statements: [{ name: `${n}`, pad: 'x'.repeat(length) }] });

async function flushed(corpus: Corpus) {
  await corpus.report();
  world.advance(minuteMs);
  return corpus.report();
}

const documents = async () =>
  (await entries())
    .filter(({ key }) => key[1] === 1)
    .map(({ value }) => new TextDecoder().decode(value.subarray(1)))
    .sort();
/** How often, by time. */
const executions = async () =>
  (await entries())
    .filter(({ key }) => key[1] === 2)
    .map(({ value }) => new DataView(value.buffer, 1).getUint32(0));

test('a program is one document, however it is written, and no digit is lost', async () => {
  const corpus = started();
  corpus.offer('{"b": [1, 9007199254740993, -0.0],\n "a": {"value": 5.0, "c": "ü"}}', false);
  corpus.offer('{"a":{"c":"\\u00fc","value":5.0},"b":[1,9007199254740993,-0.0]}', false);
  corpus.offer('{"root":1,"nodes":2}', true);
  const { captured, maintenance } = await flushed(corpus);
  expect(await documents()).toEqual([
    '{"a":{"c":"ü","value":5.0},"b":[1,9007199254740993,-0.0]}',
    '{"statements":[{"kind":"query","name":"query","relation":{"nodes":2,"root":1}}]}',
  ]);
  expect((await executions()).sort()).toEqual([1, 2]);
  const bytes = (await documents()).reduce((sum, it) => sum + Buffer.byteLength(it), 0);
  expect(captured).toBe(3);
  expect(maintenance).toMatchObject({
    retainedExecutions: 2,
    retainedPrograms: 2,
    retainedProgramBytes: bytes,
  });
});

test('is named by its hash, and what has run again is a record alone', async () => {
  const corpus = started();
  corpus.offer(program(1), false);
  await flushed(corpus);
  for (let i = 0; i < 3; i++) corpus.offer(program(1), false);
  await flushed(corpus);
  const [document, ...rest] = await entries();
  const digest = new Bun.CryptoHasher('sha256').update(document?.value.subarray(1) ?? '');
  expect((document as Entry).key.subarray(2).toHex()).toBe(digest.digest('hex').slice(0, 32));
  expect(rest.length).toBe(2);
  expect(await executions()).toEqual([1, 3]);
});

test('nothing is written while nothing runs', async () => {
  const corpus = started();
  await corpus.report();
  const { sequence } = store.snapshot();
  await flushed(corpus);
  expect(store.snapshot().sequence).toBe(sequence);
});

test('the next process goes on with what is there', async () => {
  const first = started();
  for (let i = 0; i < 5; i++) first.offer(program(i), false);
  await first.stop();
  const { maintenance: before } = await first.report();
  expect(before).toMatchObject({ retainedExecutions: 5, retainedPrograms: 5 });
  const next = started();
  expect((await next.report()).maintenance).toEqual(before);
  next.offer(program(0), false);
  const { maintenance } = await flushed(next);
  expect(maintenance).toMatchObject({ retainedExecutions: 6, retainedPrograms: 5 });
});

describe('there is no more than', () => {
  test('4 KiB of a document, and 16,384 characters of a body', async () => {
    const corpus = started();
    const rest = program(1).length;
    corpus.offer(program(1, 4096 - rest), false);
    corpus.offer(program(1, 4097 - rest), false);
    corpus.offer(program(2) + ' '.repeat(16_384 - program(2).length), false);
    corpus.offer(program(3) + ' '.repeat(16_385 - program(3).length), false);
    expect(await corpus.report()).toMatchObject({ captured: 2, skippedOversize: 2 });
  });

  test('4,096 bodies and 16 MiB in the queue, and 1,024 programs within a minute', async () => {
    const corpus = started();
    for (let i = 0; i < 4_100; i++) corpus.offer(program(i), false);
    const full = { captured: 1_024, droppedQueue: 4, shedPending: 3_072 };
    expect(await corpus.report()).toMatchObject(full);
    corpus.offer(program(0), false);
    expect(await corpus.report()).toMatchObject({ ...full, captured: 1_025 });
    // Nobody looks at those, so they need no queue.
    for (let i = 0; i < 5_000; i++) corpus.offer(program(i + 10_000), false);
    expect((await corpus.report()).droppedQueue).toBe(4);
    const { maintenance, shedPending } = await flushed(corpus);
    expect([maintenance.retainedPrograms, shedPending]).toEqual([1_024, 8_072]);
    corpus.offer(program(9_999), false);
    expect((await corpus.report()).captured).toBe(1_026);
    for (let i = 0; i < 1_100; i++) corpus.offer(program(i + 5_000, 16_000), false);
    const { droppedQueue, skippedOversize } = await corpus.report();
    expect([droppedQueue - 4 > 50, droppedQueue - 4 + skippedOversize]).toEqual([true, 1_100]);
  });

  test('4,096 looks within a minute, at programs that are too large as well', async () => {
    const corpus = started();
    for (let i = 0; i < 5_000; i++) {
      if (i === 2_500) await corpus.report();
      corpus.offer(program(i, 5_000), false);
    }
    const full = { skippedOversize: 4_096, shedPending: 904, droppedQueue: 0 };
    expect(await corpus.report()).toMatchObject(full);
    await flushed(corpus);
    corpus.offer(program(1), false);
    expect(await corpus.report()).toMatchObject({ ...full, captured: 1 });
  });

  test('one look at a program that comes many times at once', async () => {
    const corpus = started();
    for (let i = 0; i < 4_000; i++) corpus.offer(program(1), false);
    await corpus.report();
    for (let i = 0; i < 4_000; i++) corpus.offer(i % 2 === 0 ? program(1) : program(i + 10), false);
    expect(await corpus.report()).toMatchObject({ captured: 4_000 + 2_000 + 1_023 });
  });

  const limits = { executionsMax: 5, bytesMax: 1 << 20, ageMsMax: 7 * dayMs };

  test('so many records: the oldest go, and programs with their last one', async () => {
    const corpus = started({ limits });
    for (let i = 0; i < 3; i++) {
      for (let n = 0; n < 4; n++) corpus.offer(program(n === 0 ? 0 : i * 4 + n), false);
      await flushed(corpus);
    }
    const { maintenance } = await corpus.report();
    expect(maintenance).toMatchObject({ retainedExecutions: 5, prunedExecutions: 7 });
    // Of program 0 there is a younger record.
    expect(maintenance.retainedPrograms + maintenance.prunedPrograms).toBe(10);
    expect(await documents()).toContain('{"statements":[{"name":"0","pad":""}]}');
    expect((await executions()).length).toBe(5);
  });

  test('so many bytes', async () => {
    const corpus = started({ limits: { ...limits, bytesMax: 2_500 } });
    for (let i = 0; i < 4; i++) {
      corpus.offer(program(i, 960), false);
      await flushed(corpus);
    }
    const { maintenance } = await corpus.report();
    expect(maintenance).toMatchObject({ retainedPrograms: 2, prunedPrograms: 2 });
    expect(maintenance.retainedProgramBytes).toBe(2 * program(0, 960).length);
    expect(await documents()).toEqual([2, 3].map((n) => program(n, 960)));
  });

  test('seven days', async () => {
    const corpus = started();
    corpus.offer(program(1), false);
    await flushed(corpus);
    world.advance(7 * dayMs - minuteMs);
    expect((await corpus.report()).maintenance).toMatchObject({ retainedExecutions: 1 });
    world.advance(2 * minuteMs);
    const { maintenance } = await corpus.report();
    expect(maintenance).toMatchObject({
      expiredExecutions: 1,
      prunedPrograms: 1,
      retainedExecutions: 0,
      retainedProgramBytes: 0,
    });
    expect(await entries()).toEqual([]);
  });
});

test('what is no record is deleted, and the rest stays', async () => {
  const first = started();
  for (let i = 0; i < 4; i++) first.offer(program(i), false);
  await first.stop();
  const all = await entries();
  // Programs and their records are both in the order of hashes.
  const [damaged, future, forgotten, , , , record] = all as [Entry, Entry, Entry, ...Entry[]];
  await put([
    [damaged.key, Uint8Array.of(...damaged.value, 1)],
    [future.key, Uint8Array.of(2, ...future.value.subarray(1))],
    [(record as Entry).key, undefined],
    [Uint8Array.of(keySpaces.corpus, 2, 7), Uint8Array.of(1, 0, 0, 0, 1)],
    [Uint8Array.of(keySpaces.corpus, 2, 8), Uint8Array.of(9)],
  ]);
  const next = started();
  const { maintenance } = await flushed(next);
  expect(maintenance).toMatchObject({
    invalidPrograms: 2,
    // Those of the two programs, and those that are too short.
    invalidExecutions: 4,
    // Nobody has run it.
    prunedPrograms: 1,
    retainedPrograms: 1,
    retainedExecutions: 1,
  });
  const left = (await entries()).map(({ key }) => key.toHex());
  expect(left).toEqual([all[3], all[7]].map((it) => (it as Entry).key.toHex()));
  expect(left).not.toContain(forgotten.key.toHex());
});

test('a commit that fails costs that minute alone', async () => {
  let fails = true;
  const begin = () => {
    if (fails) throw new Error('no storage');
    return store.begin();
  };
  const snapshot = () => store.snapshot();
  const corpus = started({ store: { begin, snapshot, pressure: 'none' } });
  corpus.offer(program(1), false);
  corpus.offer(program(1), false);
  expect(await flushed(corpus)).toMatchObject({ shedPending: 2 });
  fails = false;
  corpus.offer(program(2), false);
  const { maintenance } = await flushed(corpus);
  expect(maintenance).toMatchObject({ retainedExecutions: 1, retainedPrograms: 1 });
  expect(await documents()).toEqual(['{"statements":[{"name":"2","pad":""}]}']);
});

test('while the storage is pressed nothing is written, and nothing lost', async () => {
  const pressed = {
    pressure: 'delay' as Store['pressure'],
    begin: () => store.begin(),
    snapshot: () => store.snapshot(),
  };
  const corpus = started({ store: pressed });
  corpus.offer(program(1), false);
  await flushed(corpus);
  expect(await entries()).toEqual([]);
  pressed.pressure = 'none';
  await flushed(corpus);
  expect((await entries()).length).toBe(2);
});
