/** The files of the audit log in the file system. */

import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  openSync,
  readSync,
  renameSync,
  writeSync,
} from 'node:fs';
import type { AuditFiles, AuditHandle } from '#authentication';

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDWR } = constants;
const mode = 0o600;
/** Permissions of users other than the owner and the group. */
const permittedToAll = 0o007;

export const auditFiles: AuditFiles = {
  // Without O_NONBLOCK, opening a pipe would wait for its reader.
  open: (path) =>
    handleOf(path, openSync(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, mode)),
  exists: existsSync,
  rename: renameSync,
};

function handleOf(path: string, descriptor: number): AuditHandle {
  try {
    const { size, ...found } = fstatSync(descriptor);
    if ((found.mode & constants.S_IFMT) !== constants.S_IFREG) {
      throw new Error(`${path}: it is not a regular file`);
    }
    if ((found.mode & permittedToAll) !== 0) {
      throw new Error(`${path}: other users can read or write it; run chmod 600 ${path}`);
    }
    return {
      size,
      isTorn: size > 0 && !endsLine(descriptor, size),
      write: (bytes) => writeSync(descriptor, bytes),
      sync: () => fsyncSync(descriptor),
      close: () => closeSync(descriptor),
    };
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

function endsLine(descriptor: number, size: number): boolean {
  const last = new Uint8Array(1);
  readSync(descriptor, last, 0, 1, size - 1);
  return last[0] === 0x0a;
}
