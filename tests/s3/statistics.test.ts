/** `physicalCost` of a store in a bucket: requests by class, and both tiers of caches (docs/statistics.md). */

import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemWorld } from '#base';
import { openMemoryEngine, openTestHandler, testLimits } from '../http/support.ts';
import { startFakeServer } from './fake-server.ts';

interface Metric {
  readonly p50UpperBound: number;
  readonly p95UpperBound: number;
  readonly maximumUpperBound: number;
}

interface PhysicalCost {
  readonly backend: string;
  readonly capabilities: Readonly<Record<string, boolean>>;
  readonly requests: readonly {
    readonly class: string;
    readonly observedRequests: number;
    readonly errors: number;
    readonly latencyMicros?: Metric;
    readonly bytes?: Metric;
    readonly sizeUpperBound?: number;
    readonly concurrencyUpperBound?: number;
    readonly serviceTier: string;
  }[];
  readonly caches: readonly { readonly tier: string }[];
}

type Writes = Required<PhysicalCost['requests'][number]>;

test('requests to a bucket are counted by class, with those that failed', async () => {
  const objectCachePath = mkdtempSync(join(tmpdir(), 'svc-statistics-'));
  let isRefusing = false;
  await using server = await startFakeServer({
    trick: (method) =>
      isRefusing && method === 'PUT'
        ? { kind: 'answer', status: 403, code: 'AccessDenied' }
        : undefined,
  });
  const engine = await openMemoryEngine('direct', systemWorld(), {
    storage: 's3',
    s3: {
      bucket: 'bucket',
      prefix: 'a',
      region: 'nowhere-1',
      endpoint: server.endpoint,
      credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
    },
    tuning: { objectCachePath, flushIntervalMs: 1 },
  });
  const { send } = openTestHandler(
    { engine },
    { limits: { ...testLimits, bodyBytesMax: 1 << 16 } },
  );
  const table = { name: 't', columns: [{ name: 'a', type: 'int64' }], primary_key: ['a'] };
  const headers = { 'content-type': 'application/json' };
  const made = await send('POST', '/tables', { body: JSON.stringify(table), headers });
  expect(made.status).toBe(200);
  isRefusing = true;
  const other = JSON.stringify({ ...table, name: 'u' });
  const { status, json } = await send('POST', '/tables', { body: other, headers });
  expect([status, json['reason']]).toEqual([500, 'commit_outcome_unknown']);
  isRefusing = false;
  const cost = (await send('GET', '/statistics')).json['physicalCost'] as unknown as PhysicalCost;
  expect(cost.backend).toBe('s3');
  expect(cost.caches.map(({ tier }) => tier)).toEqual(['memory', 'local']);
  const classes = ['read', 'range_read', 'metadata_read', 'write', 'delete', 'list'];
  expect(cost.requests.map((it) => it.class)).toEqual(classes);
  const errors = cost.requests.filter((it) => it.errors > 0);
  expect(errors).toEqual([expect.objectContaining({ class: 'write', errors: 1 })]);
  const counted = cost.requests.reduce((sum, it) => sum + it.observedRequests, 0);
  const puts = server.requests.filter((it) => it.startsWith('PUT')).length;
  expect(errors[0]?.observedRequests).toBeGreaterThan(1);
  expect(errors[0]?.observedRequests).toBeLessThanOrEqual(puts);
  expect(counted).toBeLessThanOrEqual(server.requests.length);
  expect(new Set(Object.values(cost.capabilities))).toEqual(new Set([true]));
  for (const { class: kind, observedRequests, ...measured } of cost.requests) {
    expect(measured.serviceTier).toBe('remote');
    const isSeen = observedRequests > 0;
    const moves = isSeen && ['read', 'range_read', 'write'].includes(kind);
    expect(Object.keys(measured)).toEqual([
      'errors',
      ...(isSeen ? ['latencyMicros'] : []),
      ...(moves ? ['bytes', 'sizeUpperBound'] : []),
      ...(isSeen ? ['concurrencyUpperBound'] : []),
      'serviceTier',
    ]);
  }
  const write = cost.requests.find((it) => it.class === 'write') as Writes;
  // The server answers over a socket, which takes a while; each claim, manifest and group of the log has bytes.
  const { p50UpperBound, p95UpperBound, maximumUpperBound } = write.latencyMicros;
  expect(p50UpperBound).toBeGreaterThan(0);
  expect(p95UpperBound).toBeGreaterThanOrEqual(p50UpperBound);
  expect(maximumUpperBound).toBeGreaterThanOrEqual(p95UpperBound);
  expect(write.bytes.p50UpperBound).toBeGreaterThan(0);
  const size = write.sizeUpperBound;
  expect(size).toBeGreaterThanOrEqual(write.bytes.maximumUpperBound);
  expect(size / 2).toBeLessThan(write.bytes.maximumUpperBound);
  expect(Number.isInteger(Math.log2(write.concurrencyUpperBound))).toBe(true);
  await engine.close();
  rmSync(objectCachePath, { recursive: true });
});
