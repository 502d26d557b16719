/** Where the tortured server keeps its data, and what is killed: the server, or the store under it. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBucket, credentials, startGateway } from '../s3/gateway.ts';
import type { ServerProcess } from '../support/server-process.ts';

export interface TorturePlace {
  readonly flags: readonly string[];
  readonly env: Record<string, string>;
  /** Kills and starts again; the server that is to be asked from now on. */
  strike(server: ServerProcess, start: () => Promise<ServerProcess>): Promise<ServerProcess>;
  close(): void;
}

export function filePlace(): TorturePlace {
  const directory = mkdtempSync(join(tmpdir(), 'svc-torture-'));
  return {
    flags: ['--storage-path', directory],
    env: {},
    strike: killServer,
    close: () => rmSync(directory, { recursive: true, force: true }),
  };
}

/** On a Ceph RGW of its own, whose objects are on disk. `struck`: what is killed. */
export async function bucketPlace(struck: 'server' | 'store'): Promise<TorturePlace> {
  const gateway = startGateway('bluestore');
  const { endpoint } = gateway;
  await createBucket(endpoint, 'torture');
  const restartStore = async (server: ServerProcess) => {
    gateway.kill();
    await gateway.start();
    return server;
  };
  return {
    flags: ['--storage', 's3', '--s3-bucket', 'torture', '--s3-endpoint', endpoint],
    env: {
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    },
    strike: struck === 'server' ? killServer : restartStore,
    close: () => gateway.stop(),
  };
}

async function killServer(
  server: ServerProcess,
  start: () => Promise<ServerProcess>,
): Promise<ServerProcess> {
  server.kill('SIGKILL');
  await server.exited;
  return start();
}
