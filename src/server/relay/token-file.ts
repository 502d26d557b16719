/** The file with the token that a writer and its readers share. */

import { readFileSync, statSync } from 'node:fs';
import { refuseReadableByOthers } from '../file-access.ts';
import { RefusedOption } from '../refused-option.ts';

const bytesMin = 32;
const bytesMax = 4096;

/** Reads the token without surrounding white space. Throws a `RefusedOption`. */
export function readToken(path: string): string {
  const refused = (expected: string) => new RefusedOption('--relay-token-file', path, expected);
  let token: string;
  try {
    const { size } = statSync(path);
    if (size > bytesMax) throw refused(`a file of at most ${bytesMax} bytes`);
    refuseReadableByOthers('--relay-token-file', path);
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
