/** Files that are there whole or not at all. */

import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';

/** Replaces what has the name. */
export function writeWhole(path: string, text: string): void {
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
