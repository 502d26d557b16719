/**
 * A directory of the operating system. Reads are synchronous, which is 12–20 times cheaper on a
 * warm page cache. Syncs are always asynchronous.
 */

import * as fs from 'node:fs';
import { join } from 'node:path';
import type { DirectoryIo, IoFile, OpenMode } from './directory-io.ts';
import { makeDirectories, makeDirectory, permissionsIn } from './permissions.ts';

const { O_CREAT, O_EXCL, O_RDONLY, O_RDWR } = fs.constants;
// On other systems O_DSYNC stops at the cache of the drive, or does not exist: there, each write is
// followed by a sync.
const dataSync = process.platform === 'linux' ? fs.constants.O_DSYNC : 0;

const flagsOf: Readonly<Record<OpenMode, number>> = {
  read: O_RDONLY,
  create: O_RDWR | O_CREAT | O_EXCL,
  write: O_RDWR,
  log: O_RDWR | dataSync,
};

/**
 * Opens a directory, and creates `root` and its parents if they do not exist. New directories get
 * the permissions of `like`, an existing directory.
 */
export function systemDirectory(root: string, like = root): DirectoryIo {
  makeDirectories(root, permissionsIn(like));
  return directoryAt(root);
}

/**
 * Opens a directory without creating anything. If `root` does not exist, every file in it is
 * absent, and writes fail.
 */
export function directoryAt(root: string): DirectoryIo {
  const at = (path: string): string => (path === '' ? root : join(root, path));
  const permissions = permissionsIn(root);
  return {
    open(path, mode) {
      const missing = mode === 'create' ? 'EEXIST' : 'ENOENT';
      const fd = unless(missing, () => fs.openSync(at(path), flagsOf[mode], permissions.file));
      // The mask of the process applies to new files.
      if (mode === 'create' && fd !== undefined && permissions.isShared)
        fs.fchmodSync(fd, permissions.file);
      return fd === undefined ? undefined : systemFile(fd, mode === 'log' && dataSync !== 0, at);
    },
    sizeOf: (path) => fs.statSync(at(path), { throwIfNoEntry: false })?.size,
    link: (from, to) => succeeded('EEXIST', () => fs.linkSync(at(from), at(to))),
    rename: (from, to) => fs.renameSync(at(from), at(to)),
    unlink: (path) => succeeded('ENOENT', () => fs.unlinkSync(at(path))),
    remove: (path) => remove(at(path)),
    makeDirectory: (path) => succeeded('EEXIST', () => makeDirectory(at(path), permissions)),
    entries: (path) => listEntries(at(path)),
    syncDirectory: (path) => syncDirectory(at(path)),
  };
}

function listEntries(path: string): readonly string[] {
  const entries = unless('ENOENT', () => fs.readdirSync(path, { withFileTypes: true }));
  return (entries ?? []).map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name));
}

async function remove(path: string): Promise<boolean> {
  try {
    await called((done) => fs.unlink(path, done));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

async function syncDirectory(path: string): Promise<void> {
  const fd = fs.openSync(path, O_RDONLY);
  try {
    await called((done) => fs.fsync(fd, done));
  } finally {
    fs.closeSync(fd);
  }
}

function systemFile(fd: number, durableWrites: boolean, at: (path: string) => string): IoFile {
  const opened = fs.fstatSync(fd);
  return {
    bytes: opened.size,
    isAt(path) {
      const found = fs.statSync(at(path), { throwIfNoEntry: false });
      if (found === undefined || found.ino !== opened.ino || found.dev !== opened.dev) return false;
      return found.size >= opened.size;
    },
    read: (target, position) => readFully(fd, target, position),
    write: (source, position) => writeFully(fd, source, position),
    async writeDurably(source, position) {
      await writeFully(fd, source, position);
      if (!durableWrites) await called((done) => fs.fdatasync(fd, done));
    },
    sync: () => called((done) => fs.fdatasync(fd, done)),
    close: () => fs.closeSync(fd),
    // Nothing is lost if it fails.
    discard: (closed) => fs.close(fd, () => closed()),
  };
}

function readFully(fd: number, target: Uint8Array, position: number): number {
  let read = 0;
  while (read < target.length) {
    const count = fs.readSync(fd, target, read, target.length - read, position + read);
    if (count === 0) break;
    read += count;
  }
  return read;
}

async function writeFully(fd: number, source: Uint8Array, position: number): Promise<void> {
  for (let written = 0; written < source.length; ) {
    written += await writeSome(fd, source, written, position + written);
  }
}

function writeSome(fd: number, source: Uint8Array, from: number, position: number) {
  return new Promise<number>((resolve, reject) => {
    fs.write(fd, source, from, source.length - from, position, (error, count) => {
      if (error) reject(error);
      else resolve(count);
    });
  });
}

function called(start: (done: (error: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    start((error) => {
      if (error) reject(error);
      else resolve();
    });
  });
}

/**
 * Returns the result of `action`, or `undefined` if the operating system refuses it with `code`.
 */
function unless<T>(code: string, action: () => T): T | undefined {
  try {
    return action();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === code) return undefined;
    throw error;
  }
}

function succeeded(code: string, action: () => void): boolean {
  return (
    unless(code, () => {
      action();
      return true;
    }) ?? false
  );
}
