/** A server whose data is in a bucket: killed, started again, without its store for a while, without a bucket at first. */

import { beforeAll, describe, expect, test } from 'bun:test';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { idsFrom, tortureTables, transferProgram } from '../torture/workload.ts';
import {
  createBucket,
  credentials,
  freePort,
  gatewayEndpoint,
  hasGateway,
  newBucket,
  startupMs,
} from './gateway.ts';
import { startNetwork } from './network.ts';

const env = {
  AWS_ACCESS_KEY_ID: credentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
};

interface Reply {
  readonly status: number;
  readonly json: unknown;
}

async function ask(url: string, body?: unknown): Promise<Reply> {
  const headers = { 'content-type': 'application/json' };
  const init = body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(url, init);
  return { status: response.status, json: await response.json() };
}

/** Asks until the answer is the wanted one; the test's own time limit ends it. */
async function eventually(url: string, reason: string): Promise<void> {
  for (;;) {
    const reply = await ask(url).catch(() => undefined);
    if ((reply?.json as { reason?: string } | undefined)?.reason === reason) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe.skipIf(!hasGateway())('a server on Ceph RGW', () => {
  beforeAll(() => void gatewayEndpoint(), startupMs);

  const flagsOf = (bucket: string, endpoint: string): string[] => [
    ...['--storage', 's3', '--s3-bucket', bucket, '--s3-endpoint', endpoint],
  ];

  interface Running extends AsyncDisposable {
    readonly server: ServerProcess;
  }

  /** Killed at the end of its test. */
  async function start(bucket: string, endpoint = gatewayEndpoint()): Promise<Running> {
    const server = await startServerProcess(flagsOf(bucket, endpoint), { env });
    return {
      server,
      async [Symbol.asyncDispose]() {
        server.kill('SIGKILL');
        await server.exited;
      },
    };
  }

  async function transfer(server: ServerProcess, from: number, to: number): Promise<number[]> {
    const ids = Array.from({ length: to - from + 1 }, (_, i) => from + i);
    const replies = await Promise.all(
      ids.map((id) => ask(`${server.url}/execute`, transferProgram(id))),
    );
    return replies.map(({ status }) => status);
  }

  async function debits(server: ServerProcess): Promise<number[]> {
    const { json } = await ask(`${server.url}/execute`, idsFrom('debit', 'id', 0));
    return (json as { result: { id: number }[] }).result.map(({ id }) => id);
  }

  const oneTo = (last: number) => Array.from({ length: last }, (_, i) => i + 1);

  test.concurrent('everything acknowledged is there after SIGKILL, again and again', async () => {
    const { bucket } = await newBucket();
    for (const last of [0, 40, 80]) {
      // Killed at the end of each turn.
      await using running = await start(bucket);
      const { server } = running;
      expect(server.banner).toContain(`data in s3://${bucket}/svc`);
      if (last === 0) {
        for (const table of tortureTables) {
          expect((await ask(`${server.url}/tables`, table)).status).toBe(200);
        }
      } else {
        expect(await debits(server)).toEqual(oneTo(last));
      }
      expect(new Set(await transfer(server, last + 1, last + 40))).toEqual(new Set([200]));
    }
    await using running = await start(bucket);
    expect(await debits(running.server)).toEqual(oneTo(120));
    running.server.kill('SIGTERM');
    expect(await running.server.exited).toBe(0);
  }, 60_000);

  test.concurrent('without its store it is not ready, keeps what it has, and recovers by itself', async () => {
    const { bucket } = await newBucket();
    await using network = await startNetwork(gatewayEndpoint());
    await using running = await start(bucket, network.endpoint);
    const { server } = running;
    for (const table of tortureTables) await ask(`${server.url}/tables`, table);
    expect(await transfer(server, 1, 3)).toEqual([200, 200, 200]);
    await network.cut();
    const waiting = transfer(server, 4, 6);
    await eventually(`${server.url}/readyz`, 'storage_unavailable');
    expect((await ask(`${server.url}/livez`)).json).toEqual({ reason: 'live' });
    await network.restore();
    await eventually(`${server.url}/readyz`, 'serving');
    expect(await waiting).toEqual([200, 200, 200]);
    expect(await debits(server)).toEqual(oneTo(6));
  }, 60_000);

  test.concurrent('it waits for its bucket, and says so', async () => {
    const bucket = `svc-${crypto.randomUUID()}`;
    const url = `http://127.0.0.1:${freePort()}`;
    const flags = [...flagsOf(bucket, gatewayEndpoint()), '--addr', new URL(url).host];
    const starting = startServerProcess(flags, { env });
    try {
      await eventually(`${url}/startupz`, 'storage_bucket_missing');
      expect((await ask(`${url}/readyz`)).json).toEqual({ reason: 'starting' });
      expect(await ask(`${url}/execute`, {})).toMatchObject({
        status: 503,
        json: { reason: 'storage_unavailable' },
      });
    } finally {
      await createBucket(gatewayEndpoint(), bucket);
      const server = await starting;
      expect((await ask(`${url}/startupz`)).json).toEqual({ reason: 'started' });
      server.kill('SIGKILL');
      await server.exited;
    }
  }, 60_000);
});
