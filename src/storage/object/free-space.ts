/** The free space of a file system. Quotas are not part of the figure: writes beyond a quota fail. */

import { statfsSync } from 'node:fs';
import { storageError } from './storage-fault.ts';

/** Returns the bytes that this process may still write to the file system of `path`. */
export function freeBytesAt(path: string): number {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  } catch (error) {
    throw storageError('measure', path, error);
  }
}
