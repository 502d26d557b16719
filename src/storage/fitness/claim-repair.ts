/**
 * Claims that a directory has lost, made again (`svc doctor store --restore-claims`): nobody reads what a claim holds, so an empty one would do. Everything else is
 * examined first, and nothing is written before somebody agrees.
 */

import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { World } from '#base';
import { readClaims, restoreClaims } from '../manifest/claims.ts';
import { lockQuietly } from '../object/directory-lock.ts';
import { prepareTree } from '../object/directory-tree.ts';
import { fileStore } from '../object/file-store.ts';
import { epochName, prefixes, runtimeName } from '../object/names.ts';
import { directoryAt } from '../object/system-directory.ts';
import { StorageError } from '../object/trouble.ts';
import { examineDirectoryAtRest } from './at-rest.ts';
import { examineClaims, restoredMax } from './claims.ts';
import { type Finding, findingOf } from './findings.ts';

interface ClaimRepairOptions {
  readonly path: string;
  readonly world: World;
  /** All bytes of tables are read; else only what finds the entries. */
  readonly isThorough: boolean;
}

/** A writer that is alive shows it each second. */
const watchMs = 3_000;

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
