/** What a place holds already, examined part by part (`svc doctor store`). Reads only, also beside a running server. */

import type { World } from '#base';
import { bucketFeed, segmentFeed } from '../manifest/manifest-feed.ts';
import type { DirectoryIo } from '../object/directory-io.ts';
import type { ObjectStore } from '../object/store.ts';
import { examineClaims } from './claims.ts';
import { type Finding, findingOf } from './findings.ts';
import { examineLogObjects, examineSegments } from './log.ts';
import { examineTables } from './tables.ts';

interface AtRest {
  readonly objects: ObjectStore;
  readonly world: World;
  /** All bytes of tables are read; else only what finds the entries. */
  readonly isThorough: boolean;
}

export async function examineDirectoryAtRest(
  io: DirectoryIo,
  { objects, world, isThorough }: AtRest,
): Promise<readonly Finding[]> {
  const manifests = segmentFeed(objects);
  const claims = await findingOf('claims', () => examineClaims(objects));
  const log = await examineSegments(io, objects, world);
  const tables = await examineTables({ objects, manifests, world, isThorough });
  return orNoStore([claims, log], tables);
}

export async function examineBucketAtRest({
  objects,
  world,
  isThorough,
}: AtRest): Promise<readonly Finding[]> {
  const log = await examineLogObjects(objects, world);
  const tables = await examineTables({
    objects,
    manifests: bucketFeed(objects),
    world,
    isThorough,
  });
  return orNoStore([log], tables);
}

/** `tables`: undefined without a manifest, which is no damage where no store was ever made. */
function orNoStore(others: readonly Finding[], tables: Finding | undefined): readonly Finding[] {
  if (tables !== undefined) return [...others, tables];
  return others.some(({ status }) => status === 'fail') ? others : [noStore];
}

/** The one finding about a place that is merely free. */
const noStore: Finding = {
  name: 'store',
  status: 'warning',
  message: 'no store was made there yet: a server would begin an empty one',
  details: {},
};
