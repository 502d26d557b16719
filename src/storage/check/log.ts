/**
 * Checks whether a store would open with its manifest and log (`svc doctor store`). Uses the code of an opening, and so reports the same
 * errors, but writes nothing.
 */

import type { World } from '#base';
import { findNewest } from '../bucket/claim.ts';
import { replayLog } from '../bucket/replay-log.ts';
import { localLogDevice } from '../log/local-device.ts';
import { readClaims } from '../manifest/claims.ts';
import { noManifest } from '../manifest/manifest.ts';
import { bucketFeed, type ManifestFeed, segmentFeed } from '../manifest/manifest-feed.ts';
import {
  loadNewestManifest,
  refuseEmptiedDirectory,
  refuseOlderManifest,
  refuseUnknownTables,
} from '../manifest/manifest-store.ts';
import { begunIn, refuseForeign } from '../manifest/store-origin.ts';
import type { DirectoryIo } from '../object/directory-io.ts';
import { bucketManifestName, manifestName } from '../object/names.ts';
import type { ObjectStore } from '../object/store.ts';
import { type CheckResult, findingOf, passed } from './findings.ts';

/** Maximum number of attempts while a running writer changes the data that is read. */
const looksMax = 10;

/** Checks the log of a directory. Missing claims are not reported here. */
export function examineSegments(
  io: DirectoryIo,
  objects: ObjectStore,
  world: World,
): Promise<CheckResult> {
  return examine(segmentFeed(objects), async () => {
    await refuseEmptiedDirectory(objects);
    const newest = (await loadNewestManifest(objects)) ?? noManifest;
    await refuseOlderManifest(objects, newest);
    await refuseUnknownTables(objects, newest);
    await refuseForeign(objects, newest);
    const { highest, missing } = await readClaims(objects);
    const { replayedRecords, torn } = await localLogDevice(io, world.scheduler).recover({
      epoch: Math.max(highest, missing.at(-1) ?? 0) + 1,
      sealedBefore: newest.epoch,
      seals: newest.seals,
      begun: begunIn(newest),
      extent: newest.log,
      boundary: newest.boundary,
      replay: () => {},
      isLook: true,
    });
    return found(replayedRecords, manifestName(newest.epoch, newest.number), torn);
  });
}

export function examineLogObjects(objects: ObjectStore, world: World): Promise<CheckResult> {
  return examine(bucketFeed(objects), async () => {
    const { manifest, logBoundary } = (await findNewest(objects)).newest;
    const { epoch, number, boundary, log } = manifest;
    let records = 0;
    await replayLog({
      objects,
      world,
      epoch: epoch + 1,
      boundary,
      boundaryId: logBoundary,
      durableTo: log?.record ?? boundary,
      newest: number,
      replay: () => records++,
      overtaken: async () => undefined,
      isLook: true,
    });
    return found(records, bucketManifestName(number), undefined);
  });
}

function found(records: number, manifest: string, torn: string | undefined) {
  const cut = torn === undefined ? '' : `, and an incomplete commit at ${torn}`;
  const commits = records === 1 ? 'one commit' : `${records} commits`;
  const state = records === 1 ? 'complete' : 'all complete';
  return passed(`${commits} since ${manifest}, ${state}${cut}`, { torn });
}

/**
 * Repeats a check that fails, because a running writer might have caused the failure. Reports it if it fails again with the same manifest
 * and error, or after `looksMax` attempts.
 */
function examine(
  manifests: ManifestFeed,
  look: () => Promise<Omit<CheckResult, 'name'>>,
): Promise<CheckResult> {
  return findingOf('log', async () => {
    let refused = '';
    for (let looks = 1; ; looks++) {
      const newest = await manifests.newestName().catch(() => undefined);
      try {
        return await look();
      } catch (error) {
        const refusal = `${newest} ${String(error)}`;
        if (refusal === refused || looks === looksMax) throw error;
        refused = refusal;
      }
    }
  });
}
