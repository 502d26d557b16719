/** `physicalCost` of a store in a bucket: requests by class, and both tiers of caches (docs/statistics.md). */

import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemWorld } from '#base';
import { openMemoryEngine, openTestHandler, testLimits } from '../http/support.ts';
import { startFakeServer } from './fake-server.ts';

interface PhysicalCost {
  readonly backend: string;
  readonly requests: readonly {
    readonly class: string;
    readonly observedRequests: number;
    readonly errors: number;
  }[];
  readonly caches: readonly { readonly tier: string }[];
}

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
  await engine.close();
  rmSync(objectCachePath, { recursive: true });
});
