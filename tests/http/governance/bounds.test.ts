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
  // Planned and compiled: the first time takes longer than a slice on a busy machine.
  expect((await server.post(point)).status).toBe(200);
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

test('a program that would not fit into the pool if it were alone is told so, and not to try again', async () => {
  await using server = await openGoverned({ memoryBytes: 16 << 20, programMemoryBytes: 1 << 30 });
  const refused = await server.post(pairs);
  expect([refused.status, refused.reason]).toEqual([422, 'memory_limit']);
  expect(refused.text).toContain('--memory-mib');
  const { poolUsedBytes, poolPeakBytes } = server.engine.admissionStatistics();
  expect(poolUsedBytes).toBe(0);
  expect(poolPeakBytes).toBeLessThanOrEqual(12 << 20);
  expect((await server.post(point)).status).toBe(200);
});

test('rows that nest shared rows again and again are told apart, or refused, without being written out', async () => {
  await using server = await openGoverned();
  const nested = (levels: number) => {
    const nodes: Record<string, unknown> = {
      r: { kind: 'rows', scope: 'r', columns: [{ name: 'x', type: 'int64' }], rows: [['1']] },
    };
    const bindings: Record<string, unknown> = { b0: { kind: 'derived', node: 'r' } };
    for (let i = 1; i <= levels; i++) {
      nodes[`one${i}`] = {
        kind: 'rows',
        scope: `one${i}`,
        columns: [{ name: 'z', type: 'int64' }],
        rows: [['1']],
      };
      const fields = ['x', 'y'].map((as) => {
        nodes[`${as}${i}`] = { kind: 'ref', binding: `b${i - 1}`, scope: `${as}${i}` };
        nodes[`${as}s${i}`] = { kind: 'slice', input: `${as}${i}`, limit: 1 };
        return { as, expr: { kind: 'first', node: `${as}s${i}` } };
      });
      nodes[`p${i}`] = { kind: 'project', input: `one${i}`, scope: `p${i}`, fields };
      bindings[`b${i}`] = { kind: 'derived', node: `p${i}` };
    }
    nodes['z'] = { kind: 'ref', binding: `b${levels}`, scope: 'z' };
    nodes['d'] = { kind: 'distinct', input: 'z' };
    nodes['n'] = { kind: 'aggregate', input: 'd', aggs: [{ fn: 'count', as: 'n' }] };
    const relation = { bindings, nodes, root: { node: 'n', cardinality: 'scalar' } };
    return { statements: [{ kind: 'query', name: 'q', relation }] };
  };
  const told = await server.post(nested(12));
  expect([told.status, JSON.parse(told.text).result]).toEqual([200, 1]);
  const refused = await server.post(nested(60));
  expect([refused.status, refused.reason]).toEqual([422, 'memory_limit']);
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
  expect(server.releasedBytes.length).toBeGreaterThan(0);
  expect(Math.max(...server.releasedBytes)).toBeLessThan(1 << 20);
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
