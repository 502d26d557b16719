/** When the log of a bucket sends a group: at once while it is idle, gathered while it is busy, never later than the flush interval. */

import { expect, test } from 'bun:test';
import type { World } from '#base';
import { openBucketDurable } from '../../../src/storage/bucket/open-bucket.ts';
import { memoryStore } from '../../../src/storage/object/memory-store.ts';
import { logObjectName } from '../../../src/storage/object/names.ts';
import { intercepted, Script, type Stall } from './intercepted.ts';
import { hastyWorld } from './writer.ts';

const flushIntervalMs = 100;

/** Time stands still until it is moved, and then the timers that are due run. */
class StillTime {
  private nowMs = 0;
  private timers: { readonly dueMs: number; readonly task: () => void }[] = [];
  readonly world: World;

  constructor() {
    const world = hastyWorld();
    const after = (delayMs: number, task: () => void) => {
      const timer = { dueMs: this.nowMs + delayMs, task };
      this.timers.push(timer);
      const cancel = () => {
        this.timers = this.timers.filter((other) => other !== timer);
      };
      return { cancel };
    };
    const clock = { ...world.clock, monotonicMs: () => this.nowMs };
    this.world = { ...world, clock, scheduler: { ...world.scheduler, after } };
  }

  /** How many timers wait. */
  get waiting(): number {
    return this.timers.length;
  }

  async pass(ms: number): Promise<void> {
    this.nowMs += ms;
    const due = this.timers.filter(({ dueMs }) => dueMs <= this.nowMs);
    this.timers = this.timers.filter(({ dueMs }) => dueMs > this.nowMs);
    for (const { task } of due) task();
    await settled();
  }
}

/** Everything that needs no time has happened. */
async function settled(): Promise<void> {
  for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve));
}

async function open() {
  const time = new StillTime();
  const script = new Script();
  const { log } = await openBucketDurable({
    world: time.world,
    objects: intercepted(memoryStore(), script.gate),
    flushIntervalMs,
    publishIntervalMs: 0,
    prepare: () => {},
    replay: () => {},
  });
  let next = 2;
  const commit = (count = 1): void => {
    for (let i = 0; i < count; i++) log.append([Buffer.from('x')]);
  };
  /** Holds the next group back on its way. */
  const holdNext = (): Stall => script.stall('putIfAbsent', logObjectName(next++));
  /** Commits a group that takes so long to send. */
  const commitTaking = async (count: number, tookMs: number): Promise<void> => {
    const group = holdNext();
    commit(count);
    await group.reached;
    await time.pass(tookMs);
    group.release();
    await settled();
  };
  return { time, log, commit, holdNext, commitTaking };
}

test('an idle log sends at once, and all of a turn share the group', async () => {
  const { log, commit } = await open();
  commit(3);
  await settled();
  expect(log.durableTo).toBe(3);
  expect(log.counters.groups).toBe(1);
});

test('a client alone never waits for others', async () => {
  const { log, commit } = await open();
  for (let i = 1; i <= 5; i++) {
    commit();
    await settled();
    expect(log.durableTo).toBe(i);
  }
  expect(log.counters.groups).toBe(5);
});

test('after a large group the next one waits for as many, and then goes before its time', async () => {
  const { log, commit, commitTaking, time } = await open();
  await commitTaking(8, 50);
  await time.pass(5);
  commit(5);
  await settled();
  expect(log.durableTo).toBe(8);
  commit(3);
  await settled();
  expect(log.durableTo).toBe(16);
  expect(log.counters.groups).toBe(2);
});

test('it waits for as long as sending the one before took', async () => {
  const { log, commit, commitTaking, time } = await open();
  await commitTaking(8, 50);
  await time.pass(20);
  commit(1);
  await time.pass(29);
  expect(log.durableTo).toBe(8);
  await time.pass(1);
  expect(log.durableTo).toBe(9);
  // The log has learnt that nobody else comes.
  commit(1);
  await settled();
  expect(log.durableTo).toBe(10);
});

test('one timer waits for it, however many commit meanwhile', async () => {
  const { commit, commitTaking, time } = await open();
  await commitTaking(8, 50);
  const before = time.waiting;
  for (let i = 0; i < 5; i++) commit(1);
  expect(time.waiting).toBe(before + 1);
});

test('it never waits longer than the flush interval', async () => {
  const { log, commit, commitTaking, time } = await open();
  await commitTaking(8, 5 * flushIntervalMs);
  commit(1);
  await time.pass(flushIntervalMs - 1);
  expect(log.durableTo).toBe(8);
  await time.pass(1);
  expect(log.durableTo).toBe(9);
});

test('the time that a group has spent behind another one counts', async () => {
  const { log, commit, time, holdNext } = await open();
  const first = holdNext();
  commit(8);
  await first.reached;
  commit(2);
  await time.pass(flushIntervalMs + 1);
  first.release();
  await settled();
  expect(log.durableTo).toBe(10);
  expect(log.counters.groups).toBe(2);
});

test('when nothing was sent lately a group waits for nobody', async () => {
  const { log, commit, commitTaking, time } = await open();
  await commitTaking(8, 50);
  await time.pass(50);
  commit(1);
  await settled();
  expect(log.durableTo).toBe(9);
});

test('closing sends what is there', async () => {
  const { log, commit, commitTaking } = await open();
  await commitTaking(8, 50);
  commit(1);
  await log.close();
  expect(log.durableTo).toBe(9);
});

test('a large group waits for nobody', async () => {
  const { log, commitTaking } = await open();
  await commitTaking(8, 50);
  log.append([new Uint8Array(9 << 20)]);
  await settled();
  expect(log.durableTo).toBe(9);
});
