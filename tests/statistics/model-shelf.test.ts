/** Records of models: which are written, how many of them, and what becomes of those that are wrong or out of date. */

import { beforeEach, describe, expect, test } from 'bun:test';
import { Feedback, ModelShelf, type Observation, type Subject } from '#statistics';
import { modelKey } from '../../src/statistics/archive/model-record.ts';
import { type ManualWorld, manualWorld } from '../support/manual-world.ts';

/** The records, by key in hexadecimal digits. */
type Records = Map<string, Uint8Array>;

let world: ManualWorld;
let records: Records;
beforeEach(() => {
  world = manualWorld();
  records = new Map();
});

/** A process that has seen what the records say. */
function started(isCurrent: (ground: string) => boolean = () => true) {
  const feedback = new Feedback(world);
  const shelf = new ModelShelf(feedback, world, () => isCurrent);
  const refused = [...records].filter(([key, value]) => !shelf.see(Uint8Array.fromHex(key), value));
  shelf.seen();
  let wishes = 0;
  shelf.onPending(() => wishes++);
  return { feedback, shelf, refused: refused.length, wishes: () => wishes };
}

type Process = ReturnType<typeof started>;

const subjectOf = (family: string, stamp = 's'): Subject => ({
  family,
  ground: 'g',
  stamp,
  plan: 'p',
  model: undefined,
  relationOf: (part) => `${family}/${part}`,
});

const miss: readonly Observation[] = [{ part: 'x', estimated: 1, actual: 5_000, isCut: false }];

function execute(
  { feedback }: Process,
  family: string,
  times = 1,
  observations: readonly Observation[] = [],
) {
  const subject = subjectOf(family);
  for (let i = 0; i < times; i++) {
    feedback.offer(subject, 10, 100, i, observations, undefined);
    feedback.drain();
  }
}

async function written({ shelf }: Process, isLast = false): Promise<number> {
  const { puts, deletions, done } = await shelf.changes(isLast);
  for (const { key, value } of puts) records.set(key.toHex(), value);
  for (const key of deletions) records.delete(key.toHex());
  done();
  return puts.length;
}

test('a model is written when it is new and when it has grown by a quarter, at the end in any case', async () => {
  const process = started();
  expect(process.shelf.isPending).toBe(false);
  execute(process, 'f', 100);
  expect([process.shelf.isPending, process.wishes(), await written(process)]).toEqual([true, 1, 1]);
  execute(process, 'f', 25);
  expect(await written(process)).toBe(0);
  execute(process, 'f');
  expect(await written(process)).toBe(1);
  expect(await written(process)).toBe(0);
  execute(process, 'f');
  expect(await written(process, true)).toBe(1);
});

test('a correction is written at once, and another process makes its plans with it', async () => {
  const process = started();
  execute(process, 'f', 100);
  await written(process);
  execute(process, 'f', 2, miss);
  // The model of the part has two executions by now.
  expect(await written(process)).toBe(2);
  const other = started();
  expect(other.feedback.correctionOf('f')).not.toBe(0);
  expect(other.feedback.seenBy('f')?.get('x')).toBe(5_000);
  expect(other.feedback.modelOf('f')?.executions).toBe(102);
  expect(other.feedback.modelOf('f')?.plans.runs.get('p')?.executions).toBe(102);
});

test('a reader takes newer records, and keeps what it has executed itself', async () => {
  const writer = started();
  execute(writer, 'f');
  execute(writer, 'own');
  await written(writer);
  const reader = started();
  execute(reader, 'own', 7);
  execute(writer, 'f', 9);
  execute(writer, 'own', 2, miss);
  world.advance(60_000);
  await written(writer);
  for (const [key, value] of records) reader.shelf.see(Uint8Array.fromHex(key), value);
  reader.shelf.seen();
  expect(reader.feedback.modelOf('f')?.executions).toBe(10);
  expect(reader.feedback.modelOf('own')?.executions).toBe(8);
  const correction = reader.feedback.correctionOf('own');
  expect(correction).not.toBe(0);
  // The same correction is no news, which would make all plans anew.
  execute(writer, 'own', 9);
  world.advance(60_000);
  await written(writer);
  for (const [key, value] of records) reader.shelf.see(Uint8Array.fromHex(key), value);
  reader.shelf.seen();
  expect(reader.feedback.correctionOf('own')).toBe(correction);
});

