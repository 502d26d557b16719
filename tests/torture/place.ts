/** Where the tortured server keeps its data, and what is killed: the server, or the store under it. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBucket, credentials, startGateway } from '../s3/gateway.ts';
import type { ServerProcess } from '../support/server-process.ts';

export interface TorturePlace {
  readonly flags: readonly string[];
  readonly env: Record<string, string>;
  /** Whether the server may answer with an error while this happens. */
  readonly mayRefuse: boolean;
  /** Kills and starts again; the server that is to be asked from now on. */
  strike(server: ServerProcess, start: () => Promise<ServerProcess>): Promise<ServerProcess>;
  close(): void;
}

export function filePlace(): TorturePlace {
  const directory = mkdtempSync(join(tmpdir(), 'svc-torture-'));
  return {
    // Tables are written and merged all the time as well, once programs are large.
    flags: ['--storage-path', directory, '--store-l0-sst-size-mib', '1'],
    env: {},
    mayRefuse: false,
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
    await untilReady(server);
    return server;
  };
  return {
    flags: [
      ...['--storage', 's3', '--s3-bucket', 'torture', '--s3-endpoint', endpoint],
      // Tables and manifests are written all the time as well.
      ...['--store-max-wal-flushes-before-l0-flush', '20'],
    ],
    env: {
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    },
    mayRefuse: struck === 'store',
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

/** It finds its store again by itself. */
async function untilReady({ url, exited }: ServerProcess): Promise<void> {
  const end = exited.then((code) => Promise.reject(new Error(`the server ended with ${code}`)));
  // It ends at last, when nobody waits any more.
  end.catch(() => {});
  for (;;) {
    const pause = new Promise((resolve) => setTimeout(resolve, 50));
    const answer = await Promise.race([fetch(`${url}/readyz`), end]);
    if (answer.status === 200) return;
    await Promise.race([pause, end]);
  }
}
