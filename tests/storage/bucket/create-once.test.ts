/** Creating an object once, whatever the store answers. */

import { expect, test } from 'bun:test';
import { createOnce } from '../../../src/storage/bucket/create-once.ts';
import { memoryStore } from '../../../src/storage/object/memory-store.ts';
import { StorageError, type StorageFault } from '../../../src/storage/object/storage-fault.ts';
import type { ConditionalOutcome } from '../../../src/storage/object/store.ts';
import { intercepted } from './intercepted.ts';
import { hastyWorld, troubleOf } from './writer.ts';

const mine = Buffer.from('mine');
const name = 'manifest/1';

type Answer = (run: () => Promise<unknown>) => Promise<ConditionalOutcome>;

/** Each creation is answered by the next of `answers`, and by the last one from then on. */
function answering(...answers: Answer[]) {
  const objects = memoryStore();
  const sent: string[] = [];
  const gate = intercepted(objects, async ({ operation, body }, run) => {
    if (operation !== 'putIfAbsent') return run();
    sent.push(Buffer.from(body as Uint8Array).toString());
    return (answers[sent.length - 1] ?? answers.at(-1))?.(run);
  });
  return { objects, gate, sent };
}

const lostBefore: Answer = async () => 'unknown';
const lostAfter: Answer = async (run) => {
  await run();
  return 'unknown';
};
const twice: Answer = async (run) => {
  await run();
  return (await run()) as ConditionalOutcome;
};
const plain: Answer = async (run) => (await run()) as ConditionalOutcome;
const refused =
  (trouble: StorageFault): Answer =>
  async () => {
    throw new StorageError(trouble);
  };

test('a lost answer is read back', async () => {
  const { gate, sent } = answering(lostAfter);
  expect(await createOnce(gate, hastyWorld(), name, mine)).toEqual({ kind: 'won' });
  expect(sent).toHaveLength(1);
});

test('a conflict with oneself is none', async () => {
  const { gate } = answering(twice);
  expect(await createOnce(gate, hastyWorld(), name, mine)).toEqual({ kind: 'won' });
});

test('what has not arrived is sent again, the same bytes', async () => {
  const { gate, sent } = answering(lostBefore, lostBefore, plain);
  expect(await createOnce(gate, hastyWorld(), name, mine)).toEqual({ kind: 'won' });
  expect(sent).toEqual(['mine', 'mine', 'mine']);
});

test("another's object is handed out", async () => {
  const { objects, gate } = answering(lostBefore, plain);
  await objects.put(name, Buffer.from('theirs'));
  const creation = await createOnce(gate, hastyWorld(), name, mine);
  expect(creation).toEqual({ kind: 'taken', bytes: new Uint8Array(Buffer.from('theirs')) });
});

test('a conflict with nothing is tried again: the object was collected meanwhile', async () => {
  const { gate } = answering(async () => 'conflict', plain);
  expect(await createOnce(gate, hastyWorld(), name, mine)).toEqual({ kind: 'won' });
});

test('silence is waited for with growing pauses, and ends as unavailable', async () => {
  const { gate, sent } = answering(lostBefore);
  const pauses: number[] = [];
  const world = hastyWorld();
  const { after } = world.scheduler;
  const noted = (delayMs: number, task: () => void) => {
    pauses.push(delayMs);
    return after(delayMs, task);
  };
  const patient = { ...world, scheduler: { ...world.scheduler, after: noted } };
  expect(await troubleOf(createOnce(gate, patient, name, mine))).toEqual({
    kind: 'unavailable',
    operation: 'create',
    object: name,
  });
  expect(sent.length).toBe(pauses.length + 1);
  expect(pauses[0]).toBeLessThanOrEqual(50);
  expect(pauses.at(-1)).toBeGreaterThanOrEqual(2_500);
  expect(pauses.reduce((sum, pause) => sum + pause, 0)).toBeGreaterThan(5 * 60_000);
});

test('what the store refuses outright fails at once, unless an earlier request may be on its way', async () => {
  const unauthorized = { kind: 'unauthorized', operation: 'create', object: name } as const;
  const outright = answering(refused(unauthorized));
  expect(await troubleOf(createOnce(outright.gate, hastyWorld(), name, mine))).toEqual(
    unauthorized,
  );
  expect(outright.sent).toHaveLength(1);
  const later = answering(lostBefore, refused(unauthorized), plain);
  expect(await createOnce(later.gate, hastyWorld(), name, mine)).toEqual({ kind: 'won' });
});
