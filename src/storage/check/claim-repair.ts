/**
 * Restores missing epoch claims of a directory (`svc doctor store --restore-claims`). The content of a claim is never read, so an empty
 * file suffices. Everything else is checked first, and nothing is written before the user confirms.
 */

import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { World } from '#base';
import { readClaims, restoreClaims } from '../manifest/claims.ts';
import { lockQuietly } from '../object/directory-lock.ts';
import { prepareTree } from '../object/directory-tree.ts';
import { fileStore } from '../object/file-store.ts';
import { epochName, prefixes, runtimeName } from '../object/names.ts';
import { StorageError } from '../object/storage-fault.ts';
import { directoryAt } from '../object/system-directory.ts';
import { examineDirectoryAtRest } from './at-rest.ts';
import { examineClaims, restoredMax } from './claims.ts';
import { type CheckResult, findingOf } from './findings.ts';
import { refuseUnusable } from './unusable.ts';

interface ClaimRepairOptions {
  readonly path: string;
  readonly world: World;
  /** True to read all bytes of the SSTables; false to read only footers, indexes and filters. */
  readonly isThorough: boolean;
}

/** A live writer changes a file at least once per second. */
const watchMs = 3_000;

/** The findings and the missing claims of a directory, which is locked until this object is disposed of. */
interface ClaimRepair extends Disposable {
  readonly findings: readonly CheckResult[];
  /** Names of the claims to restore. Empty if none is missing, or if the store would not open even with them. */
  readonly missing: readonly string[];
  /** Creates the claims durably and returns the finding of another check of the claims. */
  restore(): Promise<CheckResult>;
}

/** Checks the directory without writing. Throws `locked` if a writer is alive, and what `refuseUnusable` throws. */
export async function examineForRepair(options: ClaimRepairOptions): Promise<ClaimRepair> {
  const { path, world } = options;
  refuseUnusable(path);
  const unlock = lockQuietly(path);
  try {
    await refuseWriter(path, world);
    const io = directoryAt(path);
    const objects = fileStore(io, world.random);
    const findings = await examineDirectoryAtRest(io, { objects, ...options });
    const { missing } = await readClaims(objects);
    const isRefused = findings.some(({ name, status }) => name === 'log' && status === 'fail');
    const isWorthIt = !isRefused && missing.length <= restoredMax;
    return {
      findings,
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

/** Throws `locked` if a writer changes the directory, since its lock file might have been removed while it runs. */
async function refuseWriter(path: string, world: World): Promise<void> {
  const before = sighting(path);
  await new Promise<void>((resolve) => void world.scheduler.after(watchMs, resolve));
  if (sighting(path) === before) return;
  throw new StorageError({ kind: 'locked', path, holder: undefined });
}

/** Returns a fingerprint of the directory that changes with every action of a writer. */
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
