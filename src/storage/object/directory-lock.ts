/**
 * Admits one process per directory: the operating system locks the file `lock` for the life of the
 * holder, and `holder.json` describes the holder.
 *
 * The lock exists to give a clear message. Safety does not depend on it: a writer that passes it is
 * fenced by its epoch.
 */

import * as fs from 'node:fs';
import { join } from 'node:path';
import { flockExclusive } from './flock.ts';
import { makeDirectories, permissionsIn } from './permissions.ts';
import { type Holder, StorageError, storageError } from './storage-fault.ts';

export interface DirectoryLock {
  /**
   * The reason if the operating system cannot lock the directory, which then only epochs protect.
   */
  readonly unenforced: string | undefined;
  /** Records the address on which the holder listens. */
  announce(address: string): void;
  release(): void;
}

/**
 * Locks `root`, and creates it if it does not exist. Throws `locked`, with the holder if it can be
 * read.
 */
export function lockDirectory(root: string, identity: Omit<Holder, 'address'>): DirectoryLock {
  const permissions = permissionsIn(root);
  makeDirectories(root, permissions);
  const fd = fs.openSync(join(root, 'lock'), 'a', permissions.file);
  if (permissions.isShared && fs.fstatSync(fd).uid === process.getuid?.())
    fs.fchmodSync(fd, permissions.file);
  const outcome = flockExclusive(fd);
  if (outcome.kind === 'busy') {
    fs.closeSync(fd);
    throw new StorageError({ kind: 'locked', path: root, holder: readHolder(root) });
  }
  writeHolder(root, { ...identity, address: '' });
  return {
    unenforced: outcome.kind === 'unavailable' ? outcome.reason : undefined,
    announce: (address) => writeHolder(root, { ...identity, address }),
    release() {
      fs.rmSync(join(root, 'holder.json'), { force: true });
      fs.closeSync(fd);
    },
  };
}

/**
 * Locks an existing directory without writing to it, so `holder.json` does not name this process.
 * Throws `locked`. Returns a function that releases the lock. If the lock file does not exist, or
 * the operating system cannot lock it, other processes are not kept out.
 */
export function lockQuietly(root: string): () => void {
  const path = join(root, 'lock');
  if (!fs.existsSync(path)) return () => {};
  const fd = fs.openSync(path, 'r+');
  if (flockExclusive(fd).kind === 'busy') {
    fs.closeSync(fd);
    throw new StorageError({ kind: 'locked', path: root, holder: readHolder(root) });
  }
  return () => fs.closeSync(fd);
}

/** Returns the process that holds `root`; `undefined` if `holder.json` cannot be read. */
export function readHolder(root: string): Holder | undefined {
  try {
    const read: unknown = JSON.parse(fs.readFileSync(join(root, 'holder.json'), 'utf8'));
    return isHolder(read) ? read : undefined;
  } catch {
    return undefined;
  }
}

function isHolder(value: unknown): value is Holder {
  const holder = value as Partial<Holder> | null;
  return (
    typeof holder === 'object' &&
    typeof holder?.pid === 'number' &&
    typeof holder.hostname === 'string' &&
    typeof holder.startedUnixMs === 'number' &&
    typeof holder.address === 'string'
  );
}

/**
 * Replaces the file by a rename, so that another server never reads half of it. On a full device
 * the file is left out, and the lock works without it.
 */
function writeHolder(root: string, holder: Holder): void {
  const temporary = join(root, 'holder.json.new');
  try {
    const { file, isShared } = permissionsIn(root);
    fs.writeFileSync(temporary, `${JSON.stringify(holder)}\n`, { mode: file });
    if (isShared) fs.chmodSync(temporary, file);
    fs.renameSync(temporary, join(root, 'holder.json'));
  } catch (error) {
    const { fault } = storageError('write', temporary, error);
    fs.rmSync(temporary, { force: true });
    if (fault.kind !== 'full') throw error;
  }
}
