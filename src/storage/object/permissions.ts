/**
 * Permissions of the files that this process creates in a directory. They are private, unless the group of the directory
 * can write to it: then other users of this group share the files (`--storage-group`). Existing files keep theirs.
 */

import * as fs from 'node:fs';

interface Permissions {
  readonly file: number;
  readonly directory: number;
  readonly isShared: boolean;
}

const onlyOwner: Permissions = { file: 0o600, directory: 0o700, isShared: false };
const withGroup: Permissions = { file: 0o660, directory: 0o770, isShared: true };
const groupWrite = 0o020;
const otherWrite = 0o002;
const permissionBits = 0o7777;

/** Returns the permissions for new files in `root`. A directory that does not exist yet becomes private. */
export function permissionsIn(root: string): Permissions {
  const found = fs.statSync(root, { throwIfNoEntry: false });
  // A directory for all users, such as /tmp, is not shared with a group.
  const writers = (found?.mode ?? 0) & (groupWrite | otherWrite);
  return writers === groupWrite ? withGroup : onlyOwner;
}

/** Creates a directory with all missing parents. */
export function makeDirectories(path: string, { directory, isShared }: Permissions): void {
  const first = fs.mkdirSync(path, { recursive: true, mode: directory });
  // The mask of the process applies to new directories.
  if (first !== undefined && isShared) addMode(path, directory);
}

/** Creates a directory whose parent exists. Throws `EEXIST` if it exists. */
export function makeDirectory(path: string, { directory, isShared }: Permissions): void {
  fs.mkdirSync(path, directory);
  if (isShared) addMode(path, directory);
}

/** Creates a directory that its group shares, or shares an existing one. Throws the error of the operating system. */
export function shareDirectory(path: string): void {
  fs.mkdirSync(path, { recursive: true, mode: withGroup.directory });
  addMode(path, withGroup.directory);
}

/** Returns whether users other than the owner and the group can write to an existing directory. */
export function isOpenToOthers(path: string): boolean {
  if (process.platform === 'win32') return false;
  const found = fs.statSync(path, { throwIfNoEntry: false });
  return found !== undefined && (found.mode & otherWrite) !== 0;
}

/** Adds permissions, and keeps bits such as the one by which new files get the group of the directory. */
function addMode(path: string, mode: number): void {
  const present = fs.statSync(path).mode & permissionBits;
  if ((present & mode) !== mode) fs.chmodSync(path, present | mode);
}
