/** `svc doctor store`, and a server's start, on a real bucket and on one whose conditional writes are not real. */

import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../cli/run.ts';
import { startFakeServer } from './fake-server.ts';
import { credentials, gatewayEndpoint, hasGateway, newBucket, startupMs } from './gateway.ts';

// Every test runs a process or two.
setDefaultTimeout(60_000);

const env = {
  AWS_ACCESS_KEY_ID: credentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
};

const place = (bucket: string, endpoint: string): string[] => [
  ...['--storage', 's3', '--s3-bucket', bucket, '--s3-endpoint', endpoint],
];

/** Where no store is. */
const fit = [
  'reach pass',
  'write-read pass',
  'range-read pass',
  'overwrite pass',
  'list pass',
  'conditional-write pass',
  'delete pass',
  'store warning',
];

interface Report {
  readonly healthy: boolean;
  readonly checks: readonly { readonly name: string; readonly status: string }[];
}

const verdicts = (stdout: string): string[] =>
  (JSON.parse(stdout) as Report).checks.map(({ name, status }) => `${name} ${status}`);

describe.skipIf(!hasGateway())('on Ceph RGW', () => {
  beforeAll(() => void gatewayEndpoint(), startupMs);

  test('a bucket is fit', async () => {
    const { bucket } = await newBucket();
    const argv = ['doctor', 'store', ...place(bucket, gatewayEndpoint()), '--rounds', '3'];
    const { exitCode, stdout, stderr } = await runCommand(argv, env);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toContain('exactly one of 16 creators won, in each of 3 rounds');
    expect(stdout).toEndWith('Doctor: suitable, but it contains no store\n');
  });

  test('a bucket that does not exist is not', async () => {
    const argv = ['doctor', 'store', ...place('no-such-bucket', gatewayEndpoint())];
    const { exitCode, stdout } = await runCommand(argv, env);
    expect(exitCode).toBe(1);
    expect(stdout).toContain('the bucket "no-such-bucket" does not exist');
    expect(stdout).toEndWith('Doctor: failed\n');
  });
});

describe('a server that ignores If-None-Match', () => {
  test('is found unfit by the doctor', async () => {
    await using fake = await startFakeServer({ ignoresConditions: true });
    const argv = ['doctor', 'store', ...place('bucket', fake.endpoint), '--rounds', '2', '--json'];
    const { exitCode, stdout, stderr } = await runCommand(argv, env);
    expect(exitCode).toBe(1);
    expect(verdicts(stdout)).toEqual(
      fit.map((verdict) => verdict.replace('conditional-write pass', 'conditional-write fail')),
    );
    expect(JSON.parse(stderr).error).toEqual({
      code: 'doctor_failed',
      message: 'failed: conditional-write',
    });
    expect(fake.objects.size).toBe(0);
  });

  test('is refused by a server', async () => {
    await using fake = await startFakeServer({ ignoresConditions: true });
    const argv = ['serve', '--addr', '127.0.0.1:0', ...place('bucket', fake.endpoint)];
    const { exitCode, stdout, stderr } = await runCommand(argv, env);
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toContain('the object store cannot be used');
    expect(stderr).toContain('If-None-Match is ignored');
    expect(stderr).toContain('svc doctor store');
    // Nothing but its own probe, and that is gone.
    expect(fake.objects.size).toBe(0);
  });
});

test('an honest server is fit', async () => {
  await using fake = await startFakeServer();
  const argv = ['doctor', 'store', ...place('bucket', fake.endpoint), '--rounds', '2', '--json'];
  const { exitCode, stdout, stderr } = await runCommand(argv, env);
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(verdicts(stdout)).toEqual(fit);
});

test('a directory is examined, too, and left as it was', async () => {
  const home = mkdtempSync(join(tmpdir(), 'svc-doctor-'));
  const path = join(home, 'data');
  const argv = ['doctor', 'store', '--storage-path', path, '--rounds', '2', '--creators', '4'];
  const { exitCode, stdout } = await runCommand(argv);
  expect([exitCode, stdout.split('\n').at(-2)]).toEqual([
    0,
    'Doctor: suitable, but it contains no store',
  ]);
  expect(existsSync(path)).toBe(false);
  rmSync(home, { recursive: true });
});

test('what it needs is asked for', async () => {
  const missing = await runCommand(['doctor', 'store', '--storage', 's3']);
  expect([missing.exitCode, missing.stdout]).toEqual([2, '']);
  expect(missing.stderr).toContain('--s3-bucket is not set');
  const none = await runCommand(['doctor', 'store', '--rounds', '0']);
  expect(none.exitCode).toBe(2);
  expect(none.stderr).toContain('Expected an integer from 1 to 9999');
});
