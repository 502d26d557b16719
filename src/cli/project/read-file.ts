/** Reads files that may be devices or pipes and therefore never end. */

import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { isatty } from 'node:tty';

/** Returns the content, or `undefined` if it exceeds `max` bytes. Throws the error of the operating system. */
export function readAtMost(path: string, max: number): Uint8Array | undefined {
  const file = openSync(path, 'r');
  try {
    let bytes = Buffer.alloc(2 ** 16);
    for (let length = 0; length <= max; ) {
      const read = readSync(file, bytes, length, bytes.length - length, null);
      length += read;
      if (read === 0) return bytes.subarray(0, length);
      if (length === bytes.length) bytes = Buffer.concat([bytes, Buffer.alloc(length)]);
    }
    return undefined;
  } finally {
    closeSync(file);
  }
}

/**
 * Returns whether the file is a terminal, so that the input is typed. A pipe is not opened, because its writer would take the closing for the end of its
 * reader.
 */
export function isTyped(path: string): boolean {
  if (statSync(path, { throwIfNoEntry: false })?.isCharacterDevice() !== true) return false;
  const file = openSync(path, 'r');
  try {
    return isatty(file);
  } finally {
    closeSync(file);
  }
}
