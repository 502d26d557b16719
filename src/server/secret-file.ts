/** Files with one secret, which other users must not be able to read. */

import { readFileSync, statSync } from 'node:fs';
import { refuseReadableByOthers } from './file-access.ts';
import { RefusedOption } from './refused-option.ts';

const bytesMax = 4096;

/** Reads a secret without surrounding white space. Throws a `RefusedOption` that names `flag`. */
export function readSecret(flag: string, path: string): string {
  const refused = (expected: string) => new RefusedOption(flag, path, expected);
  try {
    const { size } = statSync(path);
    if (size > bytesMax) throw refused(`a file of at most ${bytesMax} bytes`);
    refuseReadableByOthers(flag, path);
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if (error instanceof RefusedOption) throw error;
    throw refused(`a file that can be read: ${(error as Error).message}`);
  }
}
