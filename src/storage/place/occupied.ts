/**
 * Detects a directory that is used for something else. Creating a store there would hide a mistyped path and mix its files with other
 * files.
 */

import type { DirectoryIo } from '../object/directory-io.ts';
import { prefixes, runtimeName } from '../object/names.ts';
import { StorageError } from '../object/storage-fault.ts';

const shownMax = 3;

/**
 * Throws `occupied` for a directory that contains other files and nothing of a store. Hidden files, and files that a file system creates in
 * its root, do not count.
 */
export function refuseOccupied(io: Pick<DirectoryIo, 'entries'>, path: string): void {
  const names = io.entries('');
  const own: readonly string[] = [...Object.values(prefixes), runtimeName];
  if (names.some((name) => own.includes(name))) return;
  const found = names.filter((name) => !name.startsWith('.') && !system.includes(name)).sort();
  if (found.length === 0) return;
  const more = found.length > shownMax ? [`${found.length - shownMax} more`] : [];
  throw new StorageError({ kind: 'occupied', path, found: [...found.slice(0, shownMax), ...more] });
}

/** Entries of the root of a file system, and the lock and holder files that a killed start leaves before it creates anything of a store. */
const system = ['lost+found/', 'lock', 'holder.json', 'tmp/'];
