/** The directories of a store: durable creation, and cleanup when the store opens. */

import type { DirectoryIo } from './directory-io.ts';
import { prefixes } from './names.ts';
import { StorageError } from './storage-fault.ts';

export const temporaryDirectory = 'tmp';
/** The default directory for spill files of a file store. */
export const spillDirectory = `${temporaryDirectory}/spill`;

const directories = [
  ...Object.values(prefixes).map((prefix) => prefix.slice(0, -1)),
  temporaryDirectory,
];

/** Returns the part of a path before its last `/`; `''` is the root. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** Throws `linked` if `tmp` is not a directory of this tree, so that emptying it would delete other files. */
export function refuseLinked(io: Pick<DirectoryIo, 'entries'>): void {
  if (!io.entries('').includes(temporaryDirectory)) return;
  throw new StorageError({ kind: 'linked', object: temporaryDirectory });
}

/**
 * Creates the directories of a store, makes every name in them durable, and empties `tmp/`.
 *
 * A killed process may have left names that are visible but not durable. The opening process acts
 * on the visible names, so it makes them durable first.
 */
export async function prepareTree(io: DirectoryIo): Promise<void> {
  refuseLinked(io);
  for (const directory of directories) io.makeDirectory(directory);
  await io.syncDirectory('');
  for (const directory of directories) await io.syncDirectory(directory);
  await emptyDirectory(io, temporaryDirectory);
}

/** Removes all files in a directory and in the directories within it. */
async function emptyDirectory(io: DirectoryIo, path: string): Promise<void> {
  for (const name of io.entries(path)) {
    const at = `${path}/${name}`;
    if (name.endsWith('/')) await emptyDirectory(io, at.slice(0, -1));
    else await io.remove(at);
  }
}

/**
 * Runs `give`, which gives a file its name in `path`, and returns its result. If another process
 * has removed that directory of the store, it is created again. The caller has just written into
 * `tmp/`, so the rest of the storage location exists.
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
  // The sync is needed even if the directory exists: its creator may not have synced it yet.
  io.makeDirectory(path);
  await io.syncDirectory(parentOf(path));
}
