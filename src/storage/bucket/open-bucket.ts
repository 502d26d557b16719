/**
 * Opens a store in a bucket (docs/storage-format.md, "Opening a bucket"): claims the next manifest, checks that the claim holds, replays
 * the log and fences it, and checks again. Only after the second check is the replay known to be complete.
 */

import { blame } from '../log/fence.ts';
import type { Replay } from '../log/log.ts';
import type { Durable, OpenOptions } from '../manifest/durable.ts';
import { markOpened } from '../manifest/opened-marker.ts';
import { GarbageCollector } from '../object/garbage-collector.ts';
import { StorageError } from '../object/storage-fault.ts';
import { BucketDurable } from './bucket-durable.ts';
import { type Claim, claimBucket, overtaken } from './claim.ts';
import { ObjectLog } from './object-log.ts';
import { replayLog } from './replay-log.ts';
import { retryWhileUnavailable } from './retry.ts';

interface BucketOptions extends OpenOptions {
  /** Maximum time in milliseconds for which a log group gathers records. */
  readonly flushIntervalMs: number;
  /** Minimum time in milliseconds between two manifests, unless a publication is urgent. */
  readonly publishIntervalMs: number;
}

/**
 * Opens the bucket. Throws `fenced` if another writer claimed it later; that writer then owns the store, and this process must not retry.
 */
export async function openBucketDurable(options: BucketOptions): Promise<Durable> {
  const { objects, world } = options;
  const claim = await claimBucket(objects, world);
  const { epoch, number } = claim.manifest;
  const fenced = () => overtaken(objects, epoch, number);
  try {
    await refuse(fenced);
    return await openClaimed(options, claim, fenced);
  } catch (error) {
    if (error instanceof StorageError) throw await blame(fenced, 'open', 'the bucket', error);
    throw error;
  }
}

type Overtaken = () => Promise<StorageError | undefined>;

async function refuse(fenced: Overtaken): Promise<void> {
  const failure = await fenced();
  if (failure !== undefined) throw failure;
}

async function openClaimed(
  options: BucketOptions,
  claim: Claim,
  fenced: Overtaken,
): Promise<Durable> {
  const { objects, world, flushIntervalMs, publishIntervalMs } = options;
  const { manifest, logBoundary } = claim;
  const { epoch, boundary } = manifest;
  await options.prepare(manifest);
  let replayedRecords = 0;
  const replay: Replay = (payload, record) => {
    replayedRecords++;
    options.replay(payload, record);
  };
  const collector = new GarbageCollector(options.garbage ?? objects, world.clock);
  const place = { objects, world, epoch };
  const durableTo = manifest.log?.record ?? boundary;
  const span = { boundary, boundaryId: logBoundary, durableTo, newest: manifest.number - 1 };
  const known = await replayLog({ ...place, ...span, replay, overtaken: fenced });
  await refuse(fenced);
  await retryWhileUnavailable(world, () => markOpened(objects, world, epoch));
  const durable: BucketDurable = new BucketDurable({
    objects,
    collector,
    world,
    claim,
    replayedRecords,
    publishIntervalMs,
    log: new ObjectLog({
      ...place,
      collector,
      flushIntervalMs,
      boundaryId: logBoundary,
      known,
      fenced: () => durable.fenced(),
    }),
  });
  return durable;
}
