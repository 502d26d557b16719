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

/** Replaces what has the name; where a link leads, what it leads to. Throws a CommandFailure when the system does not let it. */
export function writeWhole(given: string, text: string): void {
  const path = existsSync(given) ? realpathSync(given) : given;
  const written = write(path, text);
  try {
    renameSync(written, path);
  } catch (error) {
    rmSync(written, { force: true });
    throw error;
  }
}

/** False when the name is taken; nothing is changed then. */
export function createWhole(path: string, text: string): boolean {
  const written = write(path, text);
  try {
    linkSync(written, path);
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(written, { force: true });
  }
}

function write(path: string, text: string): string {
  try {
    return writtenBeside(path, text);
  } catch (error) {
    throw unwritable(path, error);
  }
}

function unwritable(path: string, error: unknown): CommandFailure {
  return new CommandFailure({
    code: 'file_unwritable',
    message: `${path} cannot be written: ${systemReason(error)}`,
    hint: 'the project has to be writable for this command; `svc schema status`, `diff` and `check` only read it',
  });
}

function writtenBeside(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true });
  const beside = `${path}.${process.pid}.tmp`;
  const file = openSync(beside, 'w', 0o644);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  return beside;
}
