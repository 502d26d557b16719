/** Checks a storage location. Nothing of an existing store is changed. */

import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { invariant, type World } from '#base';
import { prepareTree } from '../object/directory-tree.ts';
import { fileStore } from '../object/file-store.ts';
import { memoryStore } from '../object/memory-store.ts';
import { probeName } from '../object/names.ts';
import type { BucketOptions } from '../object/s3/options.ts';
import { s3Store } from '../object/s3/s3-store.ts';
import { storageError } from '../object/storage-fault.ts';
import { directoryAt, systemDirectory } from '../object/system-directory.ts';
import { examineBucketAtRest, examineDirectoryAtRest } from './at-rest.ts';
import { type Examination, examineStore } from './examine.ts';
import type { CheckResult } from './findings.ts';
import { refuseUnusable } from './unusable.ts';

interface ExaminedPlace {
  readonly storage: 'memory' | 'file' | 's3';
  readonly path: string;
  readonly s3: BucketOptions | undefined;
  readonly world: World;
}

/**
 * Checks whether the location is suitable for a store, and then the data of an existing store. May run while a server uses the location.
 */
export async function examinePlace(
  place: ExaminedPlace,
  examination: Examination & { readonly isThorough?: boolean },
): Promise<readonly CheckResult[]> {
  const { isThorough = true } = examination;
  const fitness = await examineFitness(place, examination);
  const isReached = fitness.every(({ name, status }) => name !== 'reach' || status !== 'fail');
  return isReached ? [...fitness, ...(await atRestIn(place, isThorough))] : fitness;
}

async function atRestIn(
  { storage, path, s3, world }: ExaminedPlace,
  isThorough: boolean,
): Promise<readonly CheckResult[]> {
  if (storage === 'file') {
    const io = directoryAt(path);
    return examineDirectoryAtRest(io, { objects: fileStore(io, world.random), world, isThorough });
  }
  if (s3 === undefined) return [];
  return examineBucketAtRest({ objects: s3Store({ ...s3, world }), world, isThorough });
}

async function examineFitness(
  { storage, path, s3, world }: ExaminedPlace,
  examination: Examination,
): Promise<readonly CheckResult[]> {
  switch (storage) {
    case 'memory':
      return examineStore(memoryStore(), world, examination);
    case 's3':
      invariant(s3 !== undefined, 'a store in a bucket has bucket options');
      return examineStore(s3Store({ ...s3, world }), world, examination);
    case 'file':
      return examineDirectory(path, world, examination);
  }
}

/** Checks a directory within a temporary subdirectory. */
async function examineDirectory(
  path: string,
  world: World,
  examination: Examination,
): Promise<readonly CheckResult[]> {
  const own = join(path, probeName(world.random).replace('/', '-'));
  refuseUnusable(path);
  const isNew = !existsSync(path);
  try {
    const io = systemDirectory(own);
    await prepareTree(io);
    return await examineStore(fileStore(io, world.random), world, examination);
  } catch (error) {
    throw storageError('examine', path, error);
  } finally {
    rmSync(isNew ? path : own, { recursive: true, force: true });
  }
}