test('plans that were made before the records were read do not undo what they say', async () => {
  const process = started();
  execute(process, 'f', 2, miss);
  await written(process);
  const feedback = new Feedback(world);
  const shelf = new ModelShelf(feedback, world, () => () => true);
  const early = { epoch: feedback.epoch };
  const subject = {
    ...subjectOf('f', 'other'),
    get isForeign() {
      return early.epoch !== feedback.epoch;
    },
  };
  feedback.offer(subject, 10, 100, 1, miss, undefined);
  feedback.drain();
  // Held back until all is read.
  expect(feedback.absorbed).toBe(0);
  for (const [key, value] of records) shelf.see(Uint8Array.fromHex(key), value);
  shelf.seen();
  expect(feedback.absorbed).toBe(1);
  expect(feedback.seenBy('f')?.get('x')).toBe(5_000);
});

describe('bounds', () => {
  test('a commit has a mebibyte of models, those of corrected plans first; the others follow', async () => {
    const process = started();
    for (let i = 0; i < 3_000; i++) execute(process, `family ${i} ${'x'.repeat(600)}`);
    execute(process, 'f', 2, miss);
    const first = await written(process);
    expect(records.has(modelKey('f').toHex())).toBe(true);
    const bytes = [...records.values()].reduce((sum, value) => sum + value.length, 0);
    expect(bytes).toBeGreaterThan(1 << 20);
    expect(bytes).toBeLessThan((1 << 20) + (64 << 10));
    expect(process.shelf.isPending).toBe(true);
    let all = first;
    while (process.shelf.isPending) all += await written(process);
    expect(all).toBe(3_002);
  });

  test('records of models that are gone are taken away', async () => {
    const process = started();
    execute(process, 'first');
    await written(process);
    for (let i = 0; i < 5_000; i++) execute(process, `family ${i}`, 2);
    for (let flush = 0; flush < 20; flush++) await written(process);
    expect(records.has(modelKey('first').toHex())).toBe(false);
    expect(records.size).toBeLessThanOrEqual(4_096);
  });

  test('so are those of tables that are others by now, whether they were seen or not', async () => {
    const grounds = new Set(['g']);
    const isCurrent = (ground: string) => grounds.has(ground);
    const process = started(isCurrent);
    execute(process, 'f');
    await written(process);
    grounds.clear();
    const other = started(isCurrent);
    expect([other.refused, other.feedback.modelOf('f')]).toEqual([1, undefined]);
    await written(process);
    expect(records.size).toBe(0);
  });
});

test('a record that is wrong in whatever member is no model', async () => {
  const process = started();
  execute(process, 'f', 3, miss);
  await written(process, true);
  const key = modelKey('f').toHex();
  const value = records.get(key) as Uint8Array;
  const head = value.subarray(0, 9);
  const text = new TextDecoder().decode(value.subarray(9));
  const state = JSON.parse(text) as Record<string, unknown>;
  const changed = (change: object) => JSON.stringify({ ...state, ...change });
  const wrong = [
    '',
    '{}',
    text.slice(1),
    changed({ kind: 'other' }),
    changed({ family: 'another' }),
    changed({ ground: 1 }),
    changed({ executions: -1 }),
    changed({ variants: '' }),
    changed({ rows: { counts: [0.5], maximum: 1 } }),
    changed({ rows: { counts: new Array(65).fill(1), maximum: 1 } }),
    changed({ plans: { stamp: 's', runs: [{ plan: 'p' }] } }),
    changed({ learning: { stamp: 's', misses: 0, isCorrected: 'yes', seen: [] } }),
    changed({ learning: { stamp: 's', misses: 0, isCorrected: true, seen: [['x', 'many', 1]] } }),
    changed({ work: {} }),
  ];
  for (const json of wrong) {
    records = new Map([[key, Buffer.concat([head, Buffer.from(json)])]]);
    expect([json, started().refused]).toEqual([json, 1]);
  }
  const otherFormat = Uint8Array.from(value);
  otherFormat[0] = 9;
  records = new Map([[key, otherFormat]]);
  expect(started().refused).toBe(1);
  records = new Map([[key, value]]);
  expect(started().refused).toBe(0);
});
