/** Encoding a large result: it can be ended between any two pieces, and is in account until it is sent. */

import { expect, test } from 'bun:test';
import { Admission } from '../../../src/engine/admission/admission.ts';
import { ResultText } from '../../../src/http/result-text.ts';
import { manualWorld } from '../../support/manual-world.ts';

const mib = 1 << 20;

function setting(timeoutMs: number) {
  const world = manualWorld();
  const limits = { programMemoryBytes: 64 * mib, memoryBytes: 128 * mib };
  const admission = new Admission(world, { ...limits, timeoutMs, concurrency: 8, queueMax: 8 });
  const ticket = admission.ticket();
  return { world, admission, ticket, text: new ResultText(ticket, 64 * mib) };
}

const result = {
  columns: [{ name: 'i', type: { kind: 'int64' }, nullable: false }],
  rows: Array.from({ length: 200_000 }, (_, i) => [i]),
  cardinality: 'many',
} as const;

test('ends at the deadline', async () => {
  const { world, ticket, text } = setting(100);
  world.advance(101);
  const answer = text.answer(result);
  await expect(Promise.resolve(answer)).rejects.toThrow('longer than 100 ms');
  ticket.close();
});

test('is held until the ticket is closed', async () => {
  const { admission, ticket, text } = setting(0);
  const answer = await text.answer(result, '<', () => '>');
  const { bytes } = answer as Exclude<typeof answer, string>;
  expect(bytes).toBeGreaterThan(2 * mib);
  const { poolUsedBytes } = admission.statistics();
  expect(poolUsedBytes).toBeGreaterThanOrEqual(bytes - 2);
  expect(poolUsedBytes).toBeLessThan(bytes + 2 * mib);
  ticket.close();
  expect(admission.statistics().poolUsedBytes).toBe(0);
});
