/**
 * One process a directory: `lock` is locked by the operating system for the life of the holder, `holder.json` says who it is.
 *
 * This is the guard with the clear message. Safety does not depend on it: a writer that gets past it is fenced by its epoch.
 */

import * as fs from 'node:fs';
import { join } from 'node:path';
import { flockExclusive } from './flock.ts';
import { type Holder, StorageError, storageError } from './trouble.ts';

export interface DirectoryLock {
  /** Why the system cannot lock here, when it cannot: then only epochs guard the directory. */
  readonly unenforced: string | undefined;
  /** Says where the holder listens. */
  announce(address: string): void;
  release(): void;
}

/** Creates `root` if need be. Throws `locked`, with the holder if it can be read. */
export function lockDirectory(root: string, identity: Omit<Holder, 'address'>): DirectoryLock {
  fs.mkdirSync(root, { recursive: true });
  const fd = fs.openSync(join(root, 'lock'), 'a', 0o640);
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
 * Locks a directory that is there without writing to it: nobody is told who holds it. Throws `locked`. What is returned releases it; where there is
 * no file to lock, or the system cannot, nobody is kept out.
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

/** The process that holds `root`, as far as it can be known. */
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

/** By rename, so that a second server never reads half of it. On a full device nobody is told: the lock holds without it. */
function writeHolder(root: string, holder: Holder): void {
  const temporary = join(root, 'holder.json.new');
  try {
    fs.writeFileSync(temporary, `${JSON.stringify(holder)}\n`, { mode: 0o640 });
    fs.renameSync(temporary, join(root, 'holder.json'));
  } catch (error) {
    const { trouble } = storageError('write', temporary, error);
    fs.rmSync(temporary, { force: true });
    if (trouble.kind !== 'full') throw error;
  }
}
