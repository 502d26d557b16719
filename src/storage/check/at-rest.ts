/**
 * Checks the stored data of a storage location part by part (`svc doctor store`). Only reads, and may run while a server uses the location.
 */

import type { World } from '#base';
import { bucketFeed, segmentFeed } from '../manifest/manifest-feed.ts';
import type { DirectoryIo } from '../object/directory-io.ts';
import type { ObjectStore } from '../object/store.ts';
import { examineClaims } from './claims.ts';
import { type CheckResult, findingOf } from './findings.ts';
import { examineLogObjects, examineSegments } from './log.ts';
import { examineTables } from './tables.ts';

interface AtRest {
  readonly objects: ObjectStore;
  readonly world: World;
  /** True to read all bytes of the SSTables; false to read only footers, indexes and filters. */
  readonly isThorough: boolean;
}

export async function examineDirectoryAtRest(
  io: DirectoryIo,
  { objects, world, isThorough }: AtRest,
): Promise<readonly CheckResult[]> {
  const manifests = segmentFeed(objects);
  const claims = await findingOf('claims', () => examineClaims(objects));
  const log = await examineSegments(io, objects, world);
  const { committed } = log;
  const tables = await examineTables({ objects, manifests, committed, world, isThorough });
  return orNoStore([claims, log.result], tables);
}

export async function examineBucketAtRest({
  objects,
  world,
  isThorough,
}: AtRest): Promise<readonly CheckResult[]> {
  const log = await examineLogObjects(objects, world);
  const tables = await examineTables({
    objects,
    manifests: bucketFeed(objects),
    committed: log.committed,
    world,
    isThorough,
  });
  return orNoStore([log.result], tables);
}

/**
 * Adds the finding on SSTables. The finding is `undefined` if there is no manifest, which is not damage if the location has never contained a
 * store.
 */
function orNoStore(
  others: readonly CheckResult[],
  tables: CheckResult | undefined,
): readonly CheckResult[] {
  if (tables !== undefined) return [...others, tables];
  return others.some(({ status }) => status === 'fail') ? others : [noStore];
}

/** The only finding for a location that contains no store. */
const noStore: CheckResult = {
  name: 'store',
  status: 'warning',
  message: 'the location contains no store; a server would create an empty one',
  details: {},
};
