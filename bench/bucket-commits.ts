/**
 * Durable one-row inserts into a bucket over HTTP, against what one conditional PUT after the other takes on the same server in the same
 * run: a commit is one PUT, and whoever commits meanwhile shares the next one.
 */

import { systemWorld } from '#base';
import { s3Store } from '../src/storage/object/s3/s3-store.ts';
import {
  createBucket,
  credentials,
  hasGateway,
  newBucket,
  startGateway,
} from '../tests/s3/gateway.ts';
import { load, prepare } from './connection.ts';
import type { Measurement } from './measure.ts';
import { startSvc } from './server-process.ts';
import { createTable } from './setup.ts';
import { createItems } from './workload.ts';

interface Timed {
  readonly perSecond: number;
  /** In ms, sorted. */
  readonly latencies: Float64Array;
}

const objectBytes = 4096;

export async function benchBucketCommits(isQuick: boolean): Promise<readonly Measurement[]> {
  if (!hasGateway()) return [];
  const gateway = startGateway('bluestore');
  try {
    return await measure(gateway.endpoint, isQuick);
  } finally {
    gateway.stop();
  }
}

async function measure(endpoint: string, isQuick: boolean): Promise<readonly Measurement[]> {
  await createBucket(endpoint, 'bench');
  const store = s3Store(await newBucket(endpoint));
  await using svc = await startSvc(
    ['--storage', 's3', '--s3-bucket', 'bench', '--s3-endpoint', endpoint],
    {
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    },
  );
  await createTable(svc.port);
  const durationMs = isQuick ? 2000 : 5000;
  let id = 1;
  const next = () => prepare(svc.port, 'POST', '/execute', createItems(id++, 1));
  const commits = (connections: number) => async (): Promise<Timed> => {
    const result = await load(svc.port, connections, durationMs, next);
    if (result.failures > 0) throw new Error(`${result.failures} requests failed`);
    return { perSecond: result.requests / result.seconds, latencies: result.latencies };
  };
  let puts = 0;
  const serialPuts = async (): Promise<Timed> => {
    const { random } = systemWorld();
    const body = random.fill(new Uint8Array(objectBytes));
    const latencies: number[] = [];
    const from = performance.now();
    while (performance.now() - from < durationMs) {
      const sentAt = performance.now();
      const outcome = await store.putIfAbsent(`put/${puts++}`, body);
      if (outcome !== 'committed') throw new Error(`a PUT was answered with ${outcome}`);
      latencies.push(performance.now() - sentAt);
    }
    const seconds = (performance.now() - from) / 1000;
    return {
      perSecond: latencies.length / seconds,
      latencies: Float64Array.from(latencies).sort(),
    };
  };
  const rounds = isQuick ? 3 : 5;
  await commits(16)();
  return [
    await compare('1 client', 0.7, rounds, commits(1), serialPuts),
    await compare('64 clients', 12, rounds, commits(64), serialPuts),
  ];
}

/** By turns; the pair in the middle counts. */
async function compare(
  clients: string,
  goal: number,
  rounds: number,
  subject: () => Promise<Timed>,
  reference: () => Promise<Timed>,
): Promise<Measurement> {
  const pairs: { readonly ratio: number; readonly subject: Timed; readonly reference: Timed }[] =
    [];
  for (let round = 0; round < rounds; round++) {
    const [other, own] = [await reference(), await subject()];
    pairs.push({ ratio: own.perSecond / other.perSecond, subject: own, reference: other });
  }
  pairs.sort((a, b) => a.ratio - b.ratio);
  const middle = pairs[Math.floor(pairs.length / 2)] as (typeof pairs)[number];
  return {
    name: `durable one-row inserts into a bucket, ${clients}, against one PUT after the other`,
    goal,
    ratio: middle.ratio,
    subject: describe(middle.subject),
    reference: describe(middle.reference),
  };
}

function describe({ perSecond, latencies }: Timed): string {
  const at = (share: number): string =>
    (latencies[Math.floor(latencies.length * share)] ?? 0).toFixed(1);
  return `${Math.round(perSecond)}/s (p50 ${at(0.5)} ms, p99 ${at(0.99)} ms)`;
}
