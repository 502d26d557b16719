/** A directory that somebody uses for something else: a store begun there would hide a mistyped path, and mix its files with theirs. */

import type { DirectoryIo } from '../object/directory-io.ts';
import { prefixes, runtimeName } from '../object/names.ts';
import { StorageError } from '../object/trouble.ts';

const shownMax = 3;

/** Throws `occupied` for a directory that holds other things and nothing of a store. Hidden files, and what a file system puts into its root, are nobody's. */
export function refuseOccupied(io: Pick<DirectoryIo, 'entries'>, path: string): void {
  const names = io.entries('');
  const own: readonly string[] = [...Object.values(prefixes), runtimeName];
  if (names.some((name) => own.includes(name))) return;
  const found = names.filter((name) => !name.startsWith('.') && !system.includes(name)).sort();
  if (found.length === 0) return;
  const more = found.length > shownMax ? [`${found.length - shownMax} more`] : [];
  throw new StorageError({ kind: 'occupied', path, found: [...found.slice(0, shownMax), ...more] });
}

/** Of the root of a file system; and what a start that was killed leaves before anything of a store: the lock and its holder. */
const system = ['lost+found/', 'lock', 'holder.json', 'tmp/'];
