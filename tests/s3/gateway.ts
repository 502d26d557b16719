/**
 * The real S3 server of a test run: started once, at the first use, whichever process of the run needs it first; it ends with the run.
 *
 * SVC_TEST_S3_ENDPOINT names one that runs already, with the credentials of `ceph.sh`.
 */

import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemWorld } from '#base';
import type { S3Options } from '../../src/storage/object/s3/options.ts';
import { signer } from '../../src/storage/object/s3/sign.ts';

const script = join(import.meta.dir, 'ceph.sh');

export const credentials = { accessKeyId: 'testkey', secretAccessKey: 'testsecret' };
export const region = 'us-east-1';
/** For a hook that starts the server. */
export const startupMs = 120_000;

/** Says loudly why there is no real server here, when there is none. */
export function hasGateway(): boolean {
  if (process.env['SVC_TEST_S3_ENDPOINT'] !== undefined) return true;
  const check = Bun.spawnSync([script, 'check'], { stdout: 'pipe' });
  if (check.exitCode === 0) return true;
  const reason = check.stdout.toString().trim();
  console.error(
    `\n*** SKIPPED: the tests against a real S3 server (Ceph RGW), because ${reason}.\n` +
      '*** apt-get install --no-install-recommends ceph-mon ceph-osd radosgw\n',
  );
  return false;
}

export interface Gateway {
  readonly endpoint: string;
  /** Of a server that was started here. */
  kill(): void;
  /** After `kill`; what was stored is there again only on `bluestore`. */
  start(): Promise<void>;
  stop(): void;
}

/** A server of one's own. */
export function startGateway(store: 'memstore' | 'bluestore'): Gateway {
  const directory = mkdtempSync(join(tmpdir(), 'svc-ceph-'));
  const port = freePort();
  run(store, 'up', directory, String(port), String(freePort()), String(process.pid));
  return {
    endpoint: `http://127.0.0.1:${port}`,
    kill: () => run(store, 'kill', directory),
    async start() {
      // The others of this process go on meanwhile.
      const exitCode = await Bun.spawn([script, 'start', directory]).exited;
      if (exitCode !== 0) throw new Error(`ceph.sh start failed with ${exitCode}`);
    },
    stop: () => run(store, 'down', directory),
  };
}

function run(store: 'memstore' | 'bluestore', ...args: string[]): void {
  const env = { ...process.env, OSD_STORE: store };
  const { exitCode, stderr } = Bun.spawnSync([script, ...args], { env, stderr: 'pipe' });
  if (exitCode !== 0) throw new Error(`ceph.sh ${args[0]} failed: ${stderr.toString()}`);
}

let endpoint: string | undefined;

/** The endpoint of the run's one server. Test files share nothing but the run: its process, or with several workers their parent. */
export function gatewayEndpoint(): string {
  endpoint ??= process.env['SVC_TEST_S3_ENDPOINT'] ?? sharedGateway();
  return endpoint;
}

function sharedGateway(): string {
  const isWorker = process.env['BUN_TEST_WORKER_ID'] !== undefined;
  const owner = String(isWorker ? process.ppid : process.pid);
  const directory = join(tmpdir(), `svc-ceph-of-${owner}`);
  run('memstore', 'share', directory, String(freePort()), String(freePort()), owner);
  return `http://127.0.0.1:${readFileSync(join(directory, 'port'), 'utf8').trim()}`;
}

/** Options for a new bucket on the run's server. */
export async function newBucket(endpoint = gatewayEndpoint()): Promise<S3Options> {
  const bucket = `svc-${crypto.randomUUID()}`;
  await createBucket(endpoint, bucket);
  return { bucket, prefix: 'some/where', region, endpoint, credentials, world: systemWorld() };
}

export async function createBucket(endpoint: string, bucket: string): Promise<void> {
  const path = `/${bucket}`;
  const { host } = new URL(endpoint);
  const bodyHash = Bun.SHA256.hash('', 'hex');
  const request = { method: 'PUT', host, path, query: '', headers: {}, bodyHash };
  const headers = signer(credentials, region)(request, Date.now());
  const answer = await fetch(endpoint + path, { method: 'PUT', headers });
  if (!answer.ok) throw new Error(`creating ${bucket}: HTTP ${answer.status}`);
}

export function freePort(): number {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
  const { port } = listener;
  listener.stop(true);
  return port;
}
