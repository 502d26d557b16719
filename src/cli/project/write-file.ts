/** Writes files that are either complete or absent. */

import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { CommandFailure } from '../frame/command-failure.ts';
import { systemReason } from '../frame/system-reason.ts';
import { writeAll } from './write-all.ts';

/** Creates or replaces a file. If the path is a symbolic link, its target is replaced. Throws a CommandFailure if the operating system rejects it. */
export function writeWhole(given: string, text: string): void {
  const path = existsSync(given) ? realpathSync(given) : given;
  throughCopy(path, text, (copy) => renameSync(copy, path));
}

/** Creates a file. Returns `false` without a change if the name is taken. */
export function createWhole(path: string, text: string): boolean {
  // This check comes first, so that a full device or a read-only directory does not matter if there is nothing to write.
  if (existsSync(path)) return false;
  return throughCopy(path, text, (copy) => {
    try {
      linkSync(copy, path);
      return true;
    } catch (error) {
      if ((error as { code?: string }).code === 'EEXIST') return false;
      throw error;
    }
  });
}

/** Writes a temporary copy next to the file and passes it to `use` when it is complete. The copy is removed in every case. */
function throughCopy<Result>(path: string, text: string, use: (copy: string) => Result): Result {
  const copy = `${path}.${process.pid}.tmp`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeNew(copy, text);
    return use(copy);
  } catch (error) {
    throw unwritable(path, error);
  } finally {
    removeCopy(copy);
  }
}

/** Ignores errors: a copy that cannot be removed was not created. */
function removeCopy(copy: string): void {
  try {
    rmSync(copy, { force: true });
  } catch {}
}

function unwritable(path: string, error: unknown): CommandFailure {
  return new CommandFailure({
    code: 'file_unwritable',
    message: `${path} cannot be written: ${systemReason(error)}`,
    hint: 'this command needs a writable project on a device with free space; `svc schema status`, `diff` and `check` only read it',
  });
}

function writeNew(path: string, text: string): void {
  const file = openSync(path, 'w', 0o644);
  try {
    writeAll(Buffer.from(text), (rest) => writeSync(file, rest));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
