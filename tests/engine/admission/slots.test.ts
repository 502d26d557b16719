/** Who gets a slot: shares, queues and their bounds, and that no way out of a request keeps one. */

import { describe, expect, test } from 'bun:test';
import { admissionIn, type Client, enter, settled, turningWorld } from './support.ts';

/** Eight slots: six for queries, two of them are a share. */
function setting(queueMax = 16) {
  const world = turningWorld();
  const admission = admissionIn(world, { queueMax });
  const come = (principal: string, count = 1): Client[] =>
    Array.from({ length: count }, () => enter(admission, principal));
  const turns = async (count = 20) => {
    for (let i = 0; i < count; i++) await world.turn();
  };
  return { world, admission, come, turns };
}

const countIn = (clients: readonly Client[]) => clients.filter(({ isIn }) => isIn).length;

test('a client that is alone gets more than its share, but not the last slot', async () => {
  const { come, turns } = setting();
  const clients = come('a', 8);
  await turns();
  expect(countIn(clients)).toBe(5);
  const other = come('b');
  await turns();
  expect(countIn(other)).toBe(1);
});

test('a slot that is given back goes to those below their share, however many others wait longer', async () => {
  const { come, turns } = setting();
  const many = come('a', 8);
  const few = come('b', 2);
  await turns();
  expect([countIn(many), countIn(few)]).toEqual([5, 1]);
  many[0]?.requestContext.close();
  await turns();
  expect([countIn(many), countIn(few)]).toEqual([5, 2]);
  // Nobody below its share waits: who has more than that goes on, and leaves the last slot.
  many[1]?.requestContext.close();
  many[2]?.requestContext.close();
  await turns();
  expect(countIn(many)).toBe(6);
});

test('heavy work keeps its slot from slice to slice, unless a client that has used less waits for one', async () => {
  const { world, admission, come } = setting();
  const [heavy] = come('a');
  const { requestContext } = heavy as Client;
  const slice = async () => {
    world.spend(250);
    let isOver = false;
    void requestContext.budget.pause(1024)?.then(() => (isOver = true));
    while (!isOver) await world.turn();
  };
  await slice();
  expect(requestContext.class).toBe('heavy');
  const taken = admission.slots['freeHeavy'];
  let released = 0;
  const { slots } = admission;
  const release = slots.release.bind(slots);
  slots.release = (of) => {
    released++;
    release(of);
  };
  await slice();
  expect(released).toBe(0);
  expect(slots['freeHeavy']).toBe(taken);
  requestContext.close();
});

test('among those that wait, the principal that has used the least is next; use fades', async () => {
  const { world, admission, come, turns } = setting();
  const holders = come('x', 5);
  come('y');
  admission.usage.charge('a', 100);
  admission.usage.charge('b', 50);
  const a = come('a');
  const b = come('b');
  holders[0]?.requestContext.close();
  await turns();
  expect([countIn(a), countIn(b)]).toEqual([0, 1]);
  world.spend(60_000);
  expect(admission.usage.of('a')).toBeLessThan(1);
});

test('too long a line is refused: of all, and of one client beyond a quarter of it', async () => {
  const { come, turns } = setting(8);
  const a = come('a', 5 + 2 + 1);
  await turns();
  expect(a.map(({ failure }) => failure)).toEqual([...Array(7).fill(undefined), 'overloaded']);
  const others = ['b', 'c', 'd', 'e'].flatMap((principal) => come(principal, 2));
  await turns();
  // One slot was left; then the line takes six more.
  expect(others.filter(({ failure }) => failure === 'overloaded').length).toBe(1);
});

describe('no way out keeps a slot', () => {
  const ends: Record<string, (client: Client) => void> = {
    'an answer': ({ requestContext }) => requestContext.close(),
    'two closes': ({ requestContext }) => {
      requestContext.close();
      requestContext.close();
    },
    'an end while it works': ({ requestContext }) => {
      requestContext.budget.end(new Error('stop'));
      requestContext.close();
    },
  };
  for (const [name, end] of Object.entries(ends)) {
    test(name, async () => {
      const { come, turns } = setting();
      for (let round = 0; round < 10; round++) {
        const clients = come('a', 5);
        await turns();
        expect(countIn(clients)).toBe(5);
        for (const client of clients) end(client);
      }
    });
  }

  test('an end while it waits, and one in the moment in which it gets the slot', async () => {
    const { admission, come, turns } = setting();
    for (let round = 0; round < 10; round++) {
      const holders = come('a', 5);
      const waiting = come('a', 2);
      waiting[0]?.requestContext.budget.end(new Error('stop'));
      await settled();
      expect(admission.statistics().queued).toBe(1);
      holders[0]?.requestContext.close();
      // The slot is its own by now, and it has not heard of it yet.
      waiting[1]?.requestContext.budget.end(new Error('stop'));
      await turns();
      for (const { requestContext } of holders) requestContext.close();
      expect(waiting.every(({ failure }) => failure === 'Error')).toBe(true);
    }
    const clients = come('a', 5);
    await turns();
    expect(countIn(clients)).toBe(5);
  });
});
