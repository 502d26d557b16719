/** Refuses a path at which a server could not open a store. */

import { refuseLinked } from '../object/directory-tree.ts';
import { storageError } from '../object/storage-fault.ts';
import { directoryAt } from '../object/system-directory.ts';
import { refuseOccupied } from '../place/occupied.ts';

/** Throws `occupied` for a directory that is used for something else, `linked` if its `tmp` is a link, and `io` for a path that is not a directory. Writes nothing. */
export function refuseUnusable(path: string): void {
  try {
    const io = directoryAt(path);
    refuseLinked(io);
    refuseOccupied(io, path);
  } catch (error) {
    throw storageError('examine', path, error);
  }
}
