/** What is refused over real sockets: too long a line, too much memory, too large a result; and that everything goes back. */

import { describe, expect, test } from 'bun:test';
import {
  all,
  create,
  divided,
  endless,
  eventually,
  openGoverned,
  pairs,
  point,
} from './governed.ts';

test('beyond the line it is overload, and points go on', async () => {
  await using server = await openGoverned({ queueMax: 8 });
  const client = new AbortController();
  // Five at work, two of this client wait.
  const admitted = Array.from({ length: 7 }, () =>
    server.post(endless, { signal: client.signal }).catch(() => undefined),
  );
  await eventually(() => server.engine.admissionStatistics().queued === 2);
  const refused = await server.post(all);
  expect([refused.status, refused.reason]).toEqual([503, 'overloaded']);
  expect(refused.headers.get('retry-after')).toBe('1');
  expect((await server.post(point)).status).toBe(200);
  client.abort();
  await Promise.all(admitted);
});

test('without room in the pool a large program is refused, and a point is not', async () => {
  await using server = await openGoverned({ memoryBytes: 16 << 20, programMemoryBytes: 1 << 30 });
  const refused = await server.post(pairs);
  expect([refused.status, refused.reason]).toEqual([503, 'overloaded']);
  expect(refused.text).toContain('--memory-mib');
  const { poolUsedBytes, poolRefused, poolPeakBytes } = server.engine.admissionStatistics();
  expect([poolUsedBytes, poolRefused]).toEqual([0, 1]);
  expect(poolPeakBytes).toBeLessThanOrEqual(12 << 20);
  expect((await server.post(point)).status).toBe(200);
});

describe('the pool is full again', () => {
  const programs: Record<string, readonly [body: unknown, outcome: string | undefined]> = {
    'after an answer': [all, undefined],
    'after a write': [create(100_000, 10), undefined],
    'after an error of an expression': [divided, 'division_by_zero'],
    'after a constraint': [create(0, 10), 'constraint_violation'],
    'after too much memory': [pairs, 'memory_limit'],
    'after a wrong program': [{ statements: [] }, undefined],
    'after an unknown table': [
      JSON.parse(JSON.stringify(all).replace('"t"', '"u"')),
      'unknown_table',
    ],
  };
  for (const [name, [body, outcome]] of Object.entries(programs)) {
    test(name, async () => {
      await using server = await openGoverned();
      const { reason } = await server.post(body);
      if (outcome !== undefined) expect(reason).toBe(outcome);
      expect(server.engine.admissionStatistics().poolPeakBytes).toBeGreaterThan(0);
      expect(server.engine.admissionStatistics().poolUsedBytes).toBe(0);
    });
  }
});

test('what is made of a body is not told to the collector: small collections find it', async () => {
  await using server = await openGoverned();
  const statements = Array.from({ length: 200_000 }, (_, i) => i);
  expect((await server.post({ statements })).status).toBe(400);
  expect(server.letGo.length).toBeGreaterThan(0);
  expect(Math.max(...server.letGo)).toBeLessThan(1 << 20);
});

describe('a result above its limit', () => {
  test('is refused before a byte of it is sent', async () => {
    await using server = await openGoverned({}, 150_000);
    expect((await server.post(create(10_000, 3000))).status).toBe(200);
    const refused = await server.post(all);
    expect([refused.status, refused.reason]).toEqual([422, 'result_limit']);
    expect(refused.text).toContain('--max-result-mib');
    expect(server.engine.admissionStatistics().poolUsedBytes).toBe(0);
  });

  test('keeps a program that writes from happening', async () => {
    await using server = await openGoverned({}, 200_000);
    const refused = await server.post(create(100_000, 10_000));
    expect(refused.reason).toBe('result_limit');
    expect((await server.post(create(100_000, 1))).status).toBe(200);
  });

  test('one below it is whole', async () => {
    await using server = await openGoverned();
    const { text } = await server.post(all);
    expect((JSON.parse(text) as { result: unknown[] }).result.length).toBe(3000);
    const written = await server.post(create(100_000, 5000));
    expect((JSON.parse(written.text) as { result: unknown[] }).result.length).toBe(5000);
  });
});
