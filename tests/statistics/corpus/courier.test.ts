/** The corpus of a reader: what is handed out, how often, and how much of it there is at most. */

import { expect, test } from 'bun:test';
import { CorpusCourier } from '#statistics';
import { manualWorld } from '../../support/manual-world.ts';

const minuteMs = 60_000;
const program = (n: number, length = 0) =>
  JSON.stringify({ statements: [{ name: `${n}`, pad: 'x'.repeat(length) }] });

function started() {
  const world = manualWorld();
  const courier = new CorpusCourier(world);
  courier.start();
  const ran = async (...bodies: string[]) => {
    for (const body of bodies) courier.offer(body, false);
    return courier.report();
  };
  return { world, courier, ran };
}

test('a program is handed out once it has run, and its next executions at the end of the minute', async () => {
  const { world, courier, ran } = started();
  await ran(program(1), program(1), program(2));
  expect(courier.take()).toEqual([
    { document: program(1), executions: 2 },
    { document: program(2), executions: 1 },
  ]);
  await ran(program(1), program(1), program(1));
  expect(courier.take()).toEqual([]);
  world.advance(minuteMs);
  expect(courier.take()).toEqual([{ document: program(1), executions: 3 }]);
  await ran(program(1));
  expect(courier.take()).toEqual([{ document: program(1), executions: 1 }]);
});

test('reports what it has captured, and nothing of a store', async () => {
  const { ran } = started();
  expect(await ran(program(1), program(1), program(2, 5_000))).toEqual({
    enabled: true,
    captured: 2,
    skippedOversize: 1,
    droppedQueue: 0,
    shedPending: 0,
  });
});

test('at the end all that has run can be taken', async () => {
  const { courier, ran } = started();
  await ran(program(1));
  expect(courier.take().length).toBe(1);
  courier.offer(program(1), false);
  courier.offer(program(2), false);
  await courier.end();
  expect(courier.take().map(({ executions }) => executions)).toEqual([1, 1]);
  expect(courier.take()).toEqual([]);
});

test('memory is bounded: 1,024 programs a minute, half a MiB at a time, and what nobody takes goes', async () => {
  const { world, courier, ran } = started();
  const bodies = Array.from({ length: 1_100 }, (_, n) => program(n, 4_000));
  expect(await ran(...bodies)).toMatchObject({ captured: 1_024, shedPending: 76 });
  const taken = courier.take();
  const bytes = taken.reduce((sum, { document }) => sum + document.length, 0);
  expect([bytes > 512 << 10, bytes < (512 << 10) + 4_096]).toEqual([true, true]);
  world.advance(minuteMs);
  expect(await ran(...bodies)).toMatchObject({ captured: 2_048, shedPending: 152 });
  world.advance(minuteMs);
  const { shedPending } = await courier.report();
  expect(shedPending).toBe(152 + 1_024 - taken.length);
});
