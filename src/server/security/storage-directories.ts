/** Checks the permissions of the directories of a server before it listens, and shares the store with its group. */

import { isOpenToOthers, shareDirectory } from '#storage';
import type { ServeConfiguration } from '../configuration.ts';
import { RefusedOption } from '../refused-option.ts';

/** Throws a `RefusedOption` if other users can write to a directory, or if the store cannot be shared. */
export function prepareDirectories(configuration: ServeConfiguration): void {
  const { storage, storagePath, isStorageShared, role } = configuration;
  for (const [flag, path] of directoriesOf(configuration)) {
    if (!isOpenToOthers(path)) continue;
    const expected = `a directory to which other users cannot write (chmod o-w ${path})`;
    throw new RefusedOption(flag, path, expected);
  }
  if (storage !== 'file' || !isStorageShared || role === 'read') return;
  try {
    shareDirectory(storagePath);
  } catch (error) {
    const expected = `a directory of this user, for --storage-group (${(error as Error).message})`;
    throw new RefusedOption('--storage-path', storagePath, expected);
  }
}

/** Returns the configured directories with the options that name them. */
export function directoriesOf({ storage, storagePath, spill, tuning }: ServeConfiguration) {
  const directories: [flag: string, path: string][] = [];
  if (storage === 'file') directories.push(['--storage-path', storagePath]);
  if (spill?.place === 'configured') directories.push(['--spill-path', spill.path]);
  if (tuning.objectCachePath)
    directories.push(['--store-object-cache-path', tuning.objectCachePath]);
  return directories;
}
