/** The file with the token that a writer and its readers share. */

import { readFileSync, statSync } from 'node:fs';
import { RefusedOption } from '../refused-option.ts';

const bytesMin = 32;
const bytesMax = 4096;
/** What the file permits to users that are neither its owner nor in its group. */
const permittedToAll = 0o007;

/** Without the white space around. Throws a RefusedOption. */
export function readToken(path: string): string {
  const refused = (expected: string) => new RefusedOption('--relay-token-file', path, expected);
  let token: string;
  try {
    const { mode, size } = statSync(path);
    if (size > bytesMax) throw refused(`a file of at most ${bytesMax} bytes`);
    if (process.platform !== 'win32' && (mode & permittedToAll) !== 0) {
      throw refused(`a file that others cannot read or write (chmod 600 ${path})`);
    }
    token = readFileSync(path, 'utf8').trim();
  } catch (error) {
    if (error instanceof RefusedOption) throw error;
    throw refused(`a file that can be read: ${(error as Error).message}`);
  }
  if (/^[\x21-\x7e]*$/.test(token) && token.length >= bytesMin) return token;
  throw refused(
    `a token of ${bytesMin} bytes or more in it, without white space, such as \`openssl rand -hex 32\` makes`,
  );
}
