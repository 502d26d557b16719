/** The file with the token that a writer and its readers share. */

import { readFileSync, statSync } from 'node:fs';
import { RefusedOption } from '../refused-option.ts';

const bytesMin = 32;
const bytesMax = 4096;
/** Permissions of the file for users other than its owner and its group. */
const permittedToAll = 0o007;

/** Reads the token without surrounding white space. Throws a `RefusedOption`. */
export function readToken(path: string): string {
  const refused = (expected: string) => new RefusedOption('--relay-token-file', path, expected);
  let token: string;
  try {
    const { mode, size } = statSync(path);
    if (size > bytesMax) throw refused(`a file of at most ${bytesMax} bytes`);
    if (process.platform !== 'win32' && (mode & permittedToAll) !== 0) {
      throw refused(`a file that other users cannot read or write (chmod 600 ${path})`);
    }
    token = readFileSync(path, 'utf8').trim();
  } catch (error) {
    if (error instanceof RefusedOption) throw error;
    throw refused(`a file that can be read: ${(error as Error).message}`);
  }
  if (/^[\x21-\x7e]*$/.test(token) && token.length >= bytesMin) return token;
  throw refused(
    `a file with a token of ${bytesMin} bytes or more without white space, for example from \`openssl rand -hex 32\``,
  );
}
