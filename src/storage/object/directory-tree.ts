/** Directories of a store: made durably, and tidied when it opens. */

import type { DirectoryIo } from './directory-io.ts';
import { prefixes } from './names.ts';

export const temporaryDirectory = 'tmp';

const directories = [
  ...Object.values(prefixes).map((prefix) => prefix.slice(0, -1)),
  temporaryDirectory,
];

/** The part of a path before its last `/`; `''` is the root. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/**
 * Makes the directories of a store, makes every name in them durable, and empties `tmp/`.
 *
 * A process that was killed may have left names that are visible but not durable; whoever opens acts on what it sees, so
 * the names are synced first.
 */
export async function prepareTree(io: DirectoryIo): Promise<void> {
  for (const directory of directories) io.makeDirectory(directory);
  await io.syncDirectory('');
  for (const directory of directories) await io.syncDirectory(directory);
  for (const name of io.entries(temporaryDirectory)) io.unlink(`${temporaryDirectory}/${name}`);
}

/**
 * What `give` gives, which gives a file its name in `path`. A directory of the store that somebody has removed is made again: the caller has just
 * written into `tmp/`, so the rest of the place is there.
 */
export async function inDirectory<T>(io: DirectoryIo, path: string, give: () => T): Promise<T> {
  try {
    return give();
  } catch (error) {
    if (!directories.includes(path) || !io.makeDirectory(path)) throw error;
    await io.syncDirectory('');
    return give();
  }
}

export async function ensureDirectory(io: DirectoryIo, path: string): Promise<void> {
  if (path === '' || directories.includes(path)) return;
  await ensureDirectory(io, parentOf(path));
  // Also when it exists: whoever made it may not have synced it yet.
  io.makeDirectory(path);
  await io.syncDirectory(parentOf(path));
}
