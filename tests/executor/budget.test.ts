/** The time of one request: where it gives way, and what ends it where. */

import { describe, expect, test } from 'bun:test';
import { Budget, type BudgetOptions, ClientGone } from '#executor';
import { DatabaseError } from '#failure';
import { passedOver } from '#storage';
import { type ManualWorld, manualWorld } from '../support/manual-world.ts';

function budgetOf(options: Partial<BudgetOptions> = {}): {
  readonly world: ManualWorld;
  readonly budget: Budget;
} {
  const world = manualWorld();
  return { world, budget: new Budget(world, { timeoutMs: 100, ...options }) };
}

async function reasonOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof DatabaseError) return error.failure.reason;
  return error instanceof Error ? error.name : 'nothing';
}

function never<T>(): Promise<T> {
  return new Promise(() => {});
}

test('looks at the clock every 1,024 rows, and gives way after 5 ms', async () => {
  const { world, budget } = budgetOf();
  world.advance(6);
  expect(budget.pause(1023)).toBeUndefined();
  const wait = budget.pause(1);
  expect(wait).toBeInstanceOf(Promise);
  await wait;
  expect(budget.usedMs).toBe(6);
  expect(budget.pause(1024)).toBeUndefined();
});

test('a cursor that has passed over much gets no slice of its own', async () => {
  const { world, budget } = budgetOf();
  world.advance(3);
  await budget.wait(passedOver);
  expect(budget.usedMs).toBe(0);
  world.advance(3);
  await budget.wait(passedOver);
  expect(budget.usedMs).toBe(6);
  world.advance(100);
  expect(await reasonOf(budget.wait(passedOver))).toBe('deadline_exceeded');
});

test('waiting is no work', async () => {
  const { world, budget } = budgetOf();
  world.advance(2);
  const { promise, resolve } = Promise.withResolvers<void>();
  const wait = budget.wait(promise);
  world.advance(50);
  resolve();
  await wait;
  world.advance(3);
  expect(budget.pause(1024)).toBeUndefined();
  world.advance(3);
  await budget.pause(1024);
  expect(budget.usedMs).toBe(8);
});

test('the deadline counts from the arrival of the request, not from its first work', () => {
  const world = manualWorld();
  const arrivedMs = world.clock.monotonicMs();
  world.advance(90);
  const budget = new Budget(world, { timeoutMs: 100, arrivedMs });
  expect(() => budget.check()).not.toThrow();
  world.advance(11);
  expect(() => budget.check()).toThrow('longer than 100 ms');
});

describe('ends', () => {
  /** Every way to wait or to go on, each as work that never ends by itself. */
  const points: Record<string, (budget: Budget) => Promise<unknown>> = {
    'at a look': async (budget) => {
      for (;;) await (budget.pause(1024) ?? Bun.sleep(0));
    },
    'in a wait for a block': (budget) => budget.wait(never()),
    'while it waits for its next slice': async (budget) => {
      for (;;) await (budget.pause(1024) ?? Bun.sleep(0));
    },
  };
  for (const [where, work] of Object.entries(points)) {
    const setting = (options: Partial<BudgetOptions> = {}) =>
      budgetOf(where.includes('slice') ? { ...options, yieldSlice: () => never() } : options);

    test(`${where}: by the deadline`, async () => {
      const { world, budget } = setting();
      const ended = reasonOf(work(budget));
      world.advance(101);
      expect(await ended).toBe('deadline_exceeded');
      expect(world.pending).toEqual([]);
    });

    test(`${where}: when the client goes`, async () => {
      const client = new AbortController();
      const { world, budget } = setting({ signal: () => client.signal });
      world.advance(6);
      const ended = reasonOf(work(budget));
      client.abort();
      expect(await ended).toBe(ClientGone.name);
    });

    test(`${where}: when the server stops`, async () => {
      const { budget } = setting();
      const ended = reasonOf(work(budget));
      budget.end(new Error('stopping'));
      expect(await ended).toBe('Error');
    });
  }
});

test('a client that had gone before it was looked for is gone', async () => {
  const client = new AbortController();
  client.abort();
  const { world, budget } = budgetOf({ signal: () => client.signal });
  world.advance(6);
  expect(await reasonOf(budget.wait(never()))).toBe(ClientGone.name);
});

test('short requests never look for their client', async () => {
  let looks = 0;
  const signal = () => {
    looks++;
    return new AbortController().signal;
  };
  const { budget } = budgetOf({ signal });
  expect(budget.pause(1024)).toBeUndefined();
  await budget.wait(Promise.resolve());
  expect(looks).toBe(0);
});

test('nothing ends what is settled', async () => {
  const { world, budget } = budgetOf();
  const { promise, resolve } = Promise.withResolvers<void>();
  const wait = budget.wait(promise);
  budget.settle();
  budget.end(new Error('stopping'));
  world.advance(1000);
  expect(() => budget.check()).not.toThrow();
  resolve();
  await wait;
  expect(await budget.wait(Promise.resolve(1))).toBe(1);
});

test('what has ended stays ended when its request is over', async () => {
  const { budget } = budgetOf();
  budget.end(new ClientGone());
  budget.settle();
  expect(() => budget.check()).toThrow(ClientGone);
  expect(await reasonOf(budget.wait(never()))).toBe(ClientGone.name);
  expect(await reasonOf(budget.until(never()))).toBe(ClientGone.name);
});

test('what the store still reads for ended work is told', async () => {
  const { budget } = budgetOf();
  const { promise, resolve } = Promise.withResolvers<void>();
  const ended = reasonOf(budget.wait(promise));
  budget.end(new Error('stopping'));
  expect(await ended).toBe('Error');
  let isOver = false;
  const over = budget.lingering?.then(() => {
    isOver = true;
  });
  await Bun.sleep(0);
  expect(isOver).toBe(false);
  resolve();
  await over;
  expect(isOver).toBe(true);
});
