/**
 * Checks whether a directory has free space by allocating it for a moment: the figures of a file
 * system ignore quotas.
 */

import type { DirectoryIo } from './directory-io.ts';
import { temporaryDirectory } from './directory-tree.ts';
import { storageError } from './storage-fault.ts';

const path = `${temporaryDirectory}/room`;
const pieceBytes = 256 << 10;

/** Rejects with `full` unless the directory has space for `bytes` more. */
export async function tryRoom(io: DirectoryIo, bytes: number): Promise<void> {
  try {
    io.unlink(path);
    const file = io.open(path, 'create');
    if (file === undefined) return;
    try {
      const piece = new Uint8Array(Math.min(pieceBytes, bytes));
      for (let at = 0; at < bytes; at += piece.length) await file.write(piece, at);
      // Some file systems allocate blocks only now.
      await file.sync();
    } finally {
      file.close();
      io.unlink(path);
    }
  } catch (error) {
    throw storageError('write', path, error);
  }
}
