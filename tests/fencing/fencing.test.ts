/** Fencing as it is seen from outside: two processes, one store, and no lock that would keep them apart. */

import { beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startFakeServer } from '../s3/fake-server.ts';
import { credentials, gatewayEndpoint, hasGateway, newBucket, startupMs } from '../s3/gateway.ts';
import { type Takeover, takeOver } from './takeover.ts';

const clients = 8;
const drainMs = { SVC_SHUTDOWN_DRAIN_MS: '1000' };

function expectFenced(takeover: Takeover): void {
  expect(takeover.acknowledgedByFirst).toBeGreaterThan(0);
  expect(takeover.acknowledgedBySecond).toBeGreaterThan(0);
  // What had got into the log before the fence when the first one fell asleep: the second one has it, so it may be told.
  expect(takeover.acknowledgedLate).toBeLessThanOrEqual(clients);
  for (const answer of takeover.afterwards) {
    expect(['500 commit_outcome_unknown', '500 storage_unavailable']).toContain(answer);
  }
  expect(takeover.readiness).toContain('fenced');
  expect(takeover.firstExit).toBe(6);
  expect(takeover.firstLog).toContain('storage.fenced');
}

function takeOverBucket(bucket: string, endpoint: string): Promise<Takeover> {
  return takeOver({
    place: ['--storage', 's3', '--s3-bucket', bucket, '--s3-endpoint', endpoint],
    env: {
      ...drainMs,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    },
    clients,
    programs: 40,
  });
}

test('in a directory, a writer that slept while another one took over loses nothing, says so, and ends', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'svc-fencing-'));
  try {
    const takeover = await takeOver({
      place: ['--storage-path', directory],
      env: drainMs,
      lockDirectory: directory,
      clients,
      programs: 200,
    });
    expectFenced(takeover);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}, 120_000);

test('the same in a bucket', async () => {
  const server = await startFakeServer();
  try {
    expectFenced(await takeOverBucket('bucket', server.endpoint));
  } finally {
    await server.stop();
  }
}, 120_000);

describe.skipIf(!hasGateway())('on Ceph RGW', () => {
  beforeAll(() => void gatewayEndpoint(), startupMs);

  test('the same', async () => {
    const { bucket } = await newBucket();
    expectFenced(await takeOverBucket(bucket, gatewayEndpoint()));
  }, 120_000);
});
