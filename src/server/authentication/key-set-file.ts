/** `--auth-jwks-file`: the file with the keys of the token issuer. Its permissions are checked at each reading. */

import { existsSync } from 'node:fs';
import { refuseWritableByOthers } from '../file-access.ts';

const flag = '--auth-jwks-file';

/** Throws a `RefusedOption` if other users can write the file, and could add a key to it. A missing file can be created later. */
export function checkKeySetFile(path: string): void {
  if (existsSync(path)) refuseWritableByOthers(flag, path);
}

/** Returns at most one byte more than `bytesMax`. */
export async function readKeySetFile(path: string, bytesMax: number): Promise<Uint8Array> {
  refuseWritableByOthers(flag, path);
  return Bun.file(path)
    .slice(0, bytesMax + 1)
    .bytes();
}
