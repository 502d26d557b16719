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
import { type CommittedTable, committedTables } from '../version/run-record.ts';
import { type CheckResult, findingOf, passed } from './findings.ts';

interface LogCheck {
  readonly result: CheckResult;
  /** The SSTables that the log names, as far as it could be read. */
  readonly committed: readonly CommittedTable[];
}

/** Maximum number of attempts while a running writer changes the data that is read. */
const looksMax = 10;

/** Checks the log of a directory. Missing claims are not reported here. */
export function examineSegments(
  io: DirectoryIo,
  objects: ObjectStore,
  world: World,
): Promise<LogCheck> {
  return examine(segmentFeed(objects), async (committed) => {
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
      replay: (payload, record) => committed.push(...committedTables(payload, record)),
      isLook: true,
    });
    return found(replayedRecords, manifestName(newest.epoch, newest.number), torn);
  });
}

export function examineLogObjects(objects: ObjectStore, world: World): Promise<LogCheck> {
  return examine(bucketFeed(objects), async (committed) => {
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
      replay: (payload, record) => {
        records++;
        committed.push(...committedTables(payload, record));
      },
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
async function examine(
  manifests: ManifestFeed,
  look: (committed: CommittedTable[]) => Promise<Omit<CheckResult, 'name'>>,
): Promise<LogCheck> {
  let committed: CommittedTable[] = [];
  const result = await findingOf('log', async () => {
    let refused = '';
    for (let looks = 1; ; looks++) {
      committed = [];
      const newest = await manifests.newestName().catch(() => undefined);
      try {
        return await look(committed);
      } catch (error) {
        const refusal = `${newest} ${String(error)}`;
        if (refusal === refused || looks === looksMax) throw error;
        refused = refusal;
      }
    }
  });
  return { result, committed };
}
