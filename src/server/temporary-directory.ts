/** A directory of the user of this process within the temporary directory of the system, which all users share. */

import { lstatSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Returns the path. Users have different directories, because one user cannot write to that of another. */
export function temporaryDirectory(name: string): string {
  return join(tmpdir(), `${name}-${process.getuid?.() ?? 'user'}`);
}

/** Creates the directory if it does not exist. Throws if another user could read its files. */
export function makePrivate(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const found = lstatSync(path);
  const isOurs = process.getuid === undefined || found.uid === process.getuid();
  if (!found.isDirectory() || !isOurs) throw new Error(`${path} belongs to another user`);
}
