/** Interleaved transactions of random statements, with undos and ordinary programs between them, are as if they had run one after the other. */

import { expect, test } from 'bun:test';
import type { Engine, EngineTransaction } from '#engine';
import { checkRegisters } from '../../serializability/check-registers.ts';
import type { Observed, Outcome, Step } from '../../serializability/history.ts';
import { seededRandom } from '../../storage/object/seeded-world.ts';
import { all, execute, get, openSetting, put, rows, run, set } from './support.ts';

const keys = 6;

/** One order of everything that clients do and see. */
class Run {
  readonly history: Observed[] = [];
  readonly random: () => number;
  readonly engine: Engine;
  private time = 0;
  private value = 0;

  constructor(engine: Engine, seed: number) {
    this.engine = engine;
    this.random = seededRandom(seed);
  }

  below(bound: number): number {
    return Math.floor(this.random() * bound);
  }

  now(): number {
    return ++this.time;
  }

  /** A write of a value that no other one has. */
  write(): Step {
    return { kind: 'write', key: this.below(keys), value: ++this.value };
  }

  ended(steps: readonly Step[], outcome: Outcome, invoked: number): void {
    this.history.push({ steps, outcome, invoked, completed: this.now() });
  }

  async program(): Promise<void> {
    const invoked = this.now();
    const step = this.write();
    if (step.kind === 'write') await execute(this.engine, set(step.key, step.value));
    this.ended([step], 'ok', invoked);
  }
}

/** Yields before each call: the caller decides whose turn it is. */
async function* transaction(run: Run): AsyncGenerator<void> {
  const invoked = run.now();
  const open = run.engine.begin();
  const steps: Step[] = [];
  for (let left = 2 + run.below(4); left > 0; left--) {
    yield;
    if (run.random() < 0.3) yield* triedOut(run, open, steps);
    else steps.push(await taken(open, run.random() < 0.5 ? run.write() : anyRead(run)));
  }
  yield;
  if (run.random() < 0.1) {
    open.rollback();
    run.ended(steps, 'failed', invoked);
    return;
  }
  const end = await open.commit();
  run.ended(steps, end === 'committed' ? 'ok' : 'failed', invoked);
}

/** A part that is taken back: its reads of what others wrote stay, its writes were never there. */
async function* triedOut(run: Run, open: EngineTransaction, steps: Step[]): AsyncGenerator<void> {
  const mark = open.mark();
  const own = new Set<number>();
  for (let left = 1 + run.below(3); left > 0; left--) {
    const step = await taken(open, run.random() < 0.5 ? run.write() : anyRead(run));
    if (step.kind === 'write') own.add(step.key);
    else if (!own.has(step.key)) steps.push(step);
    yield;
  }
  if (run.random() < 0.3) await failing(open);
  await open.undo(mark);
  if (run.random() < 0.5) open.release(mark);
}

/** Fails: the key is there. */
async function failing(open: EngineTransaction): Promise<void> {
  await run(open, put(0, 0)).then(
    () => expect.unreachable(),
    () => {},
  );
}

function anyRead(run: Run): Step {
  return { kind: 'read', key: run.below(keys) };
}

async function taken(open: EngineTransaction, step: Step): Promise<Step> {
  if (step.kind !== 'read') {
    await run(open, set(step.key, step.kind === 'write' ? step.value : 0));
    return step;
  }
  const found = await run(open, get(step.key));
  return { ...step, seen: found.map(([, value]) => value as number) };
}

test('random interleavings have an order', async () => {
  const ends = { ok: 0, failed: 0, unknown: 0 };
  for (let seed = 1; seed <= 12; seed++) {
    const { engine } = await openSetting();
    for (let key = 0; key < keys; key++) await execute(engine, put(key, 0));
    const run = new Run(engine, seed);
    for (let round = 0; round < 12; round++) {
      let going = Array.from({ length: 2 + run.below(3) }, () => transaction(run));
      while (going.length > 0) {
        if (run.random() < 0.15) await run.program();
        const one = going[run.below(going.length)] as (typeof going)[number];
        const { done } = await one.next();
        if (done) going = going.filter((it) => it !== one);
      }
    }
    const invoked = run.now();
    const last = (await rows(engine)).map(
      ([key, value]): Step => ({ kind: 'read', key: key as number, seen: [value as number] }),
    );
    run.ended(last, 'ok', invoked);
    expect(checkRegisters(run.history)).toEqual([]);
    for (const { outcome } of run.history) ends[outcome]++;
    expect(engine.openTransactions().open).toBe(0);
    await engine.close();
  }
  expect(ends.ok).toBeGreaterThan(200);
  expect(ends.failed).toBeGreaterThan(50);
});

test('the reading of all rows counts for each: of eight that each add one row, one commits at a time', async () => {
  const { engine } = await openSetting();
  let left = 8;
  while (left > 0) {
    const open = Array.from({ length: left }, () => engine.begin());
    for (const [i, one] of open.entries()) {
      const count = (await run(one, all())).length;
      await run(one, put(count + 100 * i, count));
    }
    const ends = await Promise.all(open.map((one) => one.commit()));
    expect(ends.filter((end) => end === 'committed')).toHaveLength(1);
    left--;
  }
  // Each has seen all those before it.
  expect((await rows(engine)).map(([, seen]) => seen).sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  await engine.close();
});
