/** Encoding a large result: it can be ended between any two pieces, and is in account until it is sent. */

import { expect, test } from 'bun:test';
import { Admission } from '../../../src/engine/admission/admission.ts';
import { EdgeCounters } from '../../../src/http/edge/counters.ts';
import { ResponseMemory } from '../../../src/http/edge/response-memory.ts';
import type { OutgoingResponse } from '../../../src/http/edge/send-answer.ts';
import { ResultText } from '../../../src/http/program/result-text.ts';
import { manualWorld } from '../../support/manual-world.ts';
import { outcomeOf, rejection } from '../../support/outcome.ts';

const mib = 1 << 20;

function setting(timeoutMs: number, unsentBytesMax = 64 * mib) {
  const world = manualWorld();
  const limits = { programMemoryBytes: 64 * mib, memoryBytes: 128 * mib };
  const admission = new Admission(world, { ...limits, timeoutMs, concurrency: 8, queueMax: 8 });
  const requestContext = admission.requestContext();
  const counters = new EdgeCounters();
  const room = new ResponseMemory(counters, unsentBytesMax);
  const textOf = (bytesMax = 64 * mib) => new ResultText(requestContext, bytesMax, room);
  return { world, admission, counters, requestContext, text: textOf(), textOf };
}

const result = {
  columns: [{ name: 'i', type: { kind: 'int64' }, nullable: false }],
  rows: Array.from({ length: 200_000 }, (_, i) => [i]),
  cardinality: 'many',
} as const;

test('ends at the deadline', async () => {
  const { world, requestContext, text } = setting(100);
  world.advance(101);
  const answer = text.answer(result);
  expect(await outcomeOf(answer)).toThrow('longer than 100 ms');
  requestContext.close();
});

test('may take as many bytes as the limit says, and not one more', async () => {
  const { requestContext, textOf } = setting(0);
  const { bytes } = (await textOf().answer(result)) as OutgoingResponse;
  expect(await textOf(bytes).answer(result)).toMatchObject({ bytes });
  const refused = Promise.resolve(textOf(bytes - 1).answer(result));
  expect(await rejection(refused)).toMatchObject({ failure: { reason: 'result_limit' } });
  requestContext.close();
});

test('is held until the ticket is closed', async () => {
  const { admission, requestContext, text } = setting(0);
  const answer = await text.answer(result, '<', () => '>');
  const { bytes } = answer as Exclude<typeof answer, string>;
  expect(bytes).toBeGreaterThan(2 * mib);
  const { poolUsedBytes } = admission.statistics();
  expect(poolUsedBytes).toBeGreaterThanOrEqual(bytes - 2);
  expect(poolUsedBytes).toBeLessThan(bytes + 2 * mib);
  requestContext.close();
  expect(admission.statistics().poolUsedBytes).toBe(0);
});

test('takes its room among what is unsent as it is encoded, and none beyond the bound', async () => {
  const { counters, requestContext, text, textOf } = setting(0, 4 * mib);
  const first = (await text.answer(result)) as OutgoingResponse;
  expect(first.bytes).toBeGreaterThan(2 * mib);
  expect(counters.unsentBytes).toBe(first.bytes);
  const second = textOf();
  const refusal = await Promise.resolve(second.answer(result)).catch((error: unknown) => error);
  expect(refusal).toMatchObject({
    message: expect.stringContaining('would exceed 4 MiB'),
    failure: { reason: 'overloaded', retryAfterSeconds: 1, endsConnection: true },
  });
  expect(counters).toMatchObject({ refusedForUnsent: 1 });
  // What it got before goes back with what was thrown.
  second.drop();
  expect(counters.unsentBytes).toBe(first.bytes);
  requestContext.close();
});

test('a large result that a later attempt has not made leaves no room taken', async () => {
  const few = { ...result, rows: [[7]] } as const;
  for (const last of [few, undefined]) {
    const { counters, requestContext, text } = setting(0);
    await text.beforeCommit(result);
    expect(counters.unsentBytes).toBeGreaterThan(2 * mib);
    expect(await text.answer(last)).toBe(
      last === undefined ? 'null' : ((await setting(0).text.answer(few)) as string),
    );
    expect(counters.unsentBytes).toBe(0);
    requestContext.close();
  }
});

test('up to 1 MiB needs no room', async () => {
  const { counters, requestContext, text, textOf } = setting(0, 2 * mib + 600_000);
  await text.answer(result);
  const few = { ...result, rows: result.rows.slice(0, 60_000) };
  const answer = (await textOf().answer(few)) as OutgoingResponse;
  expect(answer.bytes).toBeGreaterThan(600_000);
  expect(counters.refusedForUnsent).toBe(0);
  requestContext.close();
});

test('keeps no rows once it is encoded', async () => {
  const { requestContext, text } = setting(0);
  await text.answer(result);
  expect(Object.values(text).includes(result)).toBe(false);
  expect((text as unknown as { written: unknown }).written).toBeUndefined();
  requestContext.close();
});
