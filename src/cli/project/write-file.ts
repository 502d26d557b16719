/** Files that are there whole or not at all. */

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

/** Replaces what has the name; where a link leads, what it leads to. Throws a CommandFailure when the system does not let it. */
export function writeWhole(given: string, text: string): void {
  const path = existsSync(given) ? realpathSync(given) : given;
  throughCopy(path, text, (copy) => renameSync(copy, path));
}

/** False when the name is taken; nothing is changed then. */
export function createWhole(path: string, text: string): boolean {
  // A device without room, or a directory that takes no files, stands in nobody's way who has nothing to write.
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

/** The copy stands beside the file and is whole when `use` gets it; afterwards none is left, whatever happened. */
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

/** What cannot be removed was not made. */
function removeCopy(copy: string): void {
  try {
    rmSync(copy, { force: true });
  } catch {}
}

function unwritable(path: string, error: unknown): CommandFailure {
  return new CommandFailure({
    code: 'file_unwritable',
    message: `${path} cannot be written: ${systemReason(error)}`,
    hint: 'the project has to be writable for this command, and its device must have room; `svc schema status`, `diff` and `check` only read it',
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
