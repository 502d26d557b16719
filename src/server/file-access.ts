/** Permissions of configured files for other users: all users except the owner of a file and its group. Symbolic links are followed. */

import { statSync } from 'node:fs';
import { RefusedOption } from './refused-option.ts';

const readOrWrite = 0o006;
const write = 0o002;

/** Throws a `RefusedOption` if other users can read or write the file, which contains a secret. */
export function refuseReadableByOthers(flag: string, path: string): void {
  if (!grantsOthers(path, readOrWrite)) return;
  const expected = `a file that other users cannot read or write (chmod 600 ${path})`;
  throw new RefusedOption(flag, path, expected);
}

/** Throws a `RefusedOption` if other users can write the file, which decides whom this process trusts. */
export function refuseWritableByOthers(flag: string, path: string): void {
  if (!grantsOthers(path, write)) return;
  throw new RefusedOption(flag, path, `a file that other users cannot write (chmod o-w ${path})`);
}

function grantsOthers(path: string, permissions: number): boolean {
  return process.platform !== 'win32' && (statSync(path).mode & permissions) !== 0;
}
