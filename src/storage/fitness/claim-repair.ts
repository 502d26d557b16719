/**
 * Claims that a directory has lost, made again (`svc doctor store --restore-claims`): nobody reads what a claim holds, so an empty one would do. Everything else is
 * examined first, and nothing is written before somebody agrees.
 */

import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { World } from '#base';
import { localLogDevice } from '../log/local-device.ts';
import { readClaims, restoreClaims } from '../manifest/claims.ts';
import { noManifest } from '../manifest/manifest.ts';
import { segmentFeed } from '../manifest/manifest-feed.ts';
import { loadNewestManifest, refuseUnknownTables } from '../manifest/manifest-store.ts';
import type { DirectoryIo } from '../object/directory-io.ts';
import { lockQuietly } from '../object/directory-lock.ts';
import { prepareTree } from '../object/directory-tree.ts';
import { fileStore } from '../object/file-store.ts';
import { epochName, manifestName, prefixes, runtimeName } from '../object/names.ts';
import type { ObjectStore } from '../object/store.ts';
import { directoryAt } from '../object/system-directory.ts';
import { StorageError } from '../object/trouble.ts';
import { type Finding, failed, findingOf, passed } from './findings.ts';
import { examineTables } from './tables.ts';

interface ClaimRepairOptions {
  readonly path: string;
  readonly world: World;
  /** All bytes of tables are read; else only what finds the entries. */
  readonly isThorough: boolean;
}

/** A writer that is alive shows it each second. */
const watchMs = 3_000;

/** More were not lost: some name carries an epoch that nobody ever had. */
const restoredMax = 10_000;

/** The directory is locked until it is disposed of. */
interface ClaimRepair extends Disposable {
  readonly findings: readonly Finding[];
  /** Names of the claims to be made; empty when none is missing, or when the store would not open with them either. */
  readonly missing: readonly string[];
  /** Makes them, durably; what the claims are like then. */
  restore(): Promise<Finding>;
}

/** Writes nothing. Throws `locked` while a writer is alive. */
export async function examineForRepair(options: ClaimRepairOptions): Promise<ClaimRepair> {
  const { path, world } = options;
  const unlock = lockQuietly(path);
  try {
    await refuseWriter(path, world);
    const io = directoryAt(path);
    const objects = fileStore(io, world.random);
    const log = await findingOf('log', () => examineLog(io, objects, world));
    const manifests = segmentFeed(objects);
    const tables = await examineTables({ objects, manifests, ...options });
    const claims = await findingOf('claims', () => examineClaims(objects));
    const { missing } = await readClaims(objects);
    const isWorthIt = log.status === 'pass' && missing.length <= restoredMax;
    return {
      findings: [claims, log, tables],
      missing: isWorthIt ? missing.map(epochName) : [],
      restore: async () => {
        await prepareTree(io);
        await restoreClaims(objects, world);
        return findingOf('claims', () => examineClaims(objects));
      },
      [Symbol.dispose]: unlock,
    };
  } catch (error) {
    unlock();
    throw error;
  }
}

/** Reads only, also beside a running server. */
export async function examineClaims(objects: ObjectStore): Promise<Omit<Finding, 'name'>> {
  const { missing, highest, witness } = await readClaims(objects);
  const [first] = missing;
  if (first === undefined) return passed(`${highest} claims, none is missing`);
  const claimed = Math.max(highest, missing.at(-1) ?? 0);
  const shown = missing.length === 1 ? epochName(first) : `${epochName(first)} and others`;
  if (missing.length > restoredMax) {
    return failed(`${shown} are missing, if ${witness} is a name that svc has given`);
  }
  return failed(
    `${missing.length} of ${claimed} claims are missing: ${shown}; ${witness} shows it`,
    { missing: missing.map(epochName), witness },
  );
}

/** As an opening reads it: whatever it would refuse is thrown. */
async function examineLog(io: DirectoryIo, objects: ObjectStore, world: World) {
  const newest = (await loadNewestManifest(objects)) ?? noManifest;
  await refuseUnknownTables(objects, newest);
  const { highest, missing } = await readClaims(objects);
  const { replayedRecords, torn } = await localLogDevice(io, world.scheduler).recover({
    epoch: Math.max(highest, missing.at(-1) ?? 0) + 1,
    sealedBefore: newest.epoch,
    seals: newest.seals,
    extent: newest.log,
    boundary: newest.boundary,
    replay: () => {},
    isLook: true,
  });
  if (newest.epoch === 0) return passed('no store was made there yet');
  const from = manifestName(newest.epoch, newest.number);
  const cut = torn === undefined ? '' : `, and the start of a commit at ${torn}`;
  return passed(`${replayedRecords} commits since ${from}, all whole${cut}`, { torn });
}

/** The lock may have been taken away under a writer, too. */
async function refuseWriter(path: string, world: World): Promise<void> {
  const before = sighting(path);
  await new Promise<void>((resolve) => void world.scheduler.after(watchMs, resolve));
  if (sighting(path) === before) return;
  throw new StorageError({ kind: 'locked', path, holder: undefined });
}

/** Changes with everything that a writer does. */
function sighting(path: string): string {
  const directories = [prefixes.log, prefixes.manifest, prefixes.table];
  const names = directories.flatMap((directory) => {
    const at = join(path, directory);
    return existsSync(at) ? readdirSync(at).map((entry) => `${directory}${entry}`) : [];
  });
  return [runtimeName, ...names]
    .map((name) => {
      const found = statSync(join(path, name), { throwIfNoEntry: false });
      return `${name} ${found?.ino} ${found?.size} ${found?.mtimeMs}`;
    })
    .join();
}
